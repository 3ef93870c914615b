// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/stream/train_stream.h"
#include "stream/grow/feeder.h"
#include "stream/grow/frontier.h"

namespace fernwood::stream {

/// Records that a leaf may count, so that whatever comes in a round fits into 32 bits, and what is computed from it
/// into 64.
inline constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 30;

/// Grows a tree, round by round: records are counted in open leaves, these are searched for splits, the splits that are
/// decided are made. Every process runs one; they differ in the records and attributes that they work on, and agree on
/// everything else.
class StreamGrower {
 public:
  StreamGrower(RecordSource* source, const StreamOptions& options, const StreamWork& work, ThreadPool& pool,
               Communicator& communicator, const StreamProgressCallback& progress);

  records::RecordForest grow();
  const StreamReport& report() const { return report_; }

 private:
  bool in_passes() const { return options_.schedule == Schedule::kPasses; }
  void split_decided(std::vector<FoundSplit> found);
  void close_and_open(const std::vector<std::uint8_t>& splits, std::vector<OpenLeaf> children);
  bool may_open(std::int32_t leaf) const;
  void tell(double fraction);
  records::RecordForest finish();

  // stream_rounds.cpp: records come and are counted.
  void read_all();
  bool count_round(std::vector<FoundSplit>& found);
  void count_pass(std::vector<FoundSplit>& found);
  bool count_fresh(std::vector<FoundSplit>& found);
  std::uint64_t round_records() const;
  bool is_due(const OpenLeaf& leaf) const;
  void count(HeldRecords& records);
  double share_of_closed() const;
  void add_round_totals();
  void start_again();
  void start_full_again();
  void give_slots(std::size_t begin, std::size_t end);
  std::size_t slots_that_fit() const;
  void check_memory(std::size_t num_slots) const;

  // stream_search.cpp: splits are searched for.
  void search(std::vector<std::size_t> leaves, std::vector<FoundSplit>& found);
  std::vector<LeafSearch> search_together(const std::vector<std::size_t>& slots);
  void exchange_counts(const std::vector<std::size_t>& slots);

  // stream_state.cpp: checkpoints.
  void keep_or_stop();
  [[noreturn]] void stop();
  std::vector<std::size_t> counting_slots() const;
  std::vector<Bytes> counted_bytes();
  void save();
  Bytes state_with(const std::vector<Bytes>& counted) const;
  void resume();
  void unpack(Unpacker& unpacker);
  OpenLeaf unpack_leaf(Unpacker& unpacker, std::vector<std::uint32_t>& totals);
  void add_counted(Unpacker& unpacker);

  const StreamOptions options_;
  const StreamWork& work_;
  Communicator& communicator_;
  const StreamProgressCallback& progress_;
  const Division ranks_;
  RankShare share_;
  Feeder feeder_;
  std::unique_ptr<StreamBackend> backend_;
  StreamTree tree_;
  std::vector<OpenLeaf> open_;            ///< In order of creation.
  std::vector<std::int32_t> free_slots_;  ///< Lowest last.
  std::size_t num_slots_ = 0;
  Array2<std::uint32_t> totals_;                    ///< [slot][class] Counted by all processes.
  Array2<std::uint32_t> round_;                     ///< [slot][class] Counted here since add_round_totals().
  std::vector<records::RecordTable> unheld_;        ///< kPasses: read, but not yet in bins.
  std::vector<std::unique_ptr<HeldRecords>> held_;  ///< kPasses: all records of this process.
  std::size_t num_held_ = 0;                        ///< Records in them.
  bool ended_ = false;                              ///< No more records come.
  std::uint64_t round_read_ = 0;                    ///< Records of this round so far; not kPasses.
  std::exception_ptr stop_;                         ///< Why rank 0 wants to stop.
  double saved_at_s_ = 0;
  StreamReport report_;
};

}  // namespace fernwood::stream
