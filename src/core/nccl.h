// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "fernwood/core/communicator.h"

namespace fernwood {

/// NVIDIA's NCCL, by which GPUs exchange numbers, is loaded at run time, so that a program runs without it. Only the
/// part of its interface (nccl.h, from 2.14 on) that fernwood uses is declared here.
struct NcclFunctions {
  using Result = int;
  static constexpr Result kSuccess = 0, kInProgress = 7;
  static constexpr int kUint32 = 3, kSum = 0;
  /// Identifier shared by the ranks of a communicator.
  struct Id {
    std::array<char, 128> bytes{};
  };
  /// As of 2.14, the first version that has it; later versions fill in the fields added since.
  struct Config {
    std::size_t size = sizeof(Config);
    unsigned magic = 0xcafebeef, version = 21400;
    int is_blocking = 0;
    int undefined = std::numeric_limits<int>::min();
  };
  using Rank = struct Opaque*;  ///< A rank's handle of a communicator.

  Result (*get_version)(int* version) = nullptr;
  Result (*get_unique_id)(Id* id) = nullptr;
  Result (*init_rank)(Rank* made, int num_ranks, Id id, int rank, Config* config) = nullptr;
  Result (*get_async_error)(Rank, Result* state) = nullptr;
  Result (*reduce_scatter)(const void* sent, void* received, std::size_t count, int type, int operation, Rank,
                           void* stream) = nullptr;
  Result (*finalize)(Rank) = nullptr;
  Result (*destroy)(Rank) = nullptr;
  Result (*abort)(Rank) = nullptr;
  const char* (*error_string)(Result) = nullptr;
  const char* (*last_error)(Rank) = nullptr;
};

/// The library, or the reason why it is not available.
class NcclLibrary {
 public:
  /// Loads the file that FERNWOOD_NCCL names, or "libnccl.so.2", searched for by the system's loader; "none" disables
  /// NCCL.
  static NcclLibrary find();
  explicit NcclLibrary(const std::string& file);
  explicit NcclLibrary(const NcclFunctions& functions);

  /// A sentence with the remedy; empty when the functions may be called.
  const std::string& problem() const { return problem_; }
  const NcclFunctions& functions() const { return functions_; }
  int version() const { return version_; }  ///< 10000 * major + 100 * minor + patch.
  std::string version_text() const;         ///< "2.28.9"

 private:
  void ask_version();

  NcclFunctions functions_;
  std::string problem_;
  int version_ = 0;
};

/// Why NCCL cannot connect the GPUs of the ranks, as far as that is known before the rendezvous; empty: no reason is
/// known. All ranks must call it, and get the same result. @param bus_id  PCI bus id of this rank's GPU.
std::string link_unsupported(const NcclLibrary& library, const std::string& bus_id, Communicator& ranks);

/// A rank's handle of an NCCL communicator: sums whole numbers in the memory of the ranks' GPUs. No call waits for
/// others forever: if a rank fails or does not arrive, all of them throw, or continue without NCCL.
class NcclRank {
 public:
  struct Rendezvous {
    std::unique_ptr<NcclRank> rank;  ///< Null on all ranks or on none.
    std::string problem;             ///< The reason, the same on all ranks.
  };
  static constexpr std::chrono::seconds kTimeout{10};

  /// Connects the GPUs in use by the ranks' threads. All ranks must call it.
  /// @param bus_id   PCI bus id of this rank's GPU.
  /// @param timeout  Time limit for the GPUs to connect.
  /// @throws Error as the communicator does.
  static Rendezvous meet(const NcclLibrary& library, const std::string& bus_id, Communicator& ranks,
                         std::chrono::milliseconds timeout = kTimeout);
  ~NcclRank();  ///< Waits for pending operations, up to the timeout, unless an exception is being handled.
  NcclRank(const NcclRank&) = delete;
  NcclRank& operator=(const NcclRank&) = delete;

  /// Each rank receives the sums of its block over all ranks, in place, in the order of a stream. Returns when they
  /// have arrived; after an exception, no further results arrive and the stream continues without them.
  /// @param blocks   In GPU memory: [rank][block_size]. @param stream  A cudaStream_t.
  /// @param arrived  Whether the stream's work is done; polled.
  /// @throws Error(kRuntime) when NCCL fails or a rank is lost.
  void reduce_scatter(std::uint32_t* blocks, std::size_t block_size, void* stream,
                      const std::function<bool()>& arrived);

 private:
  NcclRank(const NcclFunctions& nccl, Communicator& ranks, std::chrono::milliseconds timeout)
      : nccl_(nccl), ranks_(ranks), timeout_(timeout) {}
  NcclFunctions::Result connect(const NcclFunctions::Id& id);
  NcclFunctions::Result settle(NcclFunctions::Result result);
  void queue_sums(std::uint32_t* blocks, std::size_t block_size, void* stream);
  void check();
  void abort() noexcept;
  std::string describe(NcclFunctions::Result result) const;

  const NcclFunctions nccl_;
  Communicator& ranks_;
  const std::chrono::milliseconds timeout_;
  NcclFunctions::Rank rank_ = nullptr;
};

}  // namespace fernwood
