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

/// One of several processes that work on one task, a rank each. What one rank calls, all must call, in the same order;
/// within a rank, one thread at a time.
/// A rank that leaves by an exception makes the others end: let the exception go to the end of the program, uncaught by
/// what the ranks do together.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const = 0;  ///< [0, size())
  virtual int size() const = 0;  ///< At least 1.

  /// Sends outgoing[r] to rank r, also to itself, of any length; returns what each rank sent here, by rank.
  /// @throws Error(kRuntime) for another number of messages than size(), and when the exchange fails.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> outgoing) = 0;
  /// Everyone's bytes, by rank, on every rank. Throws as exchange().
  virtual std::vector<Bytes> gather_all(const Bytes& mine) = 0;

  /// For who waits for others elsewhere than in exchange(): throws as that does when one of them is lost or has failed.
  virtual void check_all_there() {}

  /// What to do, on a thread of the communicator, when another rank is lost: stopped, or on a machine that is down.
  /// Ranks that are busy are not. Without it, exchange() throws. Threads of one process are never lost.
  /// @param call  Is given a sentence that names the rank.
  virtual void on_peer_lost(std::function<void(const std::string& sentence)> call) { static_cast<void>(call); }

  /// Tells rank 0 how far this rank is, without waiting for it. Rank 0 tells itself nothing.
  virtual void tell_progress(double progress) { static_cast<void>(progress); }
  /// On rank 0: what to do, on any thread but on one at a time, when others told how far they are. It must not throw.
  /// @param call  Is given what each rank told last, by rank; 0: nothing since. Empty: nobody listens from now on.
  virtual void when_told(std::function<void(std::span<const double> told)> call) { static_cast<void>(call); }

  /// Whether all ranks are in this process, as its threads or alone, so that what one throws reaches the others'
  /// caller.
  virtual bool is_one_process() const { return false; }

  /// Ends the other ranks at once, when this one cannot go on. Under mpirun it ends this one too, and mpirun returns
  /// the exit code; elsewhere it returns, and the caller ends by itself.
  virtual void abort(int exit_code) noexcept = 0;
};

/// The processes that mpirun, or another launcher of MPI, started together; else this one alone. Only then is MPI
/// loaded. Where it is, it ends with the communicator, so that a process can make one only.
/// @throws Error(kRuntime) when there is a launcher, but no plug-in for MPI, or it belongs to another MPI.
std::unique_ptr<Communicator> make_communicator();

/// This process alone, whoever started it.
std::unique_ptr<Communicator> make_lone_communicator();

/// [begin, end) of some numbered things.
struct Share {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// The part of `count` things that a rank of `size` gets when all get runs of equal length.
constexpr Share share_of(std::size_t count, std::size_t rank, std::size_t size) {
  return {rank * count / size, (rank + 1) * count / size};
}

/// The part of this rank. @param ranks  Null: there is one, which gets all.
inline Share block_share(std::size_t count, const Communicator* ranks) {
  if (!ranks) return {0, count};
  return share_of(count, static_cast<std::size_t>(ranks->rank()), static_cast<std::size_t>(ranks->size()));
}

/// Every `step`-th of some numbered things, from `first` on.
struct Deal {
  std::size_t first = 0, step = 1;
  std::size_t count_of(std::size_t all) const { return all > first ? (all - first + step - 1) / step : 0; }
  std::size_t number(std::size_t dealt) const { return first + dealt * step; }
  bool has(std::size_t number) const { return number >= first && (number - first) % step == 0; }
};

/// What this rank gets when things are dealt out in turn, so that neighbours, which are alike, go to different ranks.
/// @param ranks  Null: there is one, which gets all.
inline Deal strided_share(const Communicator* ranks) {
  if (!ranks) return {};
  return {static_cast<std::size_t>(ranks->rank()), static_cast<std::size_t>(ranks->size())};
}

/// What ranks send each other is read as it was written, so they must be of one program with the same options.
/// @param options  As text. @throws Error(kUsage) naming the first rank that differs from rank 0.
void check_alike(const std::string& options, Communicator& communicator);

/// The ranks that run on this rank's machine, and share it.
struct NodeLocalRanks {
  int rank = 0, count = 1;  ///< This one's place among them, from 0.
  int count_on_cores = 1;   ///< Those, this one included, that may run on cores of this one: a launcher may part them.
  int threads(int wanted) const;  ///< That this rank takes: those wanted, or its share where that is 0.
};
NodeLocalRanks find_node_local_ranks(Communicator& communicator);

/// Calls `body` on `size` threads of this process, which are ranks to each other: for tests, and to work on a task as
/// `size` processes would.
/// The first exception of a body ends all: the exchanges of the others throw, and it is rethrown here. A body that
/// returns while others wait for it makes their exchanges throw Error(kRuntime).
void run_as_ranks(int size, const std::function<void(Communicator&)>& body);

}  // namespace fernwood
