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
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/platform.h"

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

}  // namespace fernwood
