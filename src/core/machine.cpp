// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/machine.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "core/energy_counter.h"
#include "core/isa.h"
#include "core/machine.h"
#include "core/nccl.h"
#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace {

/// The 90 of "sm_90" when the prefix is "sm_"; -1 for other texts, and for "sm_90a", which later GPUs cannot run.
int capability_of(std::string_view code, std::string_view prefix) {
  int capability = -1;
  if (!code.starts_with(prefix)) return -1;
  const char* const end = code.data() + code.size();
  const auto [stop, error] = std::from_chars(code.data() + prefix.size(), end, capability);
  return error == std::errc() && stop == end ? capability : -1;
}

/// A failing driver is reported as a problem, not thrown.
GpuStatus status_or_problem() {
  try {
    return gpu_status();
  } catch (const Error& failure) {
    GpuStatus status;
    status.built = true;
    status.problem = failure.what();
    return status;
  }
}

std::optional<GpuMemory> memory_of(const GpuInfo& info, int gpu) {
  if (!info.problem.empty()) return {};
  try {
    return gpu_memory(gpu);
  } catch (const Error&) {
    return {};
  }
}

std::vector<Isa> detect_isas() {
  std::vector<Isa> found = {Isa::kBaseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    found.push_back(Isa::kAvx2);
  if (found.size() == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
    found.push_back(Isa::kAvx512);
#endif
  return found;
}

std::filesystem::path path_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

}  // namespace

const std::vector<Isa>& available_isas() {
  static const std::vector<Isa> isas = detect_isas();
  return isas;
}

std::string to_string(Isa isa) {
  constexpr std::array kNames = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<std::size_t>(isa)];
}

std::string to_string(Gather gather) { return gather == Gather::kGather ? "gather" : "scalar"; }

GpuCode gpu_code_for(int capability_major, int capability_minor, const std::vector<std::string>& code) {
  const int gpu = 10 * capability_major + capability_minor;
  GpuCode best = GpuCode::kNone;
  for (const std::string& item : code) {
    const int native = capability_of(item, "sm_"), ptx = capability_of(item, "compute_");
    if (native >= 0 && native / 10 == capability_major && native <= gpu) return GpuCode::kNative;
    if (ptx >= 0 && ptx <= gpu) best = GpuCode::kTranslated;
  }
  return best;
}

std::string device_name(Device device) {
  if (device.is_cpu()) return platform::processor_name();
  const GpuStatus status = status_or_problem();
  const auto index = static_cast<std::size_t>(device.gpu);
  return index < status.gpus.size() ? status.gpus[index].name : "";
}

MachineReport inspect_machine() {
  MachineReport report;
  report.build = build_info();
  report.processor = platform::processor_name();
  report.threads = ThreadPool().num_threads();
  for (const Isa isa : available_isas()) report.instruction_sets.push_back(to_string(isa));
  if (platform::has_dot_products()) report.instruction_sets.emplace_back("baseline with dot products");
  report.memory_bytes = platform::total_memory_bytes();
  report.free_memory_bytes = platform::available_memory_bytes();
  report.gpus = status_or_problem();
  for (const GpuInfo& info : report.gpus.gpus)
    report.gpu_memory.push_back(memory_of(info, static_cast<int>(report.gpu_memory.size())));
  const EnergySources sources;
  report.driver = NvmlSession(sources.nvml).driver_version();
  if (!report.build.toolkit.empty()) {
    const NcclLibrary nccl = NcclLibrary::find();
    report.nccl_problem = nccl.problem();
    if (report.nccl_problem.empty()) report.nccl = nccl.version_text();
  }
  const EnergyMeter meter(sources);
  report.cpu_energy_problem = meter.cpu_problem();
  report.gpu_energy_problem = meter.gpu_problem();
  return report;
}

std::filesystem::path user_folder(const char* variable, const char* within_home) {
  if (const auto named = path_in(variable); named.is_absolute()) return named;
  const auto home = path_in("HOME");
  return home.empty() ? home : home / within_home;
}

std::filesystem::path cache_folder() {
  if (const auto own = path_in("FERNWOOD_CACHE"); !own.empty()) return own;
  const auto caches = user_folder("XDG_CACHE_HOME", ".cache");
  return caches.empty() ? caches : caches / "fernwood";
}

std::vector<std::filesystem::path> part_folders(const std::string& kind) {
  std::vector<std::filesystem::path> folders;
  std::string variable = "FERNWOOD_";
  for (const char letter : kind) variable += static_cast<char>(letter - 'a' + 'A');
  if (auto named = path_in(variable.c_str()); !named.empty()) folders.push_back(std::move(named));
  if (const auto program = platform::own_program(); !program.empty())
    folders.push_back(program.parent_path() / build_info().parts_folder / kind);
  folders.push_back(platform::own_library().parent_path() / "fernwood" / kind);  // if the library is in lib/
  return folders;
}

namespace {

constexpr std::size_t kNameColumns = 15, kIndent = 2;

/// 13000 as "13.0".
std::string cuda_version(int version) { return format_text("%d.%d", version / 1000, version % 1000 / 10); }

constexpr const char *kGood = "32", *kBad = "33";

/// Sections of names and values; long values are wrapped between words.
class Sections {
 public:
  explicit Sections(bool color) : painter_{color} {}

  void heading(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + painter_.bold(text) + "\n"; }
  void row(std::string name, const std::string& value, const std::string& style = "") {
    for (const std::string& line : wrapped(value, kMaxColumns - kNameColumns - kIndent)) {
      text_ +=
          std::string(kIndent, ' ') + painter_.dim(padded(name, kNameColumns)) + painter_.paint(line, style) + "\n";
      name.clear();
    }
  }
  const std::string& text() const { return text_; }

 private:
  Painter painter_;
  std::string text_;
};

void add_build(Sections& out, const BuildInfo& build) {
  out.heading("fernwood " + build.version);
  out.row("build", build.type + " by " + build.compiler + " for " + build.processor);
  out.row("CUDA", build.toolkit.empty() ? "none: configure with -DFERNWOOD_CUDA=ON, which needs NVIDIA's CUDA toolkit"
                                        : "toolkit " + build.toolkit + "; code for " + join(build.gpu_code));
  for (const OptionalLibrary& library : build.libraries)
    out.row(&library == &build.libraries.front() ? "optional" : "",
            library.purpose +
                (library.built_in ? ": built in" : ": missing; install " + library.package + " and build again"),
            library.built_in ? "" : kBad);
}

void add_processor(Sections& out, const MachineReport& report, const ProcessorFacts& measured) {
  out.heading("processor");
  out.row("name", (report.processor.empty() ? "unknown" : report.processor) + ", " +
                      counted(static_cast<std::uint64_t>(report.threads), "thread"));
  out.row("loops for", join(report.instruction_sets));
  for (const auto& [name, value] : measured.rows) out.row(name, value);
  out.row("memory",
          format_bytes(report.memory_bytes) + ", of which " + format_bytes(report.free_memory_bytes) + " can be taken");
}

/// "1 2 3", or "none".
std::string list_of(const std::vector<int>& numbers) {
  return numbers.empty() ? "none" : join(numbers, " ", [](int number) { return std::to_string(number); });
}

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

void add_gpu(Sections& out, const MachineReport& report, std::size_t index) {
  const GpuInfo& gpu = report.gpus.gpus[index];
  const std::optional<GpuMemory>& memory = report.gpu_memory[index];
  const GpuCode code = gpu_code_for(gpu.capability_major, gpu.capability_minor, report.build.gpu_code);
  out.row(to_string(Device{static_cast<int>(index)}),
          gpu.name +
              format_text(", capability %d.%d, %d multiprocessors, ", gpu.capability_major, gpu.capability_minor,
                          gpu.multiprocessors) +
              format_bytes(gpu.memory_bytes) + (memory ? ", " + format_bytes(memory->free_bytes) + " free" : ""));
  if (gpu.problem.empty())
    out.row("", code_text(gpu, code), code == GpuCode::kNone ? kBad : kGood);
  else
    out.row("", "not usable: it " + gpu.problem.on_command_line(), kBad);
}

void add_links(Sections& out, const MachineReport& report) {
  const std::vector<GpuInfo>& gpus = report.gpus.gpus;
  if (!report.nccl.empty())
    out.row("NCCL", report.nccl + ": GPUs of ranks add up their counts by it", kGood);
  else if (!report.nccl_problem.empty())
    out.row("NCCL", "missing, so that ranks add up counts in the machine's memory: " + report.nccl_problem);
  if (gpus.size() < 2) return;
  const std::string links = join(
      gpus, ", ", [&](const GpuInfo& gpu) { return std::to_string(&gpu - gpus.data()) + " to " + list_of(gpu.peers); });
  out.row("links", "GPUs that read each other's memory: " + links);
}

void add_gpus(Sections& out, const MachineReport& report) {
  out.heading("GPUs");
  std::string driver = report.driver.empty() ? "" : report.driver + ", ";
  driver += report.gpus.driver_version > 0 ? "supports CUDA " + cuda_version(report.gpus.driver_version)
            : report.build.toolkit.empty() ? "not asked, as this build has no CUDA"
                                           : "none";
  out.row("driver", driver);
  for (std::size_t i = 0; i < report.gpus.gpus.size(); ++i) add_gpu(out, report, i);
  add_links(out, report);
  const DeviceChoice choice = automatic_device(report.gpus);
  out.row("--device auto", choice.device.is_cpu() ? "takes the CPU: " + choice.note.on_command_line()
                                                  : "takes " + to_string(choice.device) + ", the first usable GPU");
}

void add_energy(Sections& out, const MachineReport& report) {
  out.heading("energy counters");
  const auto row = [&](const char* key, const std::string& problem) {
    out.row(key, problem.empty() ? "readable" : "not readable: " + problem, problem.empty() ? kGood : kBad);
  };
  row("processor", report.cpu_energy_problem);
  row("GPUs", report.gpu_energy_problem);
}

void add_ranks(Sections& out, const RanksReport& report) {
  if (report.ranks.empty()) return;
  out.heading("ranks");
  for (std::size_t rank = 0; rank < report.ranks.size(); ++rank) {
    const RankPlace& place = report.ranks[rank];
    out.row(std::to_string(rank), place.machine + ", " + counted(static_cast<std::uint64_t>(place.cores), "core") +
                                      ", --device auto takes " + place.device);
  }
  out.row("exchange",
          format_text("%.0f microseconds for all to meet; each receives %s per second while all send to all",
                      1e6 * report.seconds_of_rendezvous,
                      format_bytes(static_cast<std::uint64_t>(report.bytes_per_second)).c_str()));
  if (!report.gpus) return;
  const GpuSums& sums = *report.gpus;
  if (sums.by.empty())
    out.row("GPUs", "add up counts through memory of the machines (" + sums.problem + ")");
  else
    out.row("GPUs",
            "add up counts by " + sums.by + "; each receives " +
                format_bytes(static_cast<std::uint64_t>(sums.bytes_per_second)) + " of them per second",
            kGood);
}

Json ranks_json(const RanksReport& report) {
  if (report.ranks.empty()) return nullptr;
  Json json = {{"places", Json::array()},
               {"seconds_of_meeting", report.seconds_of_rendezvous},
               {"bytes_per_second", report.bytes_per_second},
               {"gpus", nullptr}};
  if (report.gpus)
    json["gpus"] = {{"by", or_null(report.gpus->by)},
                    {"problem", or_null(report.gpus->problem)},
                    {"bytes_per_second", report.gpus->bytes_per_second}};
  for (const RankPlace& place : report.ranks)
    json["places"].push_back({{"machine", place.machine}, {"cores", place.cores}, {"device", place.device}});
  return json;
}

Json build_json(const BuildInfo& build) {
  Json json = {{"type", build.type},           {"compiler", build.compiler},
               {"processor", build.processor}, {"cuda_toolkit", or_null(build.toolkit)},
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
          {"peers", gpu.peers},
          {"usable", gpu.problem.empty()},
          {"problem", or_null(gpu.problem.on_command_line())}};
}

}  // namespace

std::string machine_table(const MachineReport& report, bool color, const ProcessorFacts& measured) {
  Sections out(color);
  add_build(out, report.build);
  add_processor(out, report, measured);
  add_gpus(out, report);
  add_energy(out, report);
  add_ranks(out, report.ranks);
  return out.text();
}

std::string machine_json(const MachineReport& report, const ProcessorFacts& measured) {
  Json processor = {
      {"name", or_null(report.processor)}, {"threads", report.threads}, {"instruction_sets", report.instruction_sets}};
  processor.update(Json::parse(measured.json));
  processor["memory_bytes"] = report.memory_bytes;
  processor["free_memory_bytes"] = report.free_memory_bytes;
  const DeviceChoice choice = automatic_device(report.gpus);
  const int supported = report.gpus.driver_version;
  Json json = {
      {"schema_version", 1},
      {"version", report.build.version},
      {"build", build_json(report.build)},
      {"ranks", ranks_json(report.ranks)},
      {"processor", processor},
      {"driver",
       {{"version", or_null(report.driver)}, {"cuda", supported > 0 ? Json(cuda_version(supported)) : Json()}}},
      {"gpus", Json::array()},
      {"nccl", {{"version", or_null(report.nccl)}, {"problem", or_null(report.nccl_problem)}}},
      {"auto", {{"device", to_string(choice.device)}, {"note", or_null(choice.note.on_command_line())}}},
      {"energy",
       {{"processor_problem", or_null(report.cpu_energy_problem)},
        {"gpu_problem", or_null(report.gpu_energy_problem)}}}};
  for (std::size_t i = 0; i < report.gpus.gpus.size(); ++i) json["gpus"].push_back(gpu_json(report, i));
  return dump(json);
}

}  // namespace fernwood
