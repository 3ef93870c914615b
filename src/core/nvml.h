// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// NVIDIA's management library belongs to the driver and is loaded at run time, so that a program runs without it. Of
// its interface only what fernwood calls is declared here.

#include <string>

namespace fernwood {

struct NvmlFunctions {
  using Gpu = void*;
  static constexpr int kSuccess = 0;

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int code) = nullptr;
  int (*gpu_count)(unsigned* count) = nullptr;
  int (*gpu_by_index)(unsigned index, Gpu* gpu) = nullptr;
  int (*gpu_by_bus_id)(const char* bus_id, Gpu* gpu) = nullptr;
  int (*total_energy_mj)(Gpu gpu, unsigned long long* energy_mj) = nullptr;  ///< Since the driver was loaded.
  int (*driver_version)(char* text, unsigned size) = nullptr;
};

/// The library, opened for use until the session ends; or why it is not.
class NvmlSession {
 public:
  explicit NvmlSession(const std::string& library);
  explicit NvmlSession(const NvmlFunctions& functions);
  ~NvmlSession();
  NvmlSession(const NvmlSession&) = delete;
  NvmlSession& operator=(const NvmlSession&) = delete;

  const NvmlFunctions& functions() const { return functions_; }
  /// A sentence with the remedy; empty when the functions may be called.
  const std::string& problem() const { return problem_; }
  /// "580.65.06"; empty when unknown.
  std::string driver_version() const;

 private:
  void begin();

  NvmlFunctions functions_;
  std::string problem_;
};

}  // namespace fernwood
