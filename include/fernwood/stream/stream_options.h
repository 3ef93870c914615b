// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "fernwood/core/option_table.h"
#include "fernwood/core/text.h"
#include "fernwood/records/train_records.h"

namespace fernwood::stream {

/// Which records a level of a tree is grown from.
enum class Schedule {
  kPasses,     ///< All, again at each level: for data that end and fit into memory.
  kFresh,      ///< New ones at each level, so many for each open leaf; none is kept (Svantesson 2018, 3.4).
  kHoeffding,  ///< New ones, and a leaf is split as soon as enough were seen to decide (Domingos and Hulten 2000).
  /// Likewise, and parts of the tree that do not hold any more are replaced (Bifet and Gavalda 2009).
  kAdaptive
};
inline constexpr std::array kSchedules = {Schedule::kPasses, Schedule::kFresh, Schedule::kHoeffding,
                                          Schedule::kAdaptive};
/// "passes", "fresh", "hoeffding", "adaptive".
std::string to_string(Schedule schedule);

/// How the tree of Schedule::kAdaptive classifies.
enum class LeafPrediction {
  kMajority,  ///< By the class of most records of a leaf.
  /// By naive Bayes in leaves where that has been right more often (Gama, Rocha and Medas, KDD 2003), and in inner
  /// nodes where it has been right more often than what is below.
  kNaiveBayesAdaptive
};
inline constexpr std::array kLeafPredictions = {LeafPrediction::kMajority, LeafPrediction::kNaiveBayesAdaptive};
/// "majority", "naive-bayes-adaptive".
std::string to_string(LeafPrediction prediction);

inline constexpr int kMostDepth = 24;  ///< Levels below the root.

/// How a tree is grown from a stream. With it and the records the tree is determined. Leaves count, for each attribute
/// and class, whole numbers in bins between places that a log-linear sketch of the attribute parts evenly.
struct StreamOptions {
  Schedule schedule = Schedule::kPasses;
  records::Task task = records::Task::kAuto;  ///< Regression with any schedule but kAdaptive.
  /// Regression: "LOW:HIGH", between which all targets lie; empty: up to 1024 times the range of the first batch from
  /// its lowest one. With kPasses those of all records are known.
  std::string target_range;
  records::Criterion criterion = records::Criterion::kGini;
  int bins = 255;              ///< Of an attribute in a leaf, [2, 255].
  int max_depth = kMostDepth;  ///< Levels below the root, [1, 24].
  int max_leaves = 0;          ///< At least 2; 0: no limit. The splits of a level that gain most come first.
  int min_samples = 2;         ///< A leaf with fewer records is not split, >= 2.
  int min_leaf_samples = 1;    ///< No test may leave a side with fewer records, >= 1.
  double min_gain = 0;         ///< Least decrease of impurity (entropy in bits; mean squared error) by a split, >= 0.
  int samples_per_leaf = 200;  ///< kFresh: records that a level reads for each open leaf, >= 1.
  int batch = 10000;           ///< kHoeffding, kAdaptive: records between two rounds of decisions, >= 1.
  int grace_period = 200;      ///< kHoeffding, kAdaptive: records that a leaf sees between two decisions, >= 1.
  /// Probability that the attribute of any one split is not the one that all of the stream would show; spent over the
  /// leaf's repeated decisions. 0: no such test, the best split seen is taken. [0, 1)
  double failure_probability = 0;
  double tie = 0.05;   ///< Attributes whose gains surely differ by less are as good as each other, >= 0.
  bool prune = false;  ///< Cut back, at the end, what does not pay for its description (MDL).
  LeafPrediction leaf_prediction = LeafPrediction::kMajority;
  double drift_delta = 0.002;         ///< kAdaptive: what each test of ADWIN may fail with, (0, 1).
  double switch_significance = 0.05;  ///< kAdaptive: what replacing or ending an alternate may fail with, (0, 1).
  int drift_window = 300;             ///< kAdaptive: records that a node and its alternate are compared by, >= 1.

  /// The usual values for a schedule: kHoeffding decides with a failure probability of 1e-7; kAdaptive by entropy in 64
  /// bins, with a failure probability of 0.05 and ties at 0.1, after each 200 records and a grace period of 100, and
  /// with naive Bayes.
  static StreamOptions for_schedule(Schedule schedule);
  bool predicts_targets() const { return task == records::Task::kRegression; }
  /// Both ends of target_range. @throws OptionError.
  std::optional<std::pair<double, double>> known_targets() const;
  static OptionTable<StreamOptions> table();
  /// @throws OptionError naming the first option out of its range.
  void check() const;
};

/// The options as one JSON object, in one line.
std::string to_json(const StreamOptions& options);

/// Sets options by their names, as `fernwood stream train` does. A schedule comes with its usual values, wherever it
/// stands among the texts. @throws Error(kUsage) for an unknown name, or a text that is not a value.
void set_options(const OptionTexts& texts, StreamOptions& options);

/// How work is divided among threads, and likewise among processes.
enum class Parallel {
  kSequential,  ///< One thread; reading takes more.
  kNode,        ///< By leaves; among threads only.
  kFeature,     ///< By attributes: all workers see all records.
  kData,        ///< By records: each worker counts all attributes of its own, then merges the attributes that it owns.
  kDataFeature  ///< By both.
};
inline constexpr std::array kParallels = {Parallel::kSequential, Parallel::kNode, Parallel::kFeature, Parallel::kData,
                                          Parallel::kDataFeature};
/// "sequential", "node", "feature", "data", "data-feature".
std::string to_string(Parallel parallel);

/// Whether a run that ended can go on.
struct StreamCheckpointOptions {
  std::filesystem::path file = {};  ///< Written now and then, between rounds; empty: never.
  double every_s = 10;              ///< Least time from one to the next, >= 0.
  bool resume = false;              ///< Go on from the file.

  static OptionTable<StreamCheckpointOptions> table();
  /// @throws OptionError, Error(kUsage) for resume without a file.
  void check() const;
};

/// Where and how a tree is grown; nothing of it changes the tree.
struct StreamWork {
  int workers = 0;  ///< Threads of a process, [0, 4096]; 0: all cores. train_stream() takes those of its pool.
  Parallel parallel = Parallel::kDataFeature;
  std::string device = "cpu";             ///< As choose_device() takes it. A GPU counts and searches; the CPU reads.
  std::size_t memory_budget_bytes = 0;    ///< For what open leaves count; 0: what is free.
  std::uint64_t accuracy_window = 10000;  ///< Records of the last rounds, at least, that recent accuracy is of; >= 1.
  StreamCheckpointOptions checkpoint = {};

  static OptionTable<StreamWork> table();
  /// Of the checkpoint, too. @throws OptionError naming the first option out of its range.
  void check() const;
};

/// The same for all options but those of checkpoints.
void set_options(const OptionTexts& texts, StreamOptions& options, StreamWork& work);

}  // namespace fernwood::stream
