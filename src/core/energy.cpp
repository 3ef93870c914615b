// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/machine.h"

#include <algorithm>
#include <array>

#include "core/energy_counter.h"
#include "core/shared_library.h"
#include "fernwood/core/file_stream.h"
#include "fernwood/core/platform.h"

namespace fernwood {

namespace {

namespace fs = std::filesystem;

/// The first word of a file; empty when it cannot be read.
template <typename Value>
std::optional<Value> first_word(const fs::path& path) {
  Value value{};
  InputFile file(path);
  if (file >> value) return value;
  return {};
}

/// Folders of counters that together cover everything once: a package includes its cores, "psys" includes all.
std::vector<fs::path> rapl_zones(const fs::path& powercap) {
  std::vector<fs::path> zones;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(powercap, ignored)) {
    const std::string name = first_word<std::string>(entry.path() / "name").value_or("");
    if (entry.path().filename().string().starts_with("intel-rapl:") && (name.starts_with("package") || name == "dram"))
      zones.push_back(entry.path());
  }
  std::sort(zones.begin(), zones.end());
  return zones;
}

std::string nvml_problem(const NvmlSession& session, const std::string& gpu, int code) {
  return gpu + " does not report its energy to NVML (" + session.functions().error_string(code) +
         "); GPUs from Volta on do, where they are not divided into instances (MIG)";
}

/// Fills the table from a library; returns the first missing name, or an empty string.
std::string find_functions(void* library, NvmlFunctions& functions) {
  FunctionTable table(library);
  table.find(functions.init, "nvmlInit_v2");
  table.find(functions.shutdown, "nvmlShutdown");
  table.find(functions.error_string, "nvmlErrorString");
  table.find(functions.gpu_count, "nvmlDeviceGetCount_v2");
  table.find(functions.gpu_by_index, "nvmlDeviceGetHandleByIndex_v2");
  table.find(functions.gpu_by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  table.find(functions.total_energy_mj, "nvmlDeviceGetTotalEnergyConsumption");
  table.find(functions.driver_version, "nvmlSystemGetDriverVersion");
  return table.missing();
}

}  // namespace

NvmlSession::NvmlSession(const std::string& library) {
  // Never closed: the next session finds it loaded.
  void* const handle = platform::open_library(library);
  if (!handle) {
    problem_ = library +
               " was not found; the NVIDIA driver contains it, and containers need the driver's capability \"utility\"";
    return;
  }
  const std::string missing = find_functions(handle, functions_);
  if (missing.empty())
    begin();
  else
    problem_ = library + " has no " + missing + "; install a newer NVIDIA driver";
}

NvmlSession::NvmlSession(const NvmlFunctions& functions) : functions_(functions) { begin(); }

void NvmlSession::begin() {
  const int code = functions_.init();
  if (code != NvmlFunctions::kSuccess)
    problem_ =
        std::string("the NVIDIA driver does not answer NVML (") + functions_.error_string(code) + "); see nvidia-smi";
}

NvmlSession::~NvmlSession() {
  if (problem_.empty()) functions_.shutdown();
}

std::string NvmlSession::driver_version() const {
  std::array<char, 96> text{};
  if (!problem_.empty() || functions_.driver_version(text.data(), text.size()) != NvmlFunctions::kSuccess) return "";
  return text.data();
}

EnergyCounters rapl_counters(const fs::path& powercap) {
  EnergyCounters found;
  const std::vector<fs::path> zones = rapl_zones(powercap);
  if (zones.empty())
    found.problem = (powercap / "intel-rapl:*").string() +
                    " is missing: the processor counts no energy, a virtual machine or container hides it, or the "
                    "kernel module is not loaded; on the machine itself, try sudo modprobe intel_rapl_msr";
  for (const fs::path& zone : zones) {
    const fs::path file = zone / "energy_uj";
    const std::uint64_t range = first_word<std::uint64_t>(zone / "max_energy_range_uj").value_or(0);
    if (!first_word<std::uint64_t>(file)) {
      found.problem = file.string() +
                      " may not be read; run as root, or allow it until the next start: sudo chmod a+r " +
                      (powercap / "intel-rapl:*" / "energy_uj").string();
      break;
    }
    found.counters.push_back({[file] { return first_word<std::uint64_t>(file); }, 1e-6, range});
  }
  return found;
}

EnergyCounters nvml_counters(const NvmlSession& session, const std::vector<std::string>& gpus) {
  EnergyCounters found;
  found.problem = session.problem();
  if (!found.problem.empty()) return found;
  const NvmlFunctions& nvml = session.functions();
  unsigned count = static_cast<unsigned>(gpus.size());
  if (gpus.empty() && nvml.gpu_count(&count) != NvmlFunctions::kSuccess) count = 0;
  if (count == 0) found.problem = "NVML finds no GPU; see nvidia-smi";
  for (unsigned i = 0; i < count && found.problem.empty(); ++i) {
    NvmlFunctions::Gpu gpu = nullptr;
    unsigned long long energy_mj = 0;
    int code = gpus.empty() ? nvml.gpu_by_index(i, &gpu) : nvml.gpu_by_bus_id(gpus[i].c_str(), &gpu);
    if (code == NvmlFunctions::kSuccess) code = nvml.total_energy_mj(gpu, &energy_mj);
    if (code != NvmlFunctions::kSuccess)
      found.problem = nvml_problem(session, gpus.empty() ? "GPU " + std::to_string(i) : "GPU " + gpus[i], code);
    const auto read = [total_energy_mj = nvml.total_energy_mj, gpu]() -> std::optional<std::uint64_t> {
      unsigned long long now_mj = 0;
      if (total_energy_mj(gpu, &now_mj) != NvmlFunctions::kSuccess) return {};
      return now_mj;
    };
    found.counters.push_back({read, 1e-3, 0});
  }
  return found;
}

EnergySum::EnergySum(EnergyCounters counters) : counters_(std::move(counters)) {
  for (const EnergyCounter& counter : counters_.counters) {
    const std::optional<std::uint64_t> now = counter.read();
    last_.push_back(now.value_or(0));
    if (!now && counters_.problem.empty()) counters_.problem = "an energy counter could not be read; try again";
  }
}

std::optional<double> EnergySum::joules() {
  if (!counters_.problem.empty()) return {};
  for (std::size_t i = 0; i < last_.size(); ++i) {
    const EnergyCounter& counter = counters_.counters[i];
    const std::optional<std::uint64_t> now = counter.read();
    if (!now) {
      counters_.problem = "an energy counter could no longer be read; measure again";
      return {};
    }
    // Unsigned: adding the range once makes a wrapped difference correct.
    const std::uint64_t steps = *now - last_[i] + (*now < last_[i] ? counter.range : 0);
    joules_ += static_cast<double>(steps) * counter.joules_per_step;
    last_[i] = *now;
  }
  return joules_;
}

struct EnergyMeter::Meters {
  explicit Meters(const EnergySources& sources)
      : nvml(sources.nvml), cpu(rapl_counters(sources.powercap)), gpu(nvml_counters(nvml, sources.gpus)) {}

  NvmlSession nvml;
  EnergySum cpu, gpu;
};

EnergyMeter::EnergyMeter(const EnergySources& sources) : meters_(std::make_unique<Meters>(sources)) {}
EnergyMeter::~EnergyMeter() = default;

std::optional<double> EnergyMeter::cpu_joules() { return meters_->cpu.joules(); }
std::optional<double> EnergyMeter::gpu_joules() { return meters_->gpu.joules(); }
const std::string& EnergyMeter::cpu_problem() const { return meters_->cpu.problem(); }
const std::string& EnergyMeter::gpu_problem() const { return meters_->gpu.problem(); }

}  // namespace fernwood
