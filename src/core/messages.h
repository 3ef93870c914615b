// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Conventions common to all communicators, and serialisation of values. Header-only, because the MPI plug-in is not
// linked to the library.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"

namespace fernwood {

/// Longer messages are sent in pieces of at most this size, because MPI counts in int.
constexpr std::size_t kMaxPieceBytes = std::size_t{1} << 30;

/// Calls `piece(offset, num_bytes)` for the pieces of a message, in order, each of 1 to `max_bytes` bytes.
template <typename Piece>
void for_each_piece(std::size_t message_bytes, std::size_t max_bytes, const Piece& piece) {
  for (std::size_t offset = 0; offset < message_bytes; offset += max_bytes)
    piece(offset, std::min(max_bytes, message_bytes - offset));
}

/// @throws Error(kRuntime) unless `outgoing` has one message per rank.
inline void check_one_for_each_rank(const std::vector<Bytes>& outgoing, int size) {
  FW_CHECK(outgoing.size() == static_cast<std::size_t>(size), Runtime,
           "exchange: there are " << outgoing.size() << " messages for " << size << " ranks; pass one for each");
}

/// Type of the function that the MPI plug-in exports as fernwood_make_communicator; the caller owns the result.
using MakeMpiCommunicator = Communicator*(std::size_t max_piece_bytes);

/// make_communicator() with a limit other than kMaxPieceBytes.
std::unique_ptr<Communicator> make_communicator(std::size_t max_piece_bytes);

/// Serialises values one after another, for other processes and for checkpoints.
class Packer {
 public:
  explicit Packer(Bytes& bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { put_raw(&value, sizeof(T)); }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const std::vector<T>& items) {
    put(std::uint64_t{items.size()});
    put_raw(items.data(), items.size() * sizeof(T));
  }
  void put(const std::string& text) { put(std::vector<char>(text.begin(), text.end())); }
  void put(const std::vector<std::string>& texts) {
    put(std::uint64_t{texts.size()});
    for (const std::string& text : texts) put(text);
  }

 private:
  void put_raw(const void* data, std::size_t size) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    if (size > 0) std::memcpy(bytes_.data() + at, data, size);
  }

  Bytes& bytes_;
};

/// Reads the output of Packer. @throws Error(kRuntime) when the bytes end early.
class Unpacker {
 public:
  explicit Unpacker(const Bytes& bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) { get_raw(&value, 1, sizeof(T)); }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void get(std::vector<T>& items) {
    items.resize(get_size(sizeof(T)));
    get_raw(items.data(), items.size(), sizeof(T));
  }
  /// Every byte other than 0 is true: a bool must not hold another value than 0 or 1.
  void get(bool& flag) { flag = get<std::uint8_t>() != 0; }
  void get(std::string& text) {
    std::vector<char> letters;
    get(letters);
    text.assign(letters.begin(), letters.end());
  }
  void get(std::vector<std::string>& texts) {
    texts.resize(get_size(sizeof(std::uint64_t)));
    for (std::string& text : texts) get(text);
  }
  template <typename T>
  T get() {
    T value{};
    get(value);
    return value;
  }

  std::size_t place() const { return at_; }
  void skip_to(std::size_t place) { at_ = place; }

 private:
  /// Number of elements that follow; checked against the remaining bytes.
  std::size_t get_size(std::size_t element_bytes) {
    const auto size = get<std::uint64_t>();
    check(size <= (bytes_.size() - at_) / element_bytes);
    return static_cast<std::size_t>(size);
  }
  void get_raw(void* data, std::size_t count, std::size_t element_bytes) {
    check(count <= (bytes_.size() - at_) / element_bytes);
    if (count > 0) std::memcpy(data, bytes_.data() + at_, count * element_bytes);
    at_ += count * element_bytes;
  }
  void check(bool fits) const {
    FW_CHECK(fits, Runtime,
             "data of another process or an earlier run end behind byte "
                 << bytes_.size() << "; use the same version of fernwood with the same options");
  }

  const Bytes& bytes_;
  std::size_t at_ = 0;
};

/// @throws Error(kRuntime) if the parts of a list that ranks sent are not as long as expected.
inline void check_shares(bool fit) {
  FW_CHECK(fit, Runtime,
           "a process sent a list of another length than this one expects; start all processes with the same program, "
           "options and data");
}

/// Concatenates the parts of a list of all ranks, in the order of ranks. @param ranks  Null: this process has the whole
/// list. @param row_size  Each part consists of whole rows of this number of items, above 0.
template <typename T>
std::vector<T> join_shares(std::vector<T> mine, Communicator* ranks, std::size_t row_size = 1) {
  if (!ranks) return mine;
  Bytes bytes;
  Packer(bytes).put(mine);
  mine.clear();
  for (const Bytes& theirs : ranks->gather_all(bytes)) {
    std::vector<T> items;
    Unpacker(theirs).get(items);
    check_shares(items.size() % row_size == 0);
    mine.insert(mine.end(), items.begin(), items.end());
  }
  return mine;
}

/// The parts of all ranks, [rank][item]: each must be as long as this rank's.
template <typename T>
std::vector<std::vector<T>> gather_equal(const std::vector<T>& mine, Communicator& ranks) {
  Bytes bytes;
  Packer(bytes).put(mine);
  std::vector<std::vector<T>> parts;
  for (const Bytes& theirs : ranks.gather_all(bytes)) {
    Unpacker(theirs).get(parts.emplace_back());
    check_shares(parts.back().size() == mine.size());
  }
  return parts;
}

/// As join_shares(), for rows distributed by strided_share(): in the order of the rows.
template <typename T>
std::vector<T> join_dealt(std::vector<T> mine, Communicator* ranks, std::size_t row_size = 1) {
  if (!ranks) return mine;
  const auto num_ranks = static_cast<std::size_t>(ranks->size());
  Bytes bytes;
  Packer(bytes).put(mine);
  std::vector<std::vector<T>> of_rank(num_ranks);
  const std::vector<Bytes> told = ranks->gather_all(bytes);
  std::size_t count = 0;
  for (std::size_t r = 0; r < num_ranks; ++r) {
    Unpacker(told[r]).get(of_rank[r]);
    check_shares(of_rank[r].size() % row_size == 0);
    count += of_rank[r].size() / row_size;
  }
  for (std::size_t r = 0; r < num_ranks; ++r)
    check_shares(of_rank[r].size() == (count + num_ranks - 1 - r) / num_ranks * row_size);
  std::vector<T> all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = of_rank[i % num_ranks].begin() + static_cast<std::ptrdiff_t>(i / num_ranks * row_size);
    all.insert(all.end(), row, row + static_cast<std::ptrdiff_t>(row_size));
  }
  return all;
}

// Polling of conditions that do not wake the waiting thread. Header-only, because the MPI plug-in is not linked to the
// library.

/// Backoff of a thread that polls for an operation of NCCL or MPI. Most complete within microseconds, so the first
/// polls follow each other quickly; a longer wait is polled less often.
class SpinBackoff {
 public:
  /// Waits until the next poll, yielding the core.
  void pause() {
    ++num_looks_;
    is_quick() ? std::this_thread::yield() : std::this_thread::sleep_for(kSleep);
  }
  /// Whether to check for failures of other ranks: not at each of the quick polls.
  bool is_time_to_check() const { return num_looks_ % kQuickLooksToCheck == 0 || !is_quick(); }
  std::chrono::steady_clock::duration waited() const { return std::chrono::steady_clock::now() - start_; }

 private:
  static constexpr std::chrono::microseconds kQuickLooks{1000}, kSleep{50};
  static constexpr unsigned kQuickLooksToCheck = 64;

  bool is_quick() const { return waited() < kQuickLooks; }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  unsigned num_looks_ = 0;
};

}  // namespace fernwood
