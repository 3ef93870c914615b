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

/// Behaviour of push() when the queue is full.
enum class WhenFull {
  kReplaceOldest,  ///< Drops the oldest item; push() never waits.
  kWait            ///< push() waits; no item is lost.
};

/// Passes items from one thread to another, in order; never holds more than its capacity.
template <typename T>
class BoundedQueue {
 public:
  /// @throws Error(kUsage) for a capacity of 0.
  BoundedQueue(std::size_t capacity, WhenFull when_full) : capacity_(capacity), when_full_(when_full) {
    FW_CHECK(capacity >= 1, Usage, "a queue holds 0 items; use a capacity of at least 1");
  }

  /// False when the queue is closed, also while waiting; the item is then dropped.
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

  /// Waits, as push() does, until the queue is not full. False when it is closed.
  bool wait_until_not_full() {
    std::unique_lock lock(mutex_);
    if (when_full_ == WhenFull::kWait) not_full_.wait(lock, [&] { return closed_ || items_.size() < capacity_; });
    return !closed_;
  }

  /// Waits for an item; empty when the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return closed_ || !items_.empty(); });
    return pop_locked(lock);
  }

  /// As pop(), but waits no longer than `timeout`.
  std::optional<T> pop_for(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    not_empty_.wait_for(lock, timeout, [&] { return closed_ || !items_.empty(); });
    return pop_locked(lock);
  }

  /// Refuses further items; those in the queue can still be popped. Wakes all waiting threads.
  void close() { close_and(false); }
  /// As close(), and drops the items in the queue.
  void close_and_clear() { close_and(true); }

  /// Whether the queue is closed and empty, so that pop() will never return another item.
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
