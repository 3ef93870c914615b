// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/communicator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>

#include "core/machine.h"
#include "core/messages.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/plugin.h"
#include "fernwood/core/progress.h"

namespace fernwood {

namespace {

class SingleProcess : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    check_one_for_each_rank(outgoing, 1);
    return outgoing;
  }
  std::vector<Bytes> gather_all(const Bytes& mine) override { return {mine}; }
  bool is_one_process() const override { return true; }
  void abort(int) noexcept override {}
};

/// What a launcher's environment variables state about the processes that it starts.
struct Launch {
  const char* variable = nullptr;  ///< Null: not started by a launcher.
  int min_size = 1;                ///< Lower bound of the number of processes.
};

/// Open MPI and MPICH set the number of processes; PMIx, as with Slurm, sets only the rank of this one.
Launch find_launch() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* size = std::getenv(variable)) return {variable, std::atoi(size)};
  if (const char* rank = std::getenv("PMIX_RANK")) return {"PMIX_RANK", std::atoi(rank) + 1};
  return {};
}

/// Exchanges messages between threads. One barrier per exchange suffices, because two sets of messages alternate: a
/// rank that posts for exchange n + 2 has seen all ranks arrive at n + 1, and each of them arrived there after it had
/// read its messages of n.
class Rendezvous {
 public:
  explicit Rendezvous(int size)
      : size_(size),
        posted_{Posted(static_cast<std::size_t>(size)), Posted(static_cast<std::size_t>(size))},
        times_asleep_(static_cast<std::size_t>(size)),
        told_(static_cast<std::size_t>(size)) {}

  int size() const { return size_; }

  std::vector<Bytes> exchange(std::size_t rank, std::vector<Bytes> outgoing) {
    Posted& posted = posted_[state_.load().num_met % 2];  // stays the same until this rank arrives
    posted[rank] = std::move(outgoing);
    wait_for_all(rank);
    std::vector<Bytes> incoming;
    incoming.reserve(posted.size());
    for (std::vector<Bytes>& from : posted) incoming.push_back(std::move(from[rank]));
    return incoming;
  }

  /// Marks a rank as gone for good: because of `failure`, or because it is done.
  void leave(const std::string& how, std::exception_ptr failure = nullptr) {
    const std::scoped_lock lock(mutex_);
    if (left_.empty()) left_ = how;
    if (!failure_) failure_ = failure;
    State now = state_.load();
    while (!state_.compare_exchange_weak(now, {now.num_met, kLeft})) {
    }
    changed_.notify_all();
  }

  std::exception_ptr failure() const { return failure_; }

  void tell_progress(std::size_t rank, double progress) {
    const std::scoped_lock lock(progress_mutex_);
    told_[rank] = progress;
    if (when_told_) when_told_(told_);
  }
  void when_told(std::function<void(std::span<const double>)> call) {
    const std::scoped_lock lock(progress_mutex_);
    std::ranges::fill(told_, 0.0);
    when_told_ = std::move(call);
  }

  void check_all_there() { check_nobody_left(state_.load()); }

 private:
  using Posted = std::vector<std::vector<Bytes>>;  // [from][to]
  struct alignas(std::uint64_t) State {            // aligned, or clang calls a library for atomic access
    std::uint32_t num_met;                         // completed barriers
    std::int32_t num_here;                         // ranks that have arrived at the next one
  };
  static constexpr std::int32_t kLeft = -1;  // in num_here: a rank has left, so the barrier will never complete
  using Clock = std::chrono::steady_clock;
  /// A rank spins before it sleeps, for about as long as waking it up would take.
  static constexpr std::chrono::microseconds kWakeful{50};
  /// On a contended core, a rank that yields gets the core back only after milliseconds, but soon after a sleep: it
  /// then sleeps at once, this many times in a row.
  static constexpr int kTimesAsleep = 200;

  void wait_for_all(std::size_t rank) {
    const State found = arrive();
    if (found.num_here + 1 == size_) {
      { const std::scoped_lock lock(mutex_); }  // a rank that saw no reason to wake up is asleep by now
      return changed_.notify_all();
    }
    const auto is_over = [&] {
      const State now = state_.load();
      return now.num_met != found.num_met || now.num_here == kLeft;
    };
    if (times_asleep_[rank] == 0)
      look_awake(rank, is_over);
    else
      --times_asleep_[rank];
    if (!is_over()) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, is_over);
    }
    const State now = state_.load();
    if (now.num_met == found.num_met) check_nobody_left(now);
  }

  template <typename IsOver>
  void look_awake(std::size_t rank, const IsOver& is_over) {
    const Clock::time_point start = Clock::now();
    while (!is_over() && Clock::now() - start < kWakeful) std::this_thread::yield();
    if (Clock::now() - start > 10 * kWakeful) times_asleep_[rank] = kTimesAsleep;
  }

  /// Counts a rank in. @return  The state before.
  State arrive() {
    for (State now = state_.load();;) {
      check_nobody_left(now);
      const bool is_last = now.num_here + 1 == size_;
      if (state_.compare_exchange_weak(now, is_last ? State{now.num_met + 1, 0} : State{now.num_met, now.num_here + 1}))
        return now;
    }
  }

  void check_nobody_left(State now) {
    if (now.num_here != kLeft) return;
    const std::scoped_lock lock(mutex_);
    throw Error(ErrorKind::kRuntime, "exchange: " + left_ + ", so that the other ranks cannot go on");
  }

  const int size_;
  std::array<Posted, 2> posted_;
  std::atomic<State> state_ = State{};
  std::vector<int> times_asleep_;  // [rank] remaining immediate sleeps; each rank accesses only its own
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string left_;  // how the first rank left
  std::exception_ptr failure_;
  std::mutex progress_mutex_;
  std::vector<double> told_;  // [rank]
  std::function<void(std::span<const double>)> when_told_;
};

class LocalRank : public Communicator {
 public:
  LocalRank(Rendezvous& rendezvous, int rank) : rendezvous_(rendezvous), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return rendezvous_.size(); }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    check_one_for_each_rank(outgoing, size());
    return rendezvous_.exchange(static_cast<std::size_t>(rank_), std::move(outgoing));
  }
  std::vector<Bytes> gather_all(const Bytes& mine) override {
    return exchange(std::vector<Bytes>(static_cast<std::size_t>(size()), mine));
  }
  void check_all_there() override { rendezvous_.check_all_there(); }
  void tell_progress(double progress) override { rendezvous_.tell_progress(static_cast<std::size_t>(rank_), progress); }
  void when_told(std::function<void(std::span<const double>)> call) override { rendezvous_.when_told(std::move(call)); }
  bool is_one_process() const override { return true; }
  void abort(int exit_code) noexcept override {
    rendezvous_.leave(name() + " gave up with exit code " + std::to_string(exit_code));
  }

  void run(const std::function<void(Communicator&)>& body) {
    try {
      body(*this);
      rendezvous_.leave(name() + " is done");
    } catch (...) {
      rendezvous_.leave(name() + " failed", std::current_exception());
    }
  }

 private:
  std::string name() const { return "rank " + std::to_string(rank_); }

  Rendezvous& rendezvous_;
  const int rank_;
};

}  // namespace

std::unique_ptr<Communicator> make_communicator(std::size_t max_piece_bytes) {
  const Launch launch = find_launch();
  if (launch.variable == nullptr) return std::make_unique<SingleProcess>();
  MakeMpiCommunicator* const make = find_plugin<MakeMpiCommunicator>("mpi", "fernwood_make_communicator");
  FW_CHECK(make != nullptr, Runtime,
           "mpirun started this program (" << launch.variable << " is set), but this fernwood has no MPI; install "
                                           << "libopenmpi-dev and build with FERNWOOD_MPI=ON, or start it without "
                                           << "mpirun");
  std::unique_ptr<Communicator> communicator(make(max_piece_bytes));
  // Otherwise each process would do the whole task by itself.
  FW_CHECK(communicator->size() >= launch.min_size, Runtime,
           "mpirun started at least " << launch.min_size << " processes (" << launch.variable << "), but MPI knows of "
                                      << communicator->size()
                                      << "; start them with the mpirun of the MPI that fernwood "
                                      << "was built with");
  return communicator;
}

void check_alike(const std::string& options, Communicator& communicator) {
  Bytes mine;
  Packer packer(mine);
  packer.put(build_info().plugin_version);
  packer.put(options);
  const std::vector<Bytes> told = communicator.gather_all(mine);
  const auto differs = [&](const Bytes& bytes) { return bytes != told[0]; };
  const auto other = std::ranges::find_if(told, differs);
  if (other == told.end()) return;
  const auto text_of = [](const Bytes& bytes) {
    Unpacker unpacker(bytes);
    const auto build = unpacker.get<std::string>();
    return "fernwood " + build + " with " + unpacker.get<std::string>();
  };
  throw Error(ErrorKind::kUsage, "rank " + std::to_string(other - told.begin()) + " runs " + text_of(*other) +
                                     ", and rank 0 runs " + text_of(told[0]) +
                                     "; start all with the same program and options");
}

int NodeLocalRanks::threads(int wanted) const {
  return wanted > 0 || count_on_cores == 1 ? wanted : std::max(1, ThreadPool().num_threads() / count_on_cores);
}

NodeLocalRanks find_node_local_ranks(Communicator& communicator) {
  const std::string machine = platform::machine_name();
  const std::vector<int> cores = platform::usable_cores();
  Bytes mine;
  Packer packer(mine);
  packer.put(machine);
  packer.put(cores);
  NodeLocalRanks neighbours{0, 0, 0};
  const std::vector<Bytes> places = communicator.gather_all(mine);
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    Unpacker place(places[rank]);
    if (place.get<std::string>() != machine) continue;
    std::vector<int> common;
    std::ranges::set_intersection(place.get<std::vector<int>>(), cores, std::back_inserter(common));
    neighbours.rank += static_cast<int>(rank) < communicator.rank();
    ++neighbours.count;
    neighbours.count_on_cores += !common.empty();
  }
  neighbours.count_on_cores = std::max(1, neighbours.count_on_cores);
  return neighbours;
}

RanksReport inspect_ranks(Communicator& ranks) {
  const NodeLocalRanks neighbours = find_node_local_ranks(ranks);
  Bytes mine;
  Packer packer(mine);
  packer.put(platform::machine_name());
  packer.put(ThreadPool().num_threads());
  const Device device = choose_device("auto", neighbours.rank).device;
  packer.put(to_string(device));
  RanksReport report;
  for (const Bytes& theirs : ranks.gather_all(mine)) {
    Unpacker unpacker(theirs);
    RankPlace& place = report.ranks.emplace_back();
    unpacker.get(place.machine);
    unpacker.get(place.cores);
    unpacker.get(place.device);
  }
  const auto seconds_of = [&](std::size_t num_bytes, int times) {
    const Bytes bytes(num_bytes);
    ranks.gather_all({});  // barrier: all start together
    const double start = seconds_now();
    for (int i = 0; i < times; ++i) ranks.gather_all(bytes);
    return (seconds_now() - start) / times;
  };
  report.seconds_of_rendezvous = seconds_of(0, 100);
  constexpr std::size_t kMessageBytes = std::size_t{16} << 20;
  const auto received = static_cast<double>(kMessageBytes * (report.ranks.size() - 1));
  if (received > 0) report.bytes_per_second = received / seconds_of(kMessageBytes, 4);
  const auto has_gpu = [](const RankPlace& place) { return place.device != to_string(Device{}); };
  if (ranks.size() > 1 && std::ranges::all_of(report.ranks, has_gpu)) report.gpus = measure_gpu_sums(ranks, device.gpu);
  return report;
}

std::unique_ptr<Communicator> make_lone_communicator() { return std::make_unique<SingleProcess>(); }

std::unique_ptr<Communicator> make_communicator() { return make_communicator(kMaxPieceBytes); }

void run_as_ranks(int size, const std::function<void(Communicator&)>& body) {
  FW_CHECK(size >= 1, Usage, "there are " << size << " ranks; use at least 1");
  Rendezvous rendezvous(size);
  {
    std::vector<std::jthread> threads;
    try {
      for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] { LocalRank(rendezvous, rank).run(body); });
    } catch (...) {
      rendezvous.leave("a thread could not be started", std::current_exception());
    }
  }
  if (rendezvous.failure()) std::rethrow_exception(rendezvous.failure());
}

}  // namespace fernwood
