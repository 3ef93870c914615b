// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "stream/grow/adaptation.h"
#include "stream/grow/batch_loader.h"
#include "stream/grow/distributed_backend.h"
#include "stream/grow/open_leaves.h"
#include "stream/grow/test_then_train.h"

namespace fernwood::stream {

/// A growing tree: the data shared by rounds, checkpoints and the report.
struct StreamGrowth {
  StreamGrowth(RecordSource* source, const StreamOptions& options, const LeafSketchMaker& sketches,
               const StreamWork& work, ThreadPool& pool, Communicator& communicator,
               const StreamProgressCallback& progress);

  /// Reports progress on rank 0; if the callback throws, the stream ends in all processes. @param fraction  Of the
  /// work; -1: unknown.
  void report_progress(double fraction);
  /// Whether rank 0 requests a stop.
  bool is_stopping() const { return stop_reason || loader.stopped(); }
  [[noreturn]] void stop() const;

  const StreamOptions options;
  const StreamWork& work;
  Communicator& communicator;
  const StreamProgressCallback& progress;
  const Division ranks;
  StreamReport report;
  BatchLoader loader;
  OpenLeaves leaves;
  TestThenTrain tests;
  Adaptation adaptation;
  DistributedBackend backend;
  std::uint64_t round_records = 0;  ///< Read in this round so far; not used in passes.
  std::uint64_t num_ahead = 0;      ///< Number of records to be read next that were tested and learnt already.
  std::exception_ptr stop_reason;   ///< On rank 0.
};

/// Moves records to the open leaves, round by round, and searches these for splits.
class StreamRounds {
 public:
  virtual ~StreamRounds() = default;

  /// Prepares for the records of a round, unless some were read; count() does it by itself.
  virtual void begin() {}
  /// Counts the records of a round in the open leaves and searches those that are due. With kHoeffding and kAdaptive
  /// only a complete round decides on splits.
  /// @param found  Splits that are decided are added to it. @return False when no records were left.
  virtual bool count(std::vector<FoundSplit>& found) = 0;
  /// Number of records that the next count() reads, unless the stream ends.
  virtual std::uint64_t wanted_records() const = 0;
};

/// The rounds of a schedule. For kPasses all records are read first.
std::unique_ptr<StreamRounds> make_rounds(StreamGrowth& growth);

/// Options in the form that models and checkpoints store.
std::string growth_options_json(const StreamOptions& options, const LeafSketchMaker& sketches);
/// Counts a round and makes its splits. @return False when no records were left.
bool grow_by_a_round(StreamGrowth& growth, StreamRounds& rounds);
/// Sets what a model takes from the stream: names, sorted classes, options and provenance.
void finish_model(const BatchLoader& loader, Communicator& communicator, const std::string& options_json,
                  records::RecordForest& forest);
/// Runs rounds until the stream ends. @param after_round  Called after each round.
void grow_to_the_end(StreamGrowth& growth, const std::function<void()>& after_round = {});
/// The tree as a forest. @throws Error(kData) when there were no records.
records::RecordForest finish_growth(StreamGrowth& growth, const std::string& options_json);

/// train_stream() with other sketches than those of the product, for experiments.
records::RecordForest train_stream_with(const LeafSketchMaker& sketches, RecordSource* source,
                                        const StreamOptions& options, const StreamWork& work, ThreadPool& pool,
                                        Communicator& communicator, const StreamProgressCallback& progress = {},
                                        StreamReport* report = nullptr);

}  // namespace fernwood::stream
