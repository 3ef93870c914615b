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

/// The records from which a level of a tree is grown.
enum class Schedule {
  kPasses,     ///< All records, again at each level: for finite data that fit into memory.
  kFresh,      ///< New records at each level, a number for each open leaf; none is kept (Svantesson 2018, 3.4).
  kHoeffding,  ///< New records; a leaf is split when the Hoeffding bound allows (Domingos and Hulten 2000).
  /// As kHoeffding, and parts of the tree that drift has made worse are replaced (Bifet and Gavalda 2009).
  kAdaptive,
  /// A forest of Hoeffding trees, which learn record by record and begin anew after drift (Gomes et al. 2017, 2019).
  kForest
};
inline constexpr std::array kSchedules = {Schedule::kPasses, Schedule::kFresh, Schedule::kHoeffding,
                                          Schedule::kAdaptive, Schedule::kForest};
/// "passes", "fresh", "hoeffding", "adaptive", "forest".
std::string to_string(Schedule schedule);

/// Classification by a growing tree.
enum class LeafPrediction {
  kMajority,  ///< The majority class of the leaf.
  /// Naive Bayes in leaves where it has been more accurate (Gama, Rocha and Medas, KDD 2003), and in inner nodes where
  /// it has been more accurate than the subtree below.
  kNaiveBayesAdaptive
};
inline constexpr std::array kLeafPredictions = {LeafPrediction::kMajority, LeafPrediction::kNaiveBayesAdaptive};
/// "majority", "naive-bayes-adaptive".
std::string to_string(LeafPrediction prediction);

/// The attributes of which Schedule::kForest counts values.
enum class Subspace {
  kLeaf,  ///< 60 % of all for each leaf: adaptive random forest (Gomes et al., Machine Learning 106, 2017).
  kTree   ///< 60 % of all for each tree: streaming random patches (Gomes, Read, Bifet, ICDM 2019).
};
inline constexpr std::array kSubspaces = {Subspace::kLeaf, Subspace::kTree};
/// "leaf", "tree".
std::string to_string(Subspace subspace);

inline constexpr int kMaxDepth = 24;  ///< Levels below the root.

/// Options of growing a tree from a stream. Options and records determine the tree. For each attribute and class,
/// leaves hold whole-number counts in bins, whose boundaries are quantiles of a log-linear sketch of the attribute.
struct StreamOptions {
  Schedule schedule = Schedule::kPasses;
  records::Task task = records::Task::kAuto;  ///< Regression is possible with all schedules except kAdaptive.
  /// Regression: "LOW:HIGH", the range of all targets. Empty: with kPasses, that of all records; else at most 1024
  /// times the range of the first batch away from its lowest target.
  std::string target_range;
  records::Criterion criterion = records::Criterion::kGini;
  int bins = 255;              ///< Number of bins of an attribute in a leaf, [2, 255].
  int max_depth = kMaxDepth;   ///< Levels below the root, [1, 24].
  int max_leaves = 0;          ///< At least 2; 0: no limit. The splits of a level with the highest gain come first.
  int min_samples = 2;         ///< A leaf with fewer records is not split, >= 2.
  int min_leaf_samples = 1;    ///< Minimum number of records on each side of a test, >= 1.
  double min_gain = 0;         ///< Minimum decrease of impurity (entropy in bits; mean squared error) by a split, >= 0.
  int samples_per_leaf = 200;  ///< kFresh: records that a level reads for each open leaf, >= 1.
  int batch = 100;             ///< kHoeffding, kAdaptive: records between two rounds of decisions, >= 1.
  int grace_period = 100;      ///< kHoeffding, kAdaptive: records of a leaf between two decisions, >= 1.
  /// Probability that the attribute of a split differs from the one that the whole stream would select, divided among
  /// the leaf's repeated decisions. 0: no test, the best split so far is used. [0, 1)
  double failure_probability = 0;
  double tie = 0.05;   ///< Hoeffding bound below which attributes count as equally good and the leaf is split, >= 0.
  bool prune = false;  ///< Whether to prune, at the end, subtrees that do not shorten the description (MDL).
  LeafPrediction leaf_prediction = LeafPrediction::kMajority;
  double drift_delta = 0.002;         ///< kAdaptive: error probability of each test of ADWIN, (0, 1).
  double switch_significance = 0.05;  ///< kAdaptive: error probability of replacing or ending an alternate, (0, 1).
  int drift_window = 300;             ///< kAdaptive: minimum records to compare a node and its alternate, >= 1.
  int trees = 10;                     ///< kForest: number of trees, [1, 10000].
  Subspace subspace = Subspace::kLeaf;
  double warning_delta = 0.01;  ///< kForest: as drift_delta, to begin a tree in the background, (0, 1).
  std::uint64_t seed = 1;       ///< kForest: of the weights of records and of subspaces.

  /// The defaults of a schedule. kHoeffding, kAdaptive: 64 bins, a failure probability of 0.05, ties at 0.1, and for
  /// classes entropy and naive Bayes. kForest: entropy, 12 bins, a failure probability of 0.01, ties at 0.1, a
  /// drift_delta of 0.001 and naive Bayes.
  static StreamOptions for_schedule(Schedule schedule, records::Task task = records::Task::kAuto);
  bool predicts_targets() const { return task == records::Task::kRegression; }
  /// Both ends of target_range, if it is set. @throws OptionError.
  std::optional<std::pair<double, double>> known_targets() const;
  static OptionTable<StreamOptions> table();
  /// @throws OptionError naming the first option out of range.
  void check() const;
};

/// The options as one JSON object, in one line.
std::string to_json(const StreamOptions& options);

/// Sets options by their names, as `fernwood-tables stream train` does. A schedule also sets its defaults, which the
/// other texts override in any order. @throws Error(kUsage) for an unknown name or an invalid value.
void set_options(const OptionTexts& texts, StreamOptions& options);

/// Division of work among threads, and likewise among processes.
enum class Parallel {
  kSequential,  ///< One thread, but several for reading.
  kNode,        ///< By leaves; among threads only.
  kFeature,     ///< By attributes: all workers process all records.
  kData,        ///< By records: each worker counts its own records, then merges the attributes that it owns.
  kDataFeature  ///< By both.
};
inline constexpr std::array kParallels = {Parallel::kSequential, Parallel::kNode, Parallel::kFeature, Parallel::kData,
                                          Parallel::kDataFeature};
/// "sequential", "node", "feature", "data", "data-feature".
std::string to_string(Parallel parallel);

/// Options of the checkpoint from which an interrupted run continues.
struct StreamCheckpointOptions {
  std::filesystem::path file = {};  ///< Written periodically, between rounds; empty: never.
  double every_s = 10;              ///< Minimum interval between two writes, in seconds, >= 0.
  bool resume = false;              ///< Continue from the file.

  static OptionTable<StreamCheckpointOptions> table();
  /// @throws OptionError, Error(kUsage) for resume without a file.
  void check() const;
};

/// Resources for growing a tree; they do not change the tree.
struct StreamWork {
  int workers = 0;  ///< Threads of a process, [0, 4096]; 0: all cores. train_stream() uses those of its pool.
  Parallel parallel = Parallel::kDataFeature;
  std::string device = "cpu";             ///< See choose_device(). A GPU counts and searches; the CPU reads.
  std::size_t memory_budget_bytes = 0;    ///< Limit for the counts of open leaves; 0: the available memory.
  std::uint64_t accuracy_window = 10000;  ///< Minimum number of latest records for recent accuracy, >= 1.
  StreamCheckpointOptions checkpoint = {};

  static OptionTable<StreamWork> table();
  /// Also checks `checkpoint`. @throws OptionError naming the first option out of range.
  void check() const;
};

/// As above, for all options except those of checkpoints.
void set_options(const OptionTexts& texts, StreamOptions& options, StreamWork& work);

}  // namespace fernwood::stream
