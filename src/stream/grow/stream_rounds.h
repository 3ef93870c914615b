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

/// A tree that grows: what the rounds, the checkpoints and the report work on.
struct StreamGrowth {
  StreamGrowth(RecordSource* source, const StreamOptions& options, const LeafSketchMaker& sketches,
               const StreamWork& work, ThreadPool& pool, Communicator& communicator,
               const StreamProgressCallback& progress);

  /// Tells progress on rank 0; where that throws, the stream ends for all processes. @param fraction  Of the work; -1:
  /// it is not known.
  void report_progress(double fraction);
  /// Whether rank 0 wants to stop.
  bool is_stopping() const { return stop_reason || loader.stopped(); }
  [[noreturn]] void stop() const;

  const StreamOptions options;
  const StreamWork& work;
  Communicator& communicator;
  const StreamProgressCallback& progress;
  const Division ranks;
  StreamReport report;
  BatchLoader loader;
  const bool tests_records;  ///< Those that count other attributes of the same records do not.
  OpenLeaves leaves;
  TestThenTrain tests;
  Adaptation adaptation;
  DistributedBackend backend;
  std::uint64_t round_records = 0;  ///< Read in this round so far; not in passes.
  std::exception_ptr stop_reason;   ///< Of rank 0.
};

/// Brings records to the open leaves, round by round, and lets these be searched for splits.
class StreamRounds {
 public:
  virtual ~StreamRounds() = default;

  /// Counts the records of a round in the open leaves and searches those that are due.
  /// @param found  Gets the splits that are decided. @return False when there were no records to count.
  virtual bool count(std::vector<FoundSplit>& found) = 0;
  /// Records that the next count() reads; fewer only where the stream ends.
  virtual std::uint64_t wanted_records() const = 0;
};

/// Those of a schedule. For kPasses it reads all records first.
std::unique_ptr<StreamRounds> make_rounds(StreamGrowth& growth);

/// Options as models and checkpoints tell them.
std::string growth_options_json(const StreamOptions& options, const LeafSketchMaker& sketches);
/// Goes on round by round until the stream ends. @param after_round  Called after each round.
void grow_to_the_end(StreamGrowth& growth, const std::function<void()>& after_round = {});
/// The tree as a forest of its own. @throws Error(kData) when there were no records.
records::RecordForest finish_growth(StreamGrowth& growth, const std::string& options_json);

/// train_stream() with other sketches than those of the product, for the laboratory.
records::RecordForest train_stream_with(const LeafSketchMaker& sketches, RecordSource* source,
                                        const StreamOptions& options, const StreamWork& work, ThreadPool& pool,
                                        Communicator& communicator, const StreamProgressCallback& progress = {},
                                        StreamReport* report = nullptr);

}  // namespace fernwood::stream
