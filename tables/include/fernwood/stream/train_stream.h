// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "fernwood/core/array.h"
#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/stream/record_source.h"
#include "fernwood/stream/stream_options.h"

namespace fernwood::stream {

/// Durations of the steps of a training, in seconds.
struct StreamTimes {
  double read_s = 0;      ///< Reading and parsing, choosing bins, distributing records.
  double test_s = 0;      ///< Classifying records before they are counted, and drift detection.
  double navigate_s = 0;  ///< Finding the leaves of records.
  double update_s = 0;    ///< Counting.
  double merge_s = 0;     ///< Merging the counts of workers.
  double communicate_s = 0;
  double gain_s = 0;  ///< Searching for splits and deciding on them.
  double checkpoint_s = 0;
  double total_s = 0;
};

/// Errors of predicted targets; 0 if nothing was predicted.
struct PrequentialErrors {
  double mae = 0, rmse = 0;       ///< Mean absolute error, root of the mean squared error.
  std::optional<double> r2 = {};  ///< See records::ValueErrors::r2(); empty if all targets are equal.

  bool operator==(const PrequentialErrors&) const = default;
};

/// Accuracy or errors for records that the tree predicted before it was trained on them: test-then-train (Gama,
/// Sebastiao and Rodrigues, On evaluating stream learning algorithms, Machine Learning 90, 2013). Not computed with
/// Schedule::kPasses.
struct Prequential {
  std::uint64_t records = 0, right = 0;  ///< All and correct records, without the first round, which has no tree.
  std::uint64_t recent_records = 0, recent_right = 0;  ///< Those of the last rounds, see StreamWork::accuracy_window.
  PrequentialErrors errors = {}, recent_errors = {};   ///< With targets, errors for the same records.
  /// Accuracy, or RMSE, where a record is predicted as the one before it: the no-change classifier (Bifet et al.,
  /// Pitfalls in benchmarking data stream classification, ECML PKDD 2013), which only the order of records makes good.
  double no_change = 0;

  double accuracy() const { return share(right, records); }
  double recent_accuracy() const { return share(recent_right, recent_records); }
  bool operator==(const Prequential&) const = default;

 private:
  static double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// Schedule::kAdaptive: numbers of alternates; Schedule::kForest: of trees in the background, and of trees that began
/// anew, from one in the background or empty.
struct DriftCounts {
  std::uint64_t warnings = 0;  ///< Alternates begun where errors had increased.
  std::uint64_t replaced = 0;  ///< Alternates that replaced a part of the tree.
  std::uint64_t dropped = 0;   ///< Alternates that were discarded.

  bool operator==(const DriftCounts&) const = default;
};

struct StreamProgress {
  std::uint64_t records = 0;  ///< Records read so far; with Schedule::kPasses, in this pass.
  int depth = 0;
  std::size_t leaves = 0, open_leaves = 0;
  double fraction = -1;  ///< Share of the work done, [0, 1]; -1 if not known.
  Prequential prequential;
};
/// Called from one thread at a time. If it throws Error(kInterrupted), a checkpoint is written before training ends.
using StreamProgressCallback = std::function<void(const StreamProgress&)>;

struct StreamReport {
  StreamTimes times;
  std::uint64_t records = 0;  ///< Number of distinct records read.
  std::uint64_t updates = 0;  ///< Number of values counted.
  int rounds = 0;
  std::size_t leaves = 0, leaves_before_pruning = 0;
  int depth = 0;
  Prequential prequential = {};
  DriftCounts drift = {};
  /// Schedule::kForest: [attribute] share in the decrease of impurity by the tests of a tree, averaged over trees.
  std::vector<double> importances = {};
  std::vector<Warning> warnings = {};
};

/// Grows one tree from a stream of records, or with Schedule::kForest several; the result is the same for any number of
/// threads and processes, every Parallel and device. A leaf's values are the shares of classes among all records in its
/// part of the space, including those before it became a leaf: exactly where they were counted, else in proportion. So
/// every leaf has values.
/// @param source        Read by rank 0 only; may be null on other ranks. Labels must be known.
/// @param communicator  Processes that call this function together with the same options; each receives the tree.
/// @throws Error(kData) for a stream without records, or with unlabelled ones; Error(kUsage), Error(kResource),
/// Error(kDevice), and errors of source. Error(kInterrupted) from source or progress ends all ranks after a checkpoint.
records::RecordForest train_stream(RecordSource* source, const StreamOptions& options, const StreamWork& work,
                                   ThreadPool& pool, Communicator& communicator,
                                   const StreamProgressCallback& progress = {}, StreamReport* report = nullptr);

/// Grows a tree in this process from records that the caller passes in parts. The tree equals that of train_stream()
/// for all of them. One call at a time.
class StreamTrainer {
 public:
  /// @param work  Its checkpoint options are ignored. @throws Error(kUsage), Error(kDevice).
  StreamTrainer(const StreamOptions& options, const StreamWork& work);
  ~StreamTrainer();
  StreamTrainer(const StreamTrainer&) = delete;
  StreamTrainer& operator=(const StreamTrainer&) = delete;

  /// Appends records to the stream. Classes are numbered in the order in which they first appear in the stream: the
  /// list of these records begins with that of the previous ones. @throws Error(kData) if attributes differ from those
  /// before, or a target is outside the known range; the records are then rejected.
  void feed(records::RecordTable records);
  /// The same for records that have the attributes and classes of those before, and do not name them.
  void feed_more(records::RecordTable records);
  /// Grows the tree with the records passed to feed(), round by round. Records that do not fill a round wait for more;
  /// with Schedule::kPasses, all wait for tree(). With kHoeffding and kAdaptive, leaves learn them at once.
  /// @param may_go_on  Called before each round; if it returns false, the rest is left for the next call.
  void grow(const std::function<bool()>& may_go_on = {});
  /// The tree for all records so far, as if the stream ended here. The state of growing does not change.
  /// @throws Error(kData) if there were no records, and errors of progress.
  records::RecordForest tree(const StreamProgressCallback& progress = {}, StreamReport* report = nullptr);

  /// With kHoeffding and kAdaptive: predicts by the tree as it has grown, without making it; after grow(), as tree()
  /// does. @return [record] The shares of the classes, or the target. @throws Error(kData) as tree(), Error(kUsage).
  Array2<double> predict(const records::RecordView& records);
  /// Whether the schedule has predict().
  bool predicts_at_once() const;

  std::uint64_t num_records() const;  ///< Number of records passed to feed().
  /// Accuracy or errors of the rounds so far.
  Prequential prequential() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fernwood::stream
