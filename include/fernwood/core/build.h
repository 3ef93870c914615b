// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <vector>

namespace fernwood {

/// A library that a build may have or lack.
struct OptionalLibrary {
  std::string purpose;  ///< What it is for, as in "importing .mat files".
  std::string package;  ///< Brings it on Debian and Ubuntu.
  bool built_in = false;
};

/// What only the build knows of itself.
struct BuildInfo {
  std::string version;    ///< Of fernwood.
  std::string compiler;   ///< "GNU 12.2.0"
  std::string type;       ///< "Release", "Debug" …
  std::string processor;  ///< "x86_64"
  std::string toolkit;    ///< Version of the CUDA compiler; empty: a build without CUDA.
  /// Machine code for GPUs, as "sm_90", and the PTX that newer ones translate for themselves, as "compute_90".
  std::vector<std::string> gpu_code;
  std::vector<OptionalLibrary> libraries;
};

const BuildInfo& build_info();

/// How a GPU can run code of a list as in BuildInfo.
enum class GpuCode { kNone, kTranslated, kNative };

/// Machine code runs on GPUs of its own major version and no smaller minor one, PTX on every GPU that is not older.
/// @param code  As in BuildInfo; what is neither "sm_N" nor "compute_N" is not looked at.
GpuCode gpu_code_for(int capability_major, int capability_minor, const std::vector<std::string>& code);

}  // namespace fernwood
