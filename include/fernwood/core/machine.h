// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/device.h"

namespace fernwood {

/// A library that a build may have or lack.
struct OptionalLibrary {
  std::string purpose;  ///< What it is for, as in "importing .mat files".
  std::string package;  ///< Brings it on Debian and Ubuntu.
  bool built_in = false;
};

/// What only the build knows of itself.
struct BuildInfo {
  std::string version;              ///< Of fernwood.
  std::string plugin_version = {};  ///< That plug-ins must have: also tells what the headers say that they share.
  std::string plugin_folder = {};   ///< Where they are, from the folder of the program: "../lib/fernwood/plugins".
  std::string compiler;             ///< "GNU 12.2.0"
  std::string type;                 ///< "Release", "Debug" …
  std::string processor;            ///< "x86_64"
  std::string toolkit;              ///< Version of the CUDA compiler; empty: a build without CUDA.
  /// Machine code for GPUs, as "sm_90", and the PTX that newer ones translate for themselves, as "compute_90".
  std::vector<std::string> gpu_code;
  std::vector<OptionalLibrary> libraries;
};

const BuildInfo& build_info();

/// A process of a job.
struct RankPlace {
  std::string machine;  ///< Its name.
  int cores = 0;        ///< That the process may run on.
  std::string device;   ///< That it takes by itself: "cpu", "cuda:0" …
};

/// How GPUs of ranks add up what they count.
struct GpuSums {
  std::string by;               ///< "NCCL 2.28.9"; empty: through memory of their machines.
  std::string problem;          ///< Then: why.
  double bytes_per_second = 0;  ///< Of numbers that each GPU gets from all others together.
};

/// The processes that mpirun started together, and what it takes them to meet.
struct RanksReport {
  std::vector<RankPlace> ranks;      ///< [rank]
  double seconds_of_rendezvous = 0;  ///< Of an exchange of nothing.
  double bytes_per_second = 0;       ///< That each rank receives while all send to all; 0 for one rank.
  std::optional<GpuSums> gpus;       ///< Nothing where a rank takes no GPU, and for one rank.
};
/// All ranks must call it, and get the same places. Takes some tenths of a second.
RanksReport inspect_ranks(Communicator& ranks);

/// What fernwood finds where it runs: the build, the processor, GPUs and counters of energy.
struct MachineReport {
  BuildInfo build;
  std::string processor;                      ///< Its name; empty when the system does not say.
  int threads = 0;                            ///< That this process may use.
  std::vector<std::string> instruction_sets;  ///< With loops compiled for them, slowest first.
  std::size_t memory_bytes = 0, free_memory_bytes = 0;
  GpuStatus gpus;
  std::vector<std::optional<GpuMemory>> gpu_memory;    ///< [gpu]; nothing where it cannot be asked.
  std::string driver;                                  ///< Version of the NVIDIA driver; empty when unknown.
  std::string nccl;                                    ///< Version of NVIDIA's NCCL; empty in a build without CUDA, or:
  std::string nccl_problem;                            ///< Why it cannot be used.
  std::string cpu_energy_problem, gpu_energy_problem;  ///< As in EnergyMeter; empty: readable.
  RanksReport ranks;                                   ///< As inspect_ranks() gives them; else without any.
};

/// Where fernwood keeps what it can make again: the folder that the environment variable FERNWOOD_CACHE names, else
/// $XDG_CACHE_HOME/fernwood, else ~/.cache/fernwood; empty when there is none. It may not exist yet.
std::filesystem::path cache_folder();

/// Looks at this machine. On each usable GPU it takes, for a moment, the memory that CUDA itself needs.
MachineReport inspect_machine();

}  // namespace fernwood
