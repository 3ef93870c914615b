// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// D. Svantesson, Implementing Streaming Parallel Decision Trees on Graphic Processing Units (2018), chapter 5.

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"
#include "fernwood/stream/train_stream.h"

namespace fernwood::lab {

struct StreamAccuracyOptions {
  std::filesystem::path data;
  stream::StreamWork work;
  int repeats = 5;            ///< Number of orders of the records, and of runs for each time, >= 1.
  std::uint64_t seed = 4711;  ///< Seed of the orders.

  static OptionTable<StreamAccuracyOptions> table();
};

/// The thesis' results for one data set.
struct PublishedSet {
  /// Tables 5.4 and 5.5.
  struct Accuracy {
    int depth = 0;
    double gspdt = 0, cpu_spdt = 0;  ///< 0: not published.
  };
  const char* name;
  std::size_t train_records = 0;                      ///< Table 5.2.
  int bins = 50;                                      ///< Bins of its histograms.
  Accuracy of_100, of_200;                            ///< With this number of records for each node of a level.
  double train_s = 0, program_s = 0, cpu_spdt_s = 0;  ///< Table 5.6.
};
/// The data sets for which files exist.
std::span<const PublishedSet> published_sets();

/// Mean and standard deviation over several orders of the records.
struct OrderSpread {
  double mean = 0, deviation = 0;
};

/// A row of table 5.4 or 5.5: accuracy on the test file, trained on as many records as in the thesis.
struct OrderAccuracy {
  int samples_per_leaf = 0, depth = 0;
  OrderSpread fresh, passes, exact;
  std::optional<OrderSpread> ben_haim;  ///< Only on the CPU.
};

/// A point of figures 5.1 and 5.2: trained on all records of the file in a random order.
struct DepthAccuracy {
  int depth = 0;
  double fresh_100 = 0, fresh_200 = 0, passes = 0, exact = 0;
};

/// Report on the training, and accuracy of the tree.
struct TimedTree {
  stream::StreamReport report;
  double accuracy = 0;
};

/// A point of figures 5.3 to 5.6: growing from fresh records of the whole file, divided among the workers.
struct WorkTime {
  int workers = 0, samples_per_leaf = 0;
  stream::StreamReport report;
};

struct StreamAccuracySet {
  const PublishedSet* published = nullptr;
  std::size_t train_records = 0, used_records = 0, test_records = 0;  ///< used_records: at most as many as in the
                                                                      ///< thesis.
  double majority = 0;
  std::array<OrderAccuracy, 2> accuracy;  ///< With 100 and with 200 records for each node.
  std::vector<DepthAccuracy> curve;
  TimedTree fresh, passes;  ///< With the thesis' number of records and depth.
  TimedTree whole, deep;    ///< Passes over the whole file, to the thesis' depth and to depth 20.
  std::vector<WorkTime> by_workers, by_samples;
};

struct StreamAccuracyStudy {
  StreamAccuracyOptions options;
  int workers = 0;
  std::vector<std::string> missing;  ///< Names of data sets without files.
  std::vector<StreamAccuracySet> sets;
};

/// @throws Error(kData) if the folder contains none of the data sets, Error as read_pair() and train_stream().
StreamAccuracyStudy run_stream_accuracy_study(const StreamAccuracyOptions& options, const ProgressCallback& progress);

/// Tables with the thesis' results beside ours.
std::string stream_accuracy_study_text(const StreamAccuracyStudy& study);
nlohmann::ordered_json stream_accuracy_study_json(const StreamAccuracyStudy& study);

}  // namespace fernwood::lab
