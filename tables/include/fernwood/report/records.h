// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Reports on forests over records: what they hold, training, evaluation and searches, for people and for programs
// (JSON: one object, indented by two spaces, with a final newline; null where nothing was counted; keys:
// docs/reference/records.md and docs/reference/stream.md).

#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/core/confusion.h"
#include "fernwood/records/train_records.h"
#include "fernwood/records/value_errors.h"
#include "fernwood/search/search_records.h"
#include "fernwood/stream/train_stream.h"

namespace fernwood::report {

/// Trees, classes or targets, and the attributes that splits read. @param checksum  Of the model file.
std::string model_table(const records::RecordForest& forest, const records::RecordSummary& summary,
                        const std::string& checksum);
/// Keys: docs/reference/model_file.md.
std::string model_json(const records::RecordForest& forest, const records::RecordSummary& summary,
                       const std::string& checksum);

/// Training of a forest from a table.
std::string record_training_table(const records::RecordForest& forest, std::size_t num_records,
                                  const records::RecordTrainReport& report);
/// @param model  File to which the forest was written.
std::string record_training_json(const records::RecordForest& forest, std::size_t num_records,
                                 const records::RecordTrainReport& report, const std::filesystem::path& model);

/// Predicted classes of records, compared with the true ones. A record counts as a pixel.
struct RecordEvaluation {
  std::vector<std::string> classes;
  Confusion confusion{0};
  double classify_s = 0, total_s = 0;  ///< Time for classification only, and including reading.
  std::string strategy = {};           ///< Evaluation strategy, for display; empty: not shown.
};
std::string record_evaluation_table(const RecordEvaluation& evaluation);
std::string record_evaluation_json(const RecordEvaluation& evaluation);

/// Predicted values of records, compared with the true ones.
struct ValueEvaluation {
  std::string target;
  records::ValueErrors errors;
  double predict_s = 0, total_s = 0;  ///< Time for prediction only, and including reading.
  std::string strategy = {};          ///< Evaluation strategy, for display; empty: not shown.
};
std::string value_evaluation_table(const ValueEvaluation& evaluation);
std::string value_evaluation_json(const ValueEvaluation& evaluation);

/// Training of a tree from a stream.
struct StreamTraining {
  stream::StreamReport report;
  int processes = 1;
  bool checkpoints = false;  ///< Whether checkpoints were written.
};
std::string stream_training_table(const records::RecordForest& tree, const StreamTraining& training);
std::string stream_training_json(const records::RecordForest& tree, const StreamTraining& training,
                                 const std::filesystem::path& model);

/// Winner and defaults evaluated on the records that were not used by races, the winner's options, and the course of
/// the race.
std::string search_table(const search::RecordSearch& found, bool color);
/// The complete result, with every trial. Keys: docs/reference/search.md.
std::string search_json(const search::RecordSearch& found);
/// A page, as for frames; times are shown only if they were limited.
std::string search_page(const search::RecordSearch& found);
/// Writes search::search_files(). @throws Error as write_file_atomically().
void write_search(const std::filesystem::path& folder, const search::RecordSearch& found);

}  // namespace fernwood::report
