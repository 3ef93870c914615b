// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// K. Ding and A. Zhang, Parallel Decision Tree (course project, CMU 15-618, 2019): workers, ranks, rows, attributes.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"
#include "fernwood/stream/train_stream.h"

namespace fernwood::lab {

struct StreamScalingOptions {
  std::filesystem::path data;  ///< Folder with ijcnn1.train.libsvm and ijcnn1.test.libsvm; empty: without.
  stream::StreamWork work;
  std::uint64_t records = 100'000;  ///< Generated ones, of 50 attributes, >= 100; a fifth as many more to test.
  bool large = false;               ///< Also a million of them.
  int repeats = 3;                  ///< Runs of each; the median counts. >= 1
  std::uint64_t seed = 4711;        ///< Of the generated records.

  static OptionTable<StreamScalingOptions> table();
};

/// What the report says of one set: versions in sequence, with OpenMP, MPI (4 workers each) and CUDA.
struct PublishedVersions {
  double seconds[4];
  double accuracy[4];
};

/// One way to divide the work.
struct WaysTime {
  std::string parallel;
  int workers = 1, ranks = 1;
  bool processes = false;  ///< Ranks are processes that mpirun started, else threads.
  stream::StreamTimes times;
};

struct StreamScalingSet {
  std::string name;
  const PublishedVersions* published = nullptr;  ///< Null: it has none.
  std::size_t records = 0, attributes = 0, test_records = 0, leaves = 0;
  int depth = 0;
  double accuracy = 0, exact = 0, majority = 0;
  std::string hash;  ///< Of the tree that all ways grow.
  std::vector<WaysTime> ways;
};

/// A point of the figures about scaling.
struct ScalePoint {
  std::size_t records = 0, attributes = 0;
  std::vector<double> seconds;  ///< [kScaleWorkers]
};
inline constexpr std::array kScaleWorkers = {1, 2, 4};

struct StreamScalingStudy {
  StreamScalingOptions options;
  std::vector<StreamScalingSet> sets;
  std::vector<ScalePoint> by_records, by_attributes;  ///< Empty under mpirun.
};

/// All processes of the communicator call this together; rank 0 gets the study. Under mpirun that is what they do
/// together, beside the sequential way; else all ways to divide the work among threads.
/// @throws Error(kRuntime) when two ways grow different trees, Error(kData) where the folder has no ijcnn1, Error as
/// train_stream().
StreamScalingStudy run_stream_scaling_study(const StreamScalingOptions& options, Communicator& communicator,
                                            const ProgressCallback& progress);

/// Tables, with the report's figures beside ours.
std::string stream_scaling_study_text(const StreamScalingStudy& study);
nlohmann::ordered_json stream_scaling_study_json(const StreamScalingStudy& study);

}  // namespace fernwood::lab
