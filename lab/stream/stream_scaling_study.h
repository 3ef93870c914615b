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
  std::filesystem::path data;  ///< Folder with ijcnn1.train.libsvm and ijcnn1.test.libsvm; empty: do not use them.
  stream::StreamWork work;
  std::uint64_t records = 100'000;  ///< Number of generated records with 50 attributes, >= 100; a fifth of this number
                                    ///< is added for testing.
  bool large = false;               ///< Also use a million generated records.
  int repeats = 3;                  ///< Runs of each measurement, >= 1; the median is reported.
  std::uint64_t seed = 4711;        ///< Seed of the generated records.

  static OptionTable<StreamScalingOptions> table();
};

/// Published results for one data set: versions in sequence, with OpenMP, MPI (4 workers each) and CUDA.
struct PublishedVersions {
  double seconds[4];
  double accuracy[4];
};

/// Run time of one way to divide the work.
struct WaysTime {
  std::string parallel;
  int workers = 1, ranks = 1;
  bool processes = false;  ///< Whether ranks are processes started by mpirun; otherwise threads.
  stream::StreamTimes times;
};

struct StreamScalingSet {
  std::string name;
  const PublishedVersions* published = nullptr;  ///< Null: not published.
  std::size_t records = 0, attributes = 0, test_records = 0, leaves = 0;
  int depth = 0;
  double accuracy = 0, exact = 0, majority = 0;
  std::string hash;  ///< Hash of the tree, the same for all ways.
  std::vector<WaysTime> ways;
};

/// A point of the scaling figures.
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

/// Must be called by all processes of the communicator together; rank 0 receives the study. Under mpirun it measures
/// the processes together, beside the sequential way; otherwise all ways to divide the work among threads.
/// @throws Error(kRuntime) if two ways grow different trees, Error(kData) if the folder lacks ijcnn1, Error as
///         train_stream().
StreamScalingStudy run_stream_scaling_study(const StreamScalingOptions& options, Communicator& communicator,
                                            const ProgressCallback& progress);

/// Tables with the report's results beside ours.
std::string stream_scaling_study_text(const StreamScalingStudy& study);
nlohmann::ordered_json stream_scaling_study_json(const StreamScalingStudy& study);

}  // namespace fernwood::lab
