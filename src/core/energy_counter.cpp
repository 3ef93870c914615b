// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/energy_counter.h"

#include <algorithm>
#include <fstream>

namespace fernwood {

namespace {

namespace fs = std::filesystem;

/// The first word of a file; a default value when it cannot be read.
template <typename Value>
std::optional<Value> first_word(const fs::path& path) {
  Value value{};
  std::ifstream file(path);
  if (file >> value) return value;
  return {};
}

/// Folders of the counters that together are all, and none twice: a package holds its cores, "psys" holds everything.
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
  return gpu + " tells NVML no energy (" + session.functions().error_string(code) +
         "); GPUs from Volta on do, where they are not divided into instances (MIG)";
}

}  // namespace

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
  if (count == 0) found.problem = "NVML knows no GPU; see nvidia-smi";
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

}  // namespace fernwood
