// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "fernwood/core/communicator.h"
#include "fernwood/core/parallel.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/stream/record_source.h"
#include "fernwood/stream/stream_options.h"

namespace fernwood::stream {

/// Where time went.
struct StreamTimes {
  double read_s = 0;      ///< Reading and parsing, looking at values for the bins, handing records out.
  double test_s = 0;      ///< Classifying records before they are counted, and what follows from their errors.
  double navigate_s = 0;  ///< Records to leaves.
  double update_s = 0;    ///< Counting.
  double merge_s = 0;     ///< Counts of workers into one.
  double communicate_s = 0;
  double gain_s = 0;  ///< Searching for splits, deciding.
  double checkpoint_s = 0;
  double total_s = 0;
};

/// How far targets are from what was predicted; 0 where nothing was.
struct PrequentialErrors {
  double mae = 0, rmse = 0;       ///< Mean absolute error, root of the mean squared one.
  std::optional<double> r2 = {};  ///< See records::ValueErrors::r2(); empty where all targets are equal.

  bool operator==(const PrequentialErrors&) const = default;
};

/// How many records the tree gave the right class before it learnt from them, or how far their targets are from what it
/// predicted: test-then-train (Gama, Sebastiao and Rodrigues, On evaluating stream learning algorithms, Machine
/// Learning 90, 2013). With Schedule::kPasses none.
struct Prequential {
  std::uint64_t records = 0, right = 0;  ///< All but those of the first round, for which there is no tree.
  std::uint64_t recent_records = 0, recent_right = 0;  ///< Of the last rounds that make StreamWork::accuracy_window.
  PrequentialErrors errors = {}, recent_errors = {};   ///< Of the same records, in place of right ones.

  double accuracy() const { return share(right, records); }
  double recent_accuracy() const { return share(recent_right, recent_records); }
  bool operator==(const Prequential&) const = default;

 private:
  static double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// Schedule::kAdaptive: what became of parts of the tree.
struct DriftCounts {
  std::uint64_t warnings = 0;  ///< Alternates that were begun where errors had become more.
  std::uint64_t replaced = 0;  ///< Parts whose alternate was better.
  std::uint64_t dropped = 0;   ///< Alternates that were not.

  bool operator==(const DriftCounts&) const = default;
};

struct StreamProgress {
  std::uint64_t records = 0;  ///< Read so far; with Schedule::kPasses in this pass.
  int depth = 0;
  std::size_t leaves = 0, open_leaves = 0;
  double fraction = -1;  ///< Of the work, where it is known; else -1.
  Prequential prequential;
};
/// Called from one thread at a time; may throw Error(kInterrupted): then a checkpoint is written first.
using StreamProgressCallback = std::function<void(const StreamProgress&)>;

struct StreamReport {
  StreamTimes times;
  std::uint64_t records = 0;  ///< Different records read.
  std::uint64_t updates = 0;  ///< Values counted.
  int rounds = 0;
  std::size_t leaves = 0, leaves_before_pruning = 0;
  int depth = 0;
  Prequential prequential = {};
  DriftCounts drift = {};
};

/// Grows one tree from a stream of records. The same tree for any number of threads and processes, for every Parallel
/// and device. A leaf's values are the shares of classes among all records that were seen in its part of the space,
/// also those seen before it became a leaf, as far as they were counted, else in proportion; so each has some.
/// @param source        Read by rank 0 only; may be null elsewhere. Labels must be known.
/// @param communicator  Processes that call this together with the same options; each gets the tree.
/// @throws Error(kData) for a stream without records, with unlabelled ones; Error(kUsage), Error(kResource),
/// Error(kDevice), and what source throws. Error(kInterrupted) from source or progress ends all, after a checkpoint.
records::RecordForest train_stream(RecordSource* source, const StreamOptions& options, const StreamWork& work,
                                   ThreadPool& pool, Communicator& communicator,
                                   const StreamProgressCallback& progress = {}, StreamReport* report = nullptr);

/// Grows a tree from records that are handed to it a few at a time, in this process alone: the tree that train_stream()
/// grows from all of them. One call at a time.
class StreamTrainer {
 public:
  /// @param work  Its checkpoint is not written. @throws Error(kUsage), Error(kDevice).
  StreamTrainer(const StreamOptions& options, const StreamWork& work);
  ~StreamTrainer();
  StreamTrainer(const StreamTrainer&) = delete;
  StreamTrainer& operator=(const StreamTrainer&) = delete;

  /// Takes the next records. Classes are numbered in the order in which they first appear in the stream: those of
  /// these records begin with those of the records before. @throws Error(kData) for other attributes than before, and
  /// for a target beyond the range that is known; then none was taken.
  void feed(records::RecordTable records);
  /// Grows by what was taken, round by round; records that do not fill a round wait for more. With Schedule::kPasses
  /// all wait for tree().
  /// @param may_go_on  Asked before each round; where it is false, the rest is left for the next call.
  void grow(const std::function<bool()>& may_go_on = {});
  /// The tree of all records taken, as if the stream ended here; growing goes on from where it was.
  /// @throws Error(kData) when there were none, and what progress throws.
  records::RecordForest tree(const StreamProgressCallback& progress = {});

  std::uint64_t num_records() const;  ///< Taken so far.
  /// Of the rounds so far.
  Prequential prequential() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fernwood::stream
