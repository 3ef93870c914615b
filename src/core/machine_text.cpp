// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>
#include <sstream>

#include "fernwood/core/machine.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kKeyColumns = 17, kValueColumns = 83;

enum class Tone { kPlain, kGood, kBad };

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// 13000 as "13.0".
std::string cuda_version(int version) { return format_text("%d.%d", version / 1000, version % 1000 / 10); }

/// Keys on the left; values on the right, broken between words.
class Page {
 public:
  explicit Page(bool color) : color_(color) {}

  void heading(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + paint(text, "1") + "\n"; }
  /// @param key  Empty: the value goes on below the one before.
  void row(const std::string& key, const std::string& value, Tone tone = Tone::kPlain) {
    std::string shown = key;
    for (const std::string& line : broken(value)) {
      shown.resize(kKeyColumns - 2, ' ');
      const char* const code = tone == Tone::kGood ? "32" : tone == Tone::kBad ? "33" : "";
      text_.append("  ").append(paint(shown, "2")).append(paint(line, code)).append("\n");
      shown.clear();
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string paint(const std::string& text, const std::string& code) const {
    return color_ && !code.empty() ? "\x1b[" + code + "m" + text + "\x1b[0m" : text;
  }
  static std::vector<std::string> broken(const std::string& text) {
    std::vector<std::string> lines = {""};
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (!lines.back().empty() && lines.back().size() + 1 + word.size() > kValueColumns) lines.emplace_back();
      lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
    return lines;
  }

  bool color_;
  std::string text_;
};

void add_build(Page& page, const BuildInfo& build) {
  page.heading("fernwood " + build.version);
  page.row("build", build.type + " by " + build.compiler + " for " + build.processor);
  page.row("CUDA", build.toolkit.empty() ? "none: configure with -DFERNWOOD_CUDA=ON, which needs NVIDIA's CUDA toolkit"
                                         : "toolkit " + build.toolkit + "; code for " + join(build.gpu_code));
  for (const OptionalLibrary& library : build.libraries)
    page.row(&library == &build.libraries.front() ? "optional" : "",
             library.purpose +
                 (library.built_in ? ": built in" : ": missing; install " + library.package + " and build again"),
             library.built_in ? Tone::kPlain : Tone::kBad);
}

void add_processor(Page& page, const MachineReport& report) {
  page.heading("processor");
  page.row("name", (report.processor.empty() ? "unknown" : report.processor) + ", " + std::to_string(report.threads) +
                       (report.threads == 1 ? " thread" : " threads"));
  page.row("loops for", join(report.instruction_sets));
  page.row("memory", format_bytes(report.memory_bytes) + ", of which " + format_bytes(report.free_memory_bytes) +
                         " can be taken");
}

/// How a GPU runs this build's code, or why it does not.
std::string code_text(const GpuInfo& gpu, GpuCode code) {
  switch (code) {
    case GpuCode::kNative:
      return "usable";
    case GpuCode::kTranslated:
      return "usable; the driver translates PTX for it, which makes the first start slow";
    case GpuCode::kNone:
      break;
  }
  return format_text("not usable: this build has no code for it; configure with -DFERNWOOD_CUDA_ARCHITECTURES=%d%d",
                     gpu.capability_major, gpu.capability_minor);
}

void add_gpu(Page& page, const MachineReport& report, std::size_t index) {
  const GpuInfo& gpu = report.gpus.gpus[index];
  const std::optional<GpuMemory>& memory = report.gpu_memory[index];
  const GpuCode code = gpu_code_for(gpu.capability_major, gpu.capability_minor, report.build.gpu_code);
  page.row(to_string(Device{static_cast<int>(index)}),
           gpu.name +
               format_text(", capability %d.%d, %d multiprocessors, ", gpu.capability_major, gpu.capability_minor,
                           gpu.multiprocessors) +
               format_bytes(gpu.memory_bytes) + (memory ? ", " + format_bytes(memory->free_bytes) + " free" : ""));
  if (gpu.problem.empty())
    page.row("", code_text(gpu, code), code == GpuCode::kNone ? Tone::kBad : Tone::kGood);
  else
    page.row("", "not usable: it " + gpu.problem, Tone::kBad);
}

void add_gpus(Page& page, const MachineReport& report) {
  page.heading("GPUs");
  std::string driver = report.driver.empty() ? "" : report.driver + ", ";
  driver += report.gpus.driver_version > 0 ? "supports CUDA " + cuda_version(report.gpus.driver_version)
            : report.build.toolkit.empty() ? "not asked, as this build has no CUDA"
                                           : "none";
  page.row("driver", driver);
  for (std::size_t i = 0; i < report.gpus.gpus.size(); ++i) add_gpu(page, report, i);
  const DeviceChoice choice = automatic_device(report.gpus);
  page.row("--device auto", choice.device.is_cpu() ? "takes the CPU: " + choice.note
                                                   : "takes " + to_string(choice.device) + ", the first usable GPU");
}

void add_energy(Page& page, const MachineReport& report) {
  page.heading("energy counters");
  const auto row = [&](const char* key, const std::string& problem) {
    page.row(key, problem.empty() ? "readable" : "not readable: " + problem,
             problem.empty() ? Tone::kGood : Tone::kBad);
  };
  row("processor", report.cpu_energy_problem);
  row("GPUs", report.gpu_energy_problem);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json build_json(const BuildInfo& build) {
  Json json = {{"type", build.type},           {"compiler", build.compiler},
               {"processor", build.processor}, {"cuda_toolkit", text_or_null(build.toolkit)},
               {"gpu_code", build.gpu_code},   {"optional", Json::array()}};
  for (const OptionalLibrary& library : build.libraries)
    json["optional"].push_back(
        {{"purpose", library.purpose}, {"package", library.package}, {"built_in", library.built_in}});
  return json;
}

Json gpu_json(const MachineReport& report, std::size_t index) {
  const GpuInfo& gpu = report.gpus.gpus[index];
  const std::optional<GpuMemory>& memory = report.gpu_memory[index];
  return {{"device", to_string(Device{static_cast<int>(index)})},
          {"name", gpu.name},
          {"bus_id", gpu.bus_id},
          {"compute_capability", format_text("%d.%d", gpu.capability_major, gpu.capability_minor)},
          {"multiprocessors", gpu.multiprocessors},
          {"memory_bytes", gpu.memory_bytes},
          {"free_memory_bytes", memory ? Json(memory->free_bytes) : Json()},
          {"usable", gpu.problem.empty()},
          {"problem", text_or_null(gpu.problem)}};
}

}  // namespace

std::string machine_table(const MachineReport& report, bool color) {
  Page page(color);
  add_build(page, report.build);
  add_processor(page, report);
  add_gpus(page, report);
  add_energy(page, report);
  return page.text();
}

std::string machine_json(const MachineReport& report) {
  const DeviceChoice choice = automatic_device(report.gpus);
  const int supported = report.gpus.driver_version;
  Json json = {
      {"schema_version", 1},
      {"version", report.build.version},
      {"build", build_json(report.build)},
      {"processor",
       {{"name", text_or_null(report.processor)},
        {"threads", report.threads},
        {"instruction_sets", report.instruction_sets},
        {"memory_bytes", report.memory_bytes},
        {"free_memory_bytes", report.free_memory_bytes}}},
      {"driver",
       {{"version", text_or_null(report.driver)}, {"cuda", supported > 0 ? Json(cuda_version(supported)) : Json()}}},
      {"gpus", Json::array()},
      {"auto", {{"device", to_string(choice.device)}, {"note", text_or_null(choice.note)}}},
      {"energy",
       {{"processor_problem", text_or_null(report.cpu_energy_problem)},
        {"gpu_problem", text_or_null(report.gpu_energy_problem)}}}};
  for (std::size_t i = 0; i < report.gpus.gpus.size(); ++i) json["gpus"].push_back(gpu_json(report, i));
  return json.dump(2) + "\n";
}

}  // namespace fernwood
