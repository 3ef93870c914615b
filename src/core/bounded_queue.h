// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood {

/// What a full queue does with one more item.
enum class WhenFull {
  kReplaceOldest,  ///< The oldest goes: the newest wins, and push() never waits.
  kWait            ///< push() waits: nothing is lost.
};

/// Hands items from one thread to another, in order; never holds more than its capacity.
template <typename T>
class BoundedQueue {
 public:
  /// @throws Error(kUsage) for a capacity of 0.
  BoundedQueue(std::size_t capacity, WhenFull when_full) : capacity_(capacity), when_full_(when_full) {
    FW_CHECK(capacity >= 1, Usage, "a queue holds 0 items; give a capacity of at least 1");
  }

  /// False, and the item is gone, when the queue is closed, also while waiting.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    if (when_full_ == WhenFull::kWait) not_full_.wait(lock, [&] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    if (items_.size() == capacity_) {
      items_.pop_front();
      ++num_replaced_;
    }
    items_.push_back(std::move(item));
    lock.unlock();
    not_empty_.notify_one();
    return true;
  }

  /// Waits, where push() would, until the queue is not full. False: closed.
  bool wait_until_not_full() {
    std::unique_lock lock(mutex_);
    if (when_full_ == WhenFull::kWait) not_full_.wait(lock, [&] { return closed_ || items_.size() < capacity_; });
    return !closed_;
  }

  /// Waits for an item; nothing when the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return closed_ || !items_.empty(); });
    return pop_locked(lock);
  }

  /// The same, waiting no longer than `timeout`.
  std::optional<T> pop_for(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    not_empty_.wait_for(lock, timeout, [&] { return closed_ || !items_.empty(); });
    return pop_locked(lock);
  }

  /// Nothing can be pushed any more; what is there can still be popped. Wakes all who wait.
  void close() { close_and(false); }
  /// The same, and what is there is gone.
  void close_and_clear() { close_and(true); }

  /// Closed and empty: nothing will ever come.
  bool is_finished() const {
    std::lock_guard lock(mutex_);
    return closed_ && items_.empty();
  }
  /// Items that were replaced by newer ones.
  std::size_t num_replaced() const {
    std::lock_guard lock(mutex_);
    return num_replaced_;
  }

 private:
  std::optional<T> pop_locked(std::unique_lock<std::mutex>& lock) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    lock.unlock();
    not_full_.notify_one();
    return item;
  }

  void close_and(bool empty) {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
      if (empty) items_.clear();
    }
    not_empty_.notify_all();
    not_full_.notify_all();
  }

  const std::size_t capacity_;
  const WhenFull when_full_;
  mutable std::mutex mutex_;
  std::condition_variable not_empty_, not_full_;
  std::deque<T> items_;
  bool closed_ = false;
  std::size_t num_replaced_ = 0;
};

}  // namespace fernwood
