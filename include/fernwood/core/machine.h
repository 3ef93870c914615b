// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/device.h"
#include "fernwood/core/platform.h"

namespace fernwood {

/// A library that a build may include.
struct OptionalLibrary {
  std::string purpose;  ///< For example "importing .mat files".
  std::string package;  ///< Its package on Debian and Ubuntu.
  bool built_in = false;
};

/// Facts about this build.
struct BuildInfo {
  std::string version;              ///< Version of fernwood.
  std::string plugin_version = {};  ///< Version that plug-ins must have; it also identifies the shared headers.
  std::string parts_folder = {};    ///< Relative to the folder of the program: "../lib/fernwood".
  std::string compiler;             ///< "GNU 12.2.0"
  std::string type;                 ///< "Release", "Debug" …
  std::string processor;            ///< "x86_64"
  std::string toolkit;              ///< Version of the CUDA compiler; empty: a build without CUDA.
  /// GPU architectures with machine code, as "sm_90", and PTX versions, compiled at run time for newer GPUs, as
  /// "compute_90".
  std::vector<std::string> gpu_code;
  std::vector<OptionalLibrary> libraries;
};

const BuildInfo& build_info();

/// Placement of a rank.
struct RankPlace {
  std::string machine;  ///< Name of its machine.
  int cores = 0;        ///< Number of cores on which the process may run.
  std::string device;   ///< Device that it uses by default: "cpu", "cuda:0" …
};

/// How the GPUs of the ranks sum their counts.
struct GpuSums {
  std::string by;               ///< The library, as "NCCL 2.28.9"; empty: through main memory.
  std::string problem;          ///< Why NCCL is not used, if `by` is empty.
  double bytes_per_second = 0;  ///< Bytes that each GPU receives from all others together.
};

/// The processes started together by mpirun, and the speed of their communication.
struct RanksReport {
  std::vector<RankPlace> ranks;      ///< [rank]
  double seconds_of_rendezvous = 0;  ///< Duration of an exchange of empty messages.
  double bytes_per_second = 0;       ///< Rate at which each rank receives while all send to all; 0 for one rank.
  std::optional<GpuSums> gpus;       ///< Empty if a rank has no GPU, and for one rank.
};
/// Inspects all ranks, which must all call it. Every rank receives the same places. Takes some tenths of a second.
RanksReport inspect_ranks(Communicator& ranks);

/// Report on the build, the processor, the GPUs and the energy counters of this machine.
struct MachineReport {
  BuildInfo build;
  std::string processor;                      ///< Name of the processor; empty if unknown.
  int threads = 0;                            ///< Number of threads that this process may use.
  std::vector<std::string> instruction_sets;  ///< Usable ones with loops compiled for them, slowest first.
  std::size_t memory_bytes = 0, free_memory_bytes = 0;
  GpuStatus gpus;
  std::vector<std::optional<GpuMemory>> gpu_memory;    ///< [gpu]; empty if it cannot be queried.
  std::string driver;                                  ///< Version of the NVIDIA driver; empty if unknown.
  std::string nccl;                                    ///< Version of NVIDIA's NCCL; empty: unusable or no CUDA build.
  std::string nccl_problem;                            ///< Why NCCL cannot be used.
  std::string cpu_energy_problem, gpu_energy_problem;  ///< As in EnergyMeter; empty: readable.
  RanksReport ranks;                                   ///< Result of inspect_ranks(), if called; otherwise no ranks.
};

/// A folder of the user by the XDG Base Directory Specification: the value of the environment variable, unless it is a
/// relative path, otherwise a folder within the home folder; empty if neither is defined. It may not exist yet.
std::filesystem::path user_folder(const char* variable, const char* within_home);

/// Folder for files that can be regenerated: the value of the environment variable FERNWOOD_CACHE, otherwise
/// $XDG_CACHE_HOME/fernwood, otherwise ~/.cache/fernwood; empty if none is defined. It may not exist yet.
std::filesystem::path cache_folder();

/// Folders of files that are installed beside the program or the library, in the order of the search: the one whose
/// full path FERNWOOD_<KIND> has (environment, capitals), that in BuildInfo::parts_folder, and that in fernwood/ beside
/// the library that contains this code. Any of them may not exist.
/// @param kind  "plugins", "backbones".
std::vector<std::filesystem::path> part_folders(const std::string& kind);

/// Inspects this machine. On each usable GPU it briefly occupies the memory that CUDA itself needs.
MachineReport inspect_machine();

/// What a program has measured on the processor, beyond a MachineReport.
struct ProcessorFacts {
  std::vector<std::pair<std::string, std::string>> rows = {};  ///< Names and values, for people.
  std::string json = "{}";                                     ///< An object, for programs.
};
/// Capabilities of this build and this machine, and missing ones, in lines of at most 100 columns.
std::string machine_table(const MachineReport& report, bool color, const ProcessorFacts& measured = {});
/// Keys: docs/reference/devices.md.
std::string machine_json(const MachineReport& report, const ProcessorFacts& measured = {});

/// Sources of energy counters.
struct EnergySources {
  std::filesystem::path powercap = platform::kEnergyFolder;  ///< Linux's tree of RAPL counters.
  std::string nvml = "libnvidia-ml.so.1";                    ///< Library of the NVIDIA driver.
  std::vector<std::string> gpus;                             ///< GPUs to measure, as GpuInfo::bus_id; empty: all.
};

/// Energy that the whole machine has used since the meter was created; counters per program do not exist.
/// - Processors: RAPL counters of the packages and, if available, of their memory. A counter wraps around after about
///   260 kJ; to detect this, read it at least every ten minutes.
/// - GPUs: NVML counters of whole boards. They advance about ten times a second: shorter work cannot be measured.
class EnergyMeter {
 public:
  explicit EnergyMeter(const EnergySources& sources = {});
  ~EnergyMeter();
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  /// Joules of all processors; empty if a counter could not be read.
  std::optional<double> cpu_joules();
  /// Joules of all GPUs; empty if a counter could not be read.
  std::optional<double> gpu_joules();

  /// Sentence that explains why no joules could be measured, with the remedy; empty if they can.
  const std::string& cpu_problem() const;
  const std::string& gpu_problem() const;

 private:
  struct Meters;
  std::unique_ptr<Meters> meters_;
};

}  // namespace fernwood
