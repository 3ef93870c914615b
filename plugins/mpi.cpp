// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in mpi: processes started by mpirun; only this file uses MPI.

// Only the C interface: that of C++ would need another library.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/messages.h"
#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"

// Open MPI's implementation of MPI_Abort, without its six lines of output; null in other implementations.
extern "C" [[gnu::weak]] int ompi_mpi_abort(MPI_Comm communicator, int exit_code);

namespace fernwood {

namespace {

using Message = std::span<const std::uint8_t>;

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorKind::kRuntime,
              "MPI: " + std::string(what) + " failed: " + text + "; see whether the other processes still run");
}

void start_mpi() {
  int started = 0;
  MPI_Initialized(&started);
  FW_CHECK(started == 0, Runtime, "MPI was started before; a process can do so once");
  // Open MPI's hwloc would write to standard error where /sys is not mounted, as in a chroot.
  platform::set_default_variable("HWLOC_HIDE_ERRORS", "2");
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "starting");
  FW_CHECK(provided >= MPI_THREAD_SERIALIZED, Runtime,
           "MPI: this build of it has no thread support (MPI_THREAD_SERIALIZED); use one that does");
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "setting the error handler");
}

/// Serializes the calls of MPI by the threads of this file (MPI_THREAD_SERIALIZED).
using MpiLock = std::unique_lock<std::mutex>;

/// Heartbeats of ranks, independent of exchanges: each rank sends them to the next one in a circle, and expects them
/// from the previous one. So a rank that is stopped is detected by a running one, whatever the others do. Each rank
/// also reports its progress to rank 0.
class Pulse {
 public:
  Pulse(std::mutex& mpi, int rank, int size)
      : mpi_(mpi),
        rank_(rank),
        next_((rank + 1) % size),
        previous_((rank + size - 1) % size),
        told_(static_cast<std::size_t>(size)) {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &circle_), "making a communicator");
    std::vector<Process> all(static_cast<std::size_t>(size));
    Process self;
    platform::process_name().copy(self.name, sizeof self.name - 1);
    check(MPI_Allgather(&self, sizeof self, MPI_BYTE, all.data(), sizeof self, MPI_BYTE, circle_), "telling processes");
    const Process& before = all[static_cast<std::size_t>(previous_)];
    name_ = "rank " + std::to_string(previous_) + " (" + before.name + ")";
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  /// Announces the end, and waits for that of the previous rank unless it is lost.
  void finish() {
    leaves_ = true;
    thread_.join();
  }
  /// Stops the heartbeats: the other ranks will be aborted.
  void stop() { thread_ = {}; }

  void on_peer_lost(std::function<void(const std::string&)> call) {
    const std::scoped_lock lock(state_);
    call_ = std::move(call);
  }
  void tell_progress(double progress) { progress_ = progress; }
  void when_told(std::function<void(std::span<const double>)> call) {
    const std::scoped_lock lock(state_);
    std::fill(told_.begin(), told_.end(), 0.0);
    when_told_ = std::move(call);
  }
  /// @throws Error(kRuntime) if the previous rank was lost.
  void check_nobody_lost() {
    const std::scoped_lock lock(state_);
    FW_CHECK(lost_.empty(), Runtime, lost_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Process {
    char name[320] = {};
  };
  struct News {
    int rank;
    double progress;
  };
  static constexpr std::chrono::milliseconds kTick{250}, kBetweenBeats{1000}, kMaxSilence{6000};
  static constexpr char kRuns = 0, kLeaves = 1;

  void run(const std::stop_token& stop) {
    Clock::time_point last_tick = Clock::now();
    heard_ = last_tick;
    while (!stop.stop_requested() && !(said_goodbye_ && previous_left_)) {
      const Clock::time_point now = Clock::now();
      // A process that was itself stopped has received nothing, and must allow the previous rank time.
      if (now - last_tick > 4 * kTick) heard_ = now;
      last_tick = now;
      std::vector<News> news;
      {
        const MpiLock lock(mpi_);
        listen(now);
        beat(now);
        news = hear_progress();
        send_progress();
      }
      if (!news.empty()) tell(news);
      if (!previous_left_ && now - heard_ > kMaxSilence) return tell_lost();
      std::this_thread::sleep_for(kTick);
    }
  }

  void listen(Clock::time_point now) {
    for (int there = 1; there != 0;) {
      MPI_Iprobe(previous_, kTag, circle_, &there, MPI_STATUS_IGNORE);
      if (there == 0) break;
      char sign = kRuns;
      MPI_Recv(&sign, 1, MPI_CHAR, previous_, kTag, circle_, MPI_STATUS_IGNORE);
      heard_ = now;
      if (sign == kLeaves) previous_left_ = true;
    }
  }

  void beat(Clock::time_point now) {
    int sent = 1;
    MPI_Test(&sending_, &sent, MPI_STATUS_IGNORE);  // also true without a message
    if (sent == 0) return;
    if (sign_ == kLeaves) said_goodbye_ = true;
    if (said_goodbye_ || (!leaves_ && now - beaten_ < kBetweenBeats)) return;
    sign_ = leaves_ ? kLeaves : kRuns;
    MPI_Isend(&sign_, 1, MPI_CHAR, next_, kTag, circle_, &sending_);
    beaten_ = now;
  }

  /// Progress that ranks have reported to rank 0 since the last call.
  std::vector<News> hear_progress() {
    std::vector<News> news;
    for (int there = 1; rank_ == 0;) {
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, kProgressTag, circle_, &there, &status);
      if (there == 0) break;
      double progress = 0;
      MPI_Recv(&progress, 1, MPI_DOUBLE, status.MPI_SOURCE, kProgressTag, circle_, MPI_STATUS_IGNORE);
      news.push_back({status.MPI_SOURCE, progress});
    }
    return news;
  }

  void tell(const std::vector<News>& news) {
    const std::scoped_lock lock(state_);
    for (const News& one : news) told_[static_cast<std::size_t>(one.rank)] = one.progress;
    if (when_told_) when_told_(told_);
  }

  void send_progress() {
    int sent = 1;
    MPI_Test(&telling_, &sent, MPI_STATUS_IGNORE);  // also true without a message
    if (rank_ == 0 || sent == 0 || leaves_ || on_its_way_ == progress_) return;
    on_its_way_ = progress_;
    MPI_Isend(&on_its_way_, 1, MPI_DOUBLE, 0, kProgressTag, circle_, &telling_);
  }

  void tell_lost() {
    const std::string sentence = name_ + " gave no sign of life for " + std::to_string(kMaxSilence.count() / 1000) +
                                 " seconds: it is stopped, or its machine is down or out of reach";
    std::function<void(const std::string&)> call;
    {
      const std::scoped_lock lock(state_);
      call = call_;
      if (!call) lost_ = sentence + "; see to it, and start the job again";
    }
    if (call) call(sentence);
  }

  static constexpr int kTag = 0, kProgressTag = 1;

  std::mutex& mpi_;
  MPI_Comm circle_ = MPI_COMM_NULL;
  const int rank_, next_, previous_;
  std::string name_;  // of the previous rank
  // The members below are used only by the thread.
  Clock::time_point heard_, beaten_{};
  MPI_Request sending_ = MPI_REQUEST_NULL;
  char sign_ = kRuns;
  bool previous_left_ = false, said_goodbye_ = false;
  MPI_Request telling_ = MPI_REQUEST_NULL;
  double on_its_way_ = 0;

  std::atomic<bool> leaves_ = false;
  std::atomic<double> progress_ = 0;
  std::mutex state_;
  std::string lost_;
  std::function<void(const std::string&)> call_;
  std::vector<double> told_;  // [rank] on rank 0
  std::function<void(std::span<const double>)> when_told_;
  std::jthread thread_;  // last: it uses all members above
};

class MpiCommunicator : public Communicator {
 public:
  explicit MpiCommunicator(std::size_t max_piece_bytes) : max_piece_bytes_(max_piece_bytes) {
    start_mpi();
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "asking for the rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "asking for the number of processes");
    if (size_ > 1) pulse_.emplace(mpi_, rank_, size_);
  }
  ~MpiCommunicator() override {
    // Finalizing waits for all ranks. A rank that fails must not wait: it ends unfinalized, and mpirun ends the others.
    const bool ends_well = std::uncaught_exceptions() == 0;
    if (pulse_) ends_well ? pulse_->finish() : pulse_->stop();
    if (ends_well) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    check_one_for_each_rank(outgoing, size_);
    std::vector<Bytes> incoming = receive_while_sending({outgoing.begin(), outgoing.end()});
    incoming[self()] = std::move(outgoing[self()]);
    return incoming;
  }

  std::vector<Bytes> gather_all(const Bytes& mine) override {
    std::vector<Bytes> incoming = receive_while_sending(std::vector<Message>(num_ranks(), mine));
    incoming[self()] = mine;
    return incoming;
  }

  void check_all_there() override {
    if (pulse_) pulse_->check_nobody_lost();
  }

  void on_peer_lost(std::function<void(const std::string&)> call) override {
    if (pulse_) pulse_->on_peer_lost(std::move(call));
  }

  void tell_progress(double progress) override {
    if (pulse_) pulse_->tell_progress(progress);
  }
  void when_told(std::function<void(std::span<const double>)> call) override {
    if (pulse_) pulse_->when_told(std::move(call));
  }

  void abort(int exit_code) noexcept override {
    const MpiLock lock(mpi_);
    // The caller has already reported the reason in one sentence.
    if (ompi_mpi_abort != nullptr) ompi_mpi_abort(MPI_COMM_WORLD, exit_code);
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }

 private:
  std::size_t self() const { return static_cast<std::size_t>(rank_); }
  std::size_t num_ranks() const { return static_cast<std::size_t>(size_); }

  /// Messages from the other ranks, by rank; a rank sends nothing to itself.
  std::vector<Bytes> receive_while_sending(const std::vector<Message>& outgoing) {
    std::vector<Bytes> incoming = allocate_incoming(outgoing);
    std::vector<MPI_Request> requests;
    MpiLock lock(mpi_);
    for (std::size_t r = 0; r < num_ranks(); ++r) {
      if (r == self()) continue;
      const int other = static_cast<int>(r);
      for_each_piece(incoming[r].size(), max_piece_bytes_, [&](std::size_t offset, std::size_t num_bytes) {
        check(MPI_Irecv(incoming[r].data() + offset, static_cast<int>(num_bytes), MPI_BYTE, other, kTag, MPI_COMM_WORLD,
                        &requests.emplace_back()),
              "receiving");
      });
      for_each_piece(outgoing[r].size(), max_piece_bytes_, [&](std::size_t offset, std::size_t num_bytes) {
        check(MPI_Isend(outgoing[r].data() + offset, static_cast<int>(num_bytes), MPI_BYTE, other, kTag, MPI_COMM_WORLD,
                        &requests.emplace_back()),
              "sending");
      });
    }
    lock.unlock();
    wait(requests);
    return incoming;
  }

  /// Buffers of the lengths that the others will send.
  std::vector<Bytes> allocate_incoming(const std::vector<Message>& outgoing) {
    std::vector<std::uint64_t> lengths_out, lengths_in(num_ranks());
    for (const Message& message : outgoing) lengths_out.push_back(message.size());
    std::vector<MPI_Request> request(1);
    {
      const MpiLock lock(mpi_);
      check(MPI_Ialltoall(lengths_out.data(), 1, MPI_UINT64_T, lengths_in.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD,
                          request.data()),
            "exchanging lengths");
    }
    wait(request);
    std::vector<Bytes> incoming(num_ranks());
    for (std::size_t r = 0; r < num_ranks(); ++r)
      if (r != self()) incoming[r].resize(lengths_in[r]);
    return incoming;
  }

  /// Waits, and releases MPI for the heartbeats between polls. @throws Error(kRuntime) if a rank is lost.
  void wait(std::vector<MPI_Request>& requests) {
    for (SpinBackoff look;; look.pause()) {
      int done = 0;
      {
        const MpiLock lock(mpi_);
        check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
              "exchanging");
      }
      if (done != 0) return;
      if (pulse_ && look.is_time_to_check()) pulse_->check_nobody_lost();
    }
  }

  static constexpr int kTag = 0;  // messages between two ranks arrive in order

  const std::size_t max_piece_bytes_;
  int rank_ = 0, size_ = 1;
  std::mutex mpi_;
  std::optional<Pulse> pulse_;  // empty for a single rank
};

}  // namespace

}  // namespace fernwood

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

fernwood::Communicator* fernwood_make_communicator(std::size_t max_piece_bytes) {
  return new fernwood::MpiCommunicator(max_piece_bytes);
}
}
