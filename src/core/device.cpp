// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/device.h"

#include <algorithm>
#include <charconv>

#include "fernwood/core/error.h"

namespace fernwood {

namespace {

/// The number of "cuda:N", or -1.
int gpu_of_name(const std::string& name) {
  int gpu = -1;
  const char* const end = name.data() + name.size();
  if (!name.starts_with("cuda:")) return -1;
  const auto [stop, error] = std::from_chars(name.data() + 5, end, gpu);
  return error == std::errc() && stop == end ? gpu : -1;
}

int first_usable(const GpuStatus& status) {
  const auto found = std::ranges::find_if(status.gpus, [](const GpuInfo& gpu) { return gpu.problem.empty(); });
  return found == status.gpus.end() ? -1 : static_cast<int>(found - status.gpus.begin());
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

}  // namespace

std::string to_string(Device device) { return device.is_cpu() ? "cpu" : "cuda:" + std::to_string(device.gpu); }

std::vector<Device> available_devices() {
  std::vector<Device> devices = {Device{}};
  const GpuStatus status = gpu_status();
  for (std::size_t i = 0; i < status.gpus.size(); ++i)
    if (status.gpus[i].problem.empty()) devices.push_back({static_cast<int>(i)});
  return devices;
}

DeviceChoice choose_device(const std::string& name) {
  if (name == "cpu") return {};
  const bool any = name == "auto" || name == "cuda";
  const int wanted = gpu_of_name(name);
  FW_CHECK(any || wanted >= 0, Usage, "there is no device \"" << name << "\"; give auto, cpu, cuda or cuda:N");
  const GpuStatus status = gpu_status();
  if (name == "auto" && !status.problem.empty()) return {{}, status.problem};
  FW_CHECK(status.problem.empty(), Device, name << ": " << status.problem);
  if (any) return {{first_usable(status)}, ""};
  FW_CHECK(static_cast<std::size_t>(wanted) < status.gpus.size(), Device,
           name << ": this machine has " << status.gpus.size() << (status.gpus.size() == 1 ? " GPU" : " GPUs")
                << ", counted from cuda:0; fernwood doctor lists them");
  const GpuInfo& gpu = status.gpus[static_cast<std::size_t>(wanted)];
  FW_CHECK(gpu.problem.empty(), Device, name << " (" << gpu.name << ") " << gpu.problem);
  return {{wanted}, ""};
}

const std::vector<Isa>& available_isas() {
  static const std::vector<Isa> isas = detect_isas();
  return isas;
}

std::string to_string(Isa isa) {
  switch (isa) {
    case Isa::kBaseline:
      return "baseline";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
  }
  return "unknown";
}

#if !FERNWOOD_HAS_CUDA

GpuStatus gpu_status() {
  GpuStatus status;
  status.problem = "this build has no CUDA; configure with -DFERNWOOD_CUDA=ON, or give --device cpu";
  return status;
}

GpuMemory gpu_memory(int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }
double gpu_copy_bandwidth(int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }

#endif

}  // namespace fernwood
