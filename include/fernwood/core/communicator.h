// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fernwood {

using Bytes = std::vector<std::uint8_t>;

/// Communication between the processes (ranks) that work on one task. All ranks must make the same calls in the same
/// order, each from one thread at a time.
/// An exception in one rank ends the others: it must propagate out of the joint work uncaught, to the end of the
/// program.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const = 0;  ///< [0, size())
  virtual int size() const = 0;  ///< Number of ranks, at least 1.

  /// Sends the message outgoing[r], of any length, to each rank r, including this one.
  /// @return  [rank] Messages received.
  /// @throws Error(kRuntime) if the number of messages is not size(), and if the exchange fails.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> outgoing) = 0;
  /// Collects the bytes of all ranks on every rank. @return  [rank] @throws Error as exchange().
  virtual std::vector<Bytes> gather_all(const Bytes& mine) = 0;

  /// For code that waits for other ranks outside exchange(): throws as exchange() if a rank is lost or has failed.
  virtual void check_all_there() {}

  /// Sets a function to be called, on a thread of the communicator, when another rank is lost: its process was stopped
  /// or its machine is down. A busy rank is not lost. Without the function, exchange() throws. Threads of one process
  /// are never lost.
  /// @param call  Receives a sentence that names the rank.
  virtual void on_peer_lost(std::function<void(const std::string& sentence)> call) { static_cast<void>(call); }

  /// Reports the progress of this rank to rank 0, without waiting for it. For ranks other than 0.
  virtual void tell_progress(double progress) { static_cast<void>(progress); }
  /// On rank 0: sets a function to be called when other ranks have reported their progress; from any thread, but one at
  /// a time. It must not throw.
  /// @param call  Receives the last report of each rank, by rank; 0: none since this call. Empty: stops the calls.
  virtual void when_told(std::function<void(std::span<const double> told)> call) { static_cast<void>(call); }

  /// Whether all ranks belong to this process (threads, or a single rank), so that an exception of one rank reaches the
  /// caller of all.
  virtual bool is_one_process() const { return false; }

  /// Ends the other ranks immediately, when this one cannot continue. Under mpirun it also ends this one, and mpirun
  /// returns the exit code; otherwise the function returns, and the caller must end by itself.
  virtual void abort(int exit_code) noexcept = 0;
};

/// Communicator of the processes started together by mpirun or another launcher of MPI; without a launcher, of this
/// process only. MPI is loaded only if there is a launcher, and is finalized with the communicator, so that a process
/// can create only one.
/// @throws Error(kRuntime) if there is a launcher but no MPI plug-in, or the plug-in belongs to another MPI.
std::unique_ptr<Communicator> make_communicator();

/// Communicator of this process only, even under a launcher.
std::unique_ptr<Communicator> make_lone_communicator();

/// The items [begin, end) of a numbered sequence.
struct Share {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// Block partition: the part of `count` items for one of `size` ranks, when all get contiguous runs of equal length
/// (within 1).
constexpr Share share_of(std::size_t count, std::size_t rank, std::size_t size) {
  return {rank * count / size, (rank + 1) * count / size};
}

/// Part of this rank in a block partition. @param ranks  Null: a single rank, which gets all items.
inline Share block_share(std::size_t count, const Communicator* ranks) {
  if (!ranks) return {0, count};
  return share_of(count, static_cast<std::size_t>(ranks->rank()), static_cast<std::size_t>(ranks->size()));
}

/// Every `step`-th item of a numbered sequence, from `first`.
struct Deal {
  std::size_t first = 0, step = 1;
  std::size_t count_of(std::size_t all) const { return all > first ? (all - first + step - 1) / step : 0; }
  std::size_t number(std::size_t dealt) const { return first + dealt * step; }
  bool has(std::size_t number) const { return number >= first && (number - first) % step == 0; }
};

/// Part of this rank in a strided partition, which sends neighbouring, similar items to different ranks.
/// @param ranks  Null: a single rank, which gets all items.
inline Deal strided_share(const Communicator* ranks) {
  if (!ranks) return {};
  return {static_cast<std::size_t>(ranks->rank()), static_cast<std::size_t>(ranks->size())};
}

/// Checks that all ranks run the same version of the program with the same options, because messages are read without
/// conversion.
/// @param options  All options as text. @throws Error(kUsage) naming the first rank that differs from rank 0.
void check_alike(const std::string& options, Communicator& communicator);

/// The node-local ranks: those on this rank's machine.
struct NodeLocalRanks {
  int rank = 0, count = 1;        ///< Index of this rank among them, from 0, and their number.
  int count_on_cores = 1;         ///< Ranks that share cores with this one, itself included; launchers may bind ranks.
  int threads(int wanted) const;  ///< Threads for this rank: `wanted`; if that is 0, its share (0: all) of its cores.
};
NodeLocalRanks find_node_local_ranks(Communicator& communicator);

/// Calls `body` on `size` threads of this process, each of which is a rank: for tests, and to work on a task as `size`
/// processes would. The first exception of a body ends all ranks: exchanges of the others throw, and the exception is
/// rethrown here. If a body returns while other ranks wait for it, their exchanges throw Error(kRuntime).
void run_as_ranks(int size, const std::function<void(Communicator&)>& body);

}  // namespace fernwood
