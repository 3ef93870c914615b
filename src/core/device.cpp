// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/device.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>
#include <string_view>

#include "core/machine.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace {

constexpr const char *kGpuPrefix = "cuda:", *kAllGpus = "cuda:all";

bool is_list(const std::string& name) { return name == kAllGpus || name.find(',') != std::string::npos; }

std::string unknown_device(const std::string& name) {
  return "there is no device \"" + name + "\"; use auto, cpu, cuda, cuda:N, or a list: cuda:0,1 or cuda:all";
}

/// The number of "cuda:N", or -1.
int gpu_of_name(const std::string& name) {
  int gpu = -1;
  const char* const end = name.data() + name.size();
  if (!name.starts_with(kGpuPrefix)) return -1;
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

std::vector<int> listed_gpus(const std::string& name, const GpuStatus& status) {
  std::vector<int> gpus;
  if (name != kAllGpus) {
    TextInput numbers(name.substr(std::string_view(kGpuPrefix).size()) + ",");  // the comma ends the last number
    for (std::string number; std::getline(numbers, number, ',');) {
      const int gpu = gpu_of_name(kGpuPrefix + number);
      FW_CHECK(gpu >= 0, Usage, unknown_device(name));
      FW_CHECK(std::ranges::find(gpus, gpu) == gpus.end(), Usage,
               name << " names GPU " << gpu << " twice; name it once");
      gpus.push_back(gpu);
    }
  }
  FW_CHECK(status.problem.empty(), Device, name << ": " << status.problem);
  for (const int gpu : gpus) {
    FW_CHECK(static_cast<std::size_t>(gpu) < status.gpus.size(), Device,
             name << ": this machine has " << status.gpus.size() << (status.gpus.size() == 1 ? " GPU" : " GPUs")
                  << ", counted from cuda:0; fernwood doctor lists them");
    const GpuInfo& info = status.gpus[static_cast<std::size_t>(gpu)];
    FW_CHECK(info.problem.empty(), Device, name << " (" << info.name << ") " << info.problem);
  }
  for (std::size_t i = 0; name == kAllGpus && i < status.gpus.size(); ++i)
    if (status.gpus[i].problem.empty()) gpus.push_back(static_cast<int>(i));
  return gpus;
}

int num_listed_devices(const std::string& name) {
  return is_list(name) ? static_cast<int>(listed_gpus(name, gpu_status()).size()) : 1;
}

DeviceChoice choose_device(const std::string& name, int neighbour, int neighbours) {
  if (name == "cpu") return {};
  FW_CHECK(name == "auto" || name == "cuda" || name.starts_with(kGpuPrefix), Usage, unknown_device(name));
  const GpuStatus status = gpu_status();
  if (name == "auto") return automatic_device(status, neighbour);
  if (name == "cuda") {
    FW_CHECK(status.problem.empty(), Device, name << ": " << status.problem);
    return automatic_device(status, neighbour);
  }
  const std::vector<int> gpus = listed_gpus(name, status);
  if (!is_list(name)) return {{gpus[0]}, ""};
  FW_CHECK(gpus.size() == static_cast<std::size_t>(neighbours), Usage,
           name << " lists " << gpus.size() << " GPUs for " << neighbours << (neighbours == 1 ? " worker" : " workers")
                << " of this machine; name one GPU, or as many as there are workers (train, predict and evaluate start "
                   "them by themselves)");
  return {{gpus[static_cast<std::size_t>(neighbour)]}, ""};
}

#if !FERNWOOD_HAS_CUDA

GpuStatus gpu_status() {
  GpuStatus status;
  status.problem = "this build has no CUDA; configure with -DFERNWOOD_CUDA=ON, or use " + named_option("device", "cpu");
  return status;
}

GpuMemory gpu_memory(int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }
std::size_t fail_gpu_allocation(std::size_t) { return 0; }
GpuSums measure_gpu_sums(Communicator&, int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }
double gpu_copy_bandwidth(int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }

#endif

DeviceMemory::DeviceMemory(Device device, std::size_t size_bytes)
    : device_(device),
      data_(device.is_cpu() ? ::operator new(size_bytes) : allocate_on_gpu(device.gpu, size_bytes)),
      size_bytes_(size_bytes) {}

DeviceMemory::~DeviceMemory() {
  if (device_.is_cpu())
    ::operator delete(data_);
  else
    free_on_gpu(data_);
}

void DeviceMemory::check_size(std::size_t size_bytes) const {
  FW_CHECK(size_bytes <= size_bytes_, Usage,
           size_bytes << " bytes are to be copied, and there is memory for " << size_bytes_ << "; take more");
}

void DeviceMemory::write(const void* host, std::size_t size_bytes) {
  check_size(size_bytes);
  if (size_bytes == 0) return;
  if (device_.is_cpu())
    std::memcpy(data_, host, size_bytes);
  else
    copy_and_wait(device_.gpu, host, data_, size_bytes);
}

void DeviceMemory::read(void* host, std::size_t size_bytes) const {
  check_size(size_bytes);
  if (size_bytes == 0) return;
  if (device_.is_cpu())
    std::memcpy(host, data_, size_bytes);
  else
    copy_and_wait(device_.gpu, data_, host, size_bytes);
}

DeviceStream::DeviceStream(Device device)
    : device_(device), stream_(device.is_cpu() ? nullptr : make_gpu_stream(device.gpu)) {}

DeviceStream::~DeviceStream() {
  if (!device_.is_cpu()) free_gpu_stream(stream_);
}

void DeviceStream::synchronize() const {
  if (!device_.is_cpu()) wait_for_gpu_stream(stream_);
}

#if !FERNWOOD_HAS_CUDA

void* allocate_on_gpu(int, std::size_t) { throw Error(ErrorKind::kDevice, gpu_status().problem); }
void free_on_gpu(void*) noexcept {}
void copy_and_wait(int, const void*, void*, std::size_t) {}
void* make_gpu_stream(int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }
void free_gpu_stream(void*) noexcept {}
void wait_for_gpu_stream(void*) {}

#endif

}  // namespace fernwood
