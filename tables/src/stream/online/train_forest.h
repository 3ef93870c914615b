// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "stream/grow/batch_loader.h"
#include "stream/online/online_forest.h"

namespace fernwood::stream {

/// Records that the trees of a forest learn between two exchanges of votes, and between two looks at the bins.
inline constexpr std::size_t kChunkRecords = 256;

/// @throws OptionError for a GPU.
void check_forest_work(const StreamWork& work);

/// A growing forest.
struct ForestGrowth {
  ForestGrowth(RecordSource* source, const StreamOptions& options, const StreamWork& work, ThreadPool& pool,
               Communicator& communicator, const StreamProgressCallback& progress);

  /// Learns the next chunk of records. @return False when no records were left.
  bool learn();
  void report_progress();
  /// Whether rank 0 requests a stop.
  bool is_stopping() const { return stop_reason || loader.stopped(); }
  [[noreturn]] void stop() const;

  /// The state between chunks, complete on rank 0. All processes call this together.
  Bytes state();
  /// Continues from the result of state(), without reading the earlier records again.
  /// @throws Error(kModel) for invalid data.
  void restore(const Bytes& state);
  /// The forest for the records so far.
  records::RecordForest finish(const std::string& options_json);

  const StreamOptions options;
  const StreamWork& work;
  Communicator& communicator;
  const StreamProgressCallback& progress;
  StreamReport report;
  BatchLoader loader;
  OnlineForest forest;
  std::exception_ptr stop_reason;  ///< On rank 0.
};

/// train_stream() for Schedule::kForest. @param options_json  The options in the form that models store.
records::RecordForest train_forest(RecordSource* source, const StreamOptions& options, const StreamWork& work,
                                   ThreadPool& pool, Communicator& communicator, const StreamProgressCallback& progress,
                                   StreamReport* report, const std::string& options_json);

}  // namespace fernwood::stream
