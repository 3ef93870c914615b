// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "core/messages.h"
#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"

namespace fernwood {

namespace {

/// Where threads exchange messages.
class Room {
 public:
  explicit Room(int size) : size_(size), posted_(static_cast<std::size_t>(size)) {}

  int size() const { return size_; }

  std::vector<Bytes> exchange(std::size_t rank, std::vector<Bytes> outgoing) {
    posted_[rank] = std::move(outgoing);
    wait_for_all();
    std::vector<Bytes> incoming;
    incoming.reserve(posted_.size());
    for (std::vector<Bytes>& from : posted_) incoming.push_back(std::move(from[rank]));
    wait_for_all();  // before anyone posts again
    return incoming;
  }

  /// A rank does not come back: with `failure`, or because it is done.
  void leave(const std::string& how, std::exception_ptr failure = nullptr) {
    const std::scoped_lock lock(mutex_);
    if (left_.empty()) left_ = how;
    if (!failure_) failure_ = failure;
    changed_.notify_all();
  }

  std::exception_ptr failure() const { return failure_; }

 private:
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    check_nobody_left();
    const std::size_t meeting = num_meetings_;
    if (++num_waiting_ == size_) {
      num_waiting_ = 0;
      ++num_meetings_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return num_meetings_ != meeting || !left_.empty(); });
    if (num_meetings_ == meeting) check_nobody_left();
  }

  void check_nobody_left() const {
    FW_CHECK(left_.empty(), Runtime, "exchange: " << left_ << ", so that the other ranks cannot go on");
  }

  const int size_;
  std::vector<std::vector<Bytes>> posted_;  // [from][to]
  std::mutex mutex_;
  std::condition_variable changed_;
  int num_waiting_ = 0;
  std::size_t num_meetings_ = 0;
  std::string left_;  // how the first did
  std::exception_ptr failure_;
};

class LocalRank : public Communicator {
 public:
  LocalRank(Room& room, int rank) : room_(room), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return room_.size(); }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    check_one_for_each_rank(outgoing, size());
    return room_.exchange(static_cast<std::size_t>(rank_), std::move(outgoing));
  }
  std::vector<Bytes> gather_all(const Bytes& mine) override {
    return exchange(std::vector<Bytes>(static_cast<std::size_t>(size()), mine));
  }
  void abandon(int exit_code) noexcept override {
    room_.leave(name() + " gave up with exit code " + std::to_string(exit_code));
  }

  void run(const std::function<void(Communicator&)>& body) {
    try {
      body(*this);
      room_.leave(name() + " is done");
    } catch (...) {
      room_.leave(name() + " failed", std::current_exception());
    }
  }

 private:
  std::string name() const { return "rank " + std::to_string(rank_); }

  Room& room_;
  const int rank_;
};

}  // namespace

void run_as_ranks(int size, const std::function<void(Communicator&)>& body) {
  FW_CHECK(size >= 1, Usage, "there are " << size << " ranks; give at least 1");
  Room room(size);
  {
    std::vector<std::jthread> threads;
    try {
      for (int rank = 0; rank < size; ++rank) threads.emplace_back([&, rank] { LocalRank(room, rank).run(body); });
    } catch (...) {
      room.leave("a thread could not be started", std::current_exception());
    }
  }
  if (room.failure()) std::rethrow_exception(room.failure());
}

}  // namespace fernwood
