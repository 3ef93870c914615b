// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/nvml.h"

#include <dlfcn.h>

#include <array>
#include <type_traits>

namespace fernwood {

namespace {

/// Fills the table from a library; returns the first name that is missing, or an empty text.
std::string find_functions(void* library, NvmlFunctions& functions) {
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (!function && missing.empty()) missing = name;
  };
  find(functions.init, "nvmlInit_v2");
  find(functions.shutdown, "nvmlShutdown");
  find(functions.error_string, "nvmlErrorString");
  find(functions.gpu_count, "nvmlDeviceGetCount_v2");
  find(functions.gpu_by_index, "nvmlDeviceGetHandleByIndex_v2");
  find(functions.gpu_by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  find(functions.total_energy_mj, "nvmlDeviceGetTotalEnergyConsumption");
  find(functions.driver_version, "nvmlSystemGetDriverVersion");
  return missing;
}

}  // namespace

NvmlSession::NvmlSession(const std::string& library) {
  // Never closed: the next session finds it loaded.
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    problem_ = library +
               " was not found; the NVIDIA driver brings it, and containers need the driver's capability \"utility\"";
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

}  // namespace fernwood
