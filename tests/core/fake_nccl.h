// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/nccl.h"

namespace fernwood {

/// A library with NCCL's interface that uses threads as GPUs and host memory as their memory. Blocks are summed when
/// the last rank has requested it. Each thread chooses the fault of its own rank.
class FakeNccl {
 public:
  enum class Fault { kNone, kNoAnswer, kNoWay, kCannotMeet, kNeverMeets, kCannotSum, kFailsWhileSumming };

  static NcclLibrary library() {
    return NcclLibrary(NcclFunctions{get_version, get_unique_id, init_rank, get_async_error, reduce_scatter, finalize,
                                     destroy, abort, error_string, last_error});
  }
  /// Whether the sums that the calling thread's rank requested have arrived or were aborted.
  static bool arrived() {
    const std::scoped_lock lock(mutex());
    return here().sums_left == 0 || here().aborted;
  }
  /// Number of communicators that were created and neither destroyed nor aborted.
  static int num_open() { return open(); }

  static inline thread_local Fault fault = Fault::kNone;
  static inline thread_local int version = 23203;

 private:
  using Result = NcclFunctions::Result;
  static constexpr Result kFailed = 6;

  struct Asked {
    const std::uint32_t* blocks;
    std::uint32_t* sums;
    std::size_t size;
    int* left;
  };
  struct Group {
    std::size_t num_ranks = 0, num_met = 0;
    std::vector<Asked> asked;
  };
  struct Member {
    Group* group = nullptr;
    int sums_left = 0, looks = 0;
    bool aborted = false, meets = false, is_queued = false;
  };

  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::atomic<int>& open() {
    static std::atomic<int> count = 0;
    return count;
  }
  static Member& here() {
    static thread_local Member member;
    return member;
  }
  static Member& member(NcclFunctions::Rank rank) { return *reinterpret_cast<Member*>(rank); }

  static Result get_version(int* told) {
    *told = version;
    return fault == Fault::kNoAnswer ? kFailed : NcclFunctions::kSuccess;
  }
  static Result get_unique_id(NcclFunctions::Id* id) {
    static std::atomic<std::uint32_t> last = 0;
    const std::uint32_t number = ++last;
    std::memcpy(id->bytes.data(), &number, sizeof number);
    return fault == Fault::kNoWay ? kFailed : NcclFunctions::kSuccess;
  }
  static Result init_rank(NcclFunctions::Rank* made, int num_ranks, NcclFunctions::Id id, int,
                          NcclFunctions::Config* config) {
    static std::map<std::array<char, 128>, std::unique_ptr<Group>> groups;
    if (config->is_blocking != 0 || config->magic != 0xcafebeef || config->size != 24) return kFailed;
    const std::scoped_lock lock(mutex());
    std::unique_ptr<Group>& group = groups[id.bytes];
    if (!group) group = std::make_unique<Group>();
    group->num_ranks = static_cast<std::size_t>(num_ranks);
    here() = {group.get()};
    *made = reinterpret_cast<NcclFunctions::Rank>(&here());
    ++open();
    if (fault == Fault::kCannotMeet) return kFailed;
    here().meets = fault != Fault::kNeverMeets;
    group->num_met += here().meets;
    return NcclFunctions::kInProgress;
  }
  static Result get_async_error(NcclFunctions::Rank rank, Result* state) {
    const std::scoped_lock lock(mutex());
    Member& asked = member(rank);
    const bool under_way = asked.group->num_met < asked.group->num_ranks || ++asked.looks % 3 != 0;
    *state = under_way ? NcclFunctions::kInProgress : NcclFunctions::kSuccess;
    if (asked.is_queued && fault == Fault::kFailsWhileSumming) *state = kFailed;
    asked.is_queued = !under_way && asked.sums_left > 0;
    return NcclFunctions::kSuccess;
  }
  static Result reduce_scatter(const void* sent, void* received, std::size_t count, int type, int operation,
                               NcclFunctions::Rank rank, void*) {
    if (fault == Fault::kCannotSum || type != NcclFunctions::kUint32 || operation != NcclFunctions::kSum)
      return kFailed;
    const std::scoped_lock lock(mutex());
    Member& asking = member(rank);
    Group& group = *asking.group;
    group.asked.push_back(
        {static_cast<const std::uint32_t*>(sent), static_cast<std::uint32_t*>(received), count, &asking.sums_left});
    ++asking.sums_left;
    if (group.asked.size() == group.num_ranks) add_up(std::exchange(group.asked, {}));
    return NcclFunctions::kInProgress;
  }
  static void add_up(const std::vector<Asked>& asked) {
    for (const Asked& to : asked) {
      const auto block = static_cast<std::size_t>(to.sums - to.blocks);
      for (std::size_t i = 0; i < to.size; ++i)
        for (const Asked& from : asked)
          if (from.blocks != to.blocks) to.sums[i] += from.blocks[block + i];
      --*to.left;
    }
  }
  static Result finalize(NcclFunctions::Rank rank) {
    return member(rank).sums_left > 0 ? kFailed : NcclFunctions::kSuccess;
  }
  static Result destroy(NcclFunctions::Rank) {
    --open();
    return NcclFunctions::kSuccess;
  }
  static Result abort(NcclFunctions::Rank rank) {
    const std::scoped_lock lock(mutex());
    member(rank).aborted = true;
    --open();
    return NcclFunctions::kSuccess;
  }
  static const char* error_string(Result result) { return result == kFailed ? "remote error" : "no error"; }
  static const char* last_error(NcclFunctions::Rank) { return "cable pulled"; }
};

}  // namespace fernwood
