// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/device.h"

#include <charconv>

#include "core/machine.h"
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

}  // namespace

std::string to_string(Device device) { return device.is_cpu() ? "cpu" : "cuda:" + std::to_string(device.gpu); }

std::vector<Device> available_devices() {
  std::vector<Device> devices = {Device{}};
  const GpuStatus status = gpu_status();
  for (std::size_t i = 0; i < status.gpus.size(); ++i)
    if (status.gpus[i].problem.empty()) devices.push_back({static_cast<int>(i)});
  return devices;
}

DeviceChoice automatic_device(const GpuStatus& status, int neighbour) {
  std::vector<int> usable;
  for (std::size_t i = 0; i < status.gpus.size(); ++i)
    if (status.gpus[i].problem.empty() && status.problem.empty()) usable.push_back(static_cast<int>(i));
  if (usable.empty()) return {{}, status.problem};
  return {{usable[static_cast<std::size_t>(neighbour) % usable.size()]}, ""};
}

DeviceChoice choose_device(const std::string& name, int neighbour) {
  if (name == "cpu") return {};
  const int wanted = gpu_of_name(name);
  FW_CHECK(name == "auto" || name == "cuda" || wanted >= 0, Usage,
           "there is no device \"" << name << "\"; give auto, cpu, cuda or cuda:N");
  const GpuStatus status = gpu_status();
  if (name == "auto") return automatic_device(status, neighbour);
  FW_CHECK(status.problem.empty(), Device, name << ": " << status.problem);
  if (name == "cuda") return automatic_device(status, neighbour);
  FW_CHECK(static_cast<std::size_t>(wanted) < status.gpus.size(), Device,
           name << ": this machine has " << status.gpus.size() << (status.gpus.size() == 1 ? " GPU" : " GPUs")
                << ", counted from cuda:0; fernwood doctor lists them");
  const GpuInfo& gpu = status.gpus[static_cast<std::size_t>(wanted)];
  FW_CHECK(gpu.problem.empty(), Device, name << " (" << gpu.name << ") " << gpu.problem);
  return {{wanted}, ""};
}

#if !FERNWOOD_HAS_CUDA

GpuStatus gpu_status() {
  GpuStatus status;
  status.problem = "this build has no CUDA; configure with -DFERNWOOD_CUDA=ON, or give --device cpu";
  return status;
}

GpuMemory gpu_memory(int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }
std::size_t fail_gpu_allocation(std::size_t) { return 0; }
double gpu_copy_bandwidth(int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }

#endif

}  // namespace fernwood
