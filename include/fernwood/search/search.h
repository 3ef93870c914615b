// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Search for the configuration with the smallest loss, by racing: batches of trials are evaluated fold by fold, all on
// the same folds, and a trial is eliminated as soon as a test shows that it is worse than the leader. A Problem defines
// the evaluation and its data.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/confusion.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood::search {

// The search space: parameters with their ranges, and the mapping between configurations and points of the unit cube,
// in which all proposals are made.

/// A configuration: a value for each parameter of a space, in the form of --config: "1500", "0.4", "lab,depth".
using Configuration = std::map<std::string, std::string>;

enum class ParameterKind { kInteger, kReal, kChoice };

/// A parameter of a space.
struct Parameter {
  std::string name;  ///< Its name in --config: "samples_per_frame".
  ParameterKind kind = ParameterKind::kInteger;
  double low = 0, high = 0;               ///< Range of a number, both ends included.
  bool logarithmic = false;               ///< Numbers: uniform on a logarithmic scale; low > 0.
  std::vector<std::string> choices = {};  ///< For kChoice, at least one; a single one fixes the parameter.
  std::string standard = {};              ///< Value of the hand-made defaults.

  bool is_number() const { return kind != ParameterKind::kChoice; }
  /// Whether the parameter has only one value.
  bool is_fixed() const { return is_number() ? low == high : choices.size() == 1; }
};

Parameter integer_parameter(const std::string& name, int low, int high, int standard, bool logarithmic = false);
/// A real parameter, whose values have four significant digits.
Parameter real_parameter(const std::string& name, double low, double high, double standard, bool logarithmic = false);
Parameter choice_parameter(const std::string& name, const std::vector<std::string>& choices,
                           const std::string& standard);

/// The parameters of a search. The point of a configuration has a coordinate in [0, 1) for each parameter.
class Space {
 public:
  Space() = default;
  /// @throws Error(kUsage) for inconsistent parameters or duplicate names.
  explicit Space(std::vector<Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// The hand-made defaults, each replaced by the nearest value in the space.
  Configuration standard() const;
  /// The configuration of a point. @param point  [parameters], each in [0, 1).
  Configuration configuration(const std::vector<double>& point) const;
  /// The middle of each value's interval, so that configuration(point(s)) == s. @throws Error(kUsage) as check().
  std::vector<double> point(const Configuration& configuration) const;
  /// @throws Error(kUsage) for missing or unknown parameters, and for values outside the space.
  void check(const Configuration& configuration) const;
  /// Whether check() succeeds.
  bool has(const Configuration& configuration) const;
  /// The space with the changes of a file: `[samples_per_frame]`, then `low`, `high` and `log` for numbers,
  /// `choices = ["lab", "lab,depth"]` for others, or `value`, which fixes a parameter of either kind.
  /// @param toml  The file's text. @param file  Its name in messages.
  /// @throws Error(kUsage) naming file and line: invalid TOML, an unknown parameter or key, a range that is empty or of
  ///         another kind; also if all parameters are fixed.
  Space changed_by(std::string_view toml, const std::string& file) const;
  /// A JSON object of all parameters; equal spaces give equal texts.
  std::string to_json() const;

 private:
  std::vector<Parameter> parameters_;
};

/// Result of one variant on one fold.
struct FoldResult {
  double loss = 0;                          ///< In [0, 1], lower is better; NaN: the variant is eliminated.
  double accuracy = 0, class_accuracy = 0;  ///< Of pixels or records, and mean over classes; only reported.
};

/// Result of one evaluation: training a trial on all folds except one, and evaluating its variants on that one.
struct EvaluationResult {
  double train_seconds = 0;
  std::vector<FoldResult> results;  ///< [requested variants]
  /// [requested variants] For labelling a frame or classifying a record; empty except on the first fold of a race.
  std::vector<double> latency_ms;
};

/// The problem that a search solves. run_search() calls it from one thread at a time.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual const Space& space() const = 0;
  /// Number of cross-validation folds of frames or records, at least 2.
  virtual std::size_t num_folds() const = 0;
  /// Identifies everything that results depend on, except the configuration: data, folds, fixed options, version of the
  /// formulas. A journal with another fingerprint is rejected.
  virtual std::string fingerprint() const = 0;
  /// The trial itself, and configurations that need no training of their own: fewer trees, prunings, other weights. The
  /// result is always the same for the same trial.
  virtual std::vector<Configuration> variants(const Configuration& trial) const { return {trial}; }
  /// @throws Error(kUsage) if parameters contradict each other; such configurations are not proposed.
  virtual void check(const Configuration&) const {}
  /// Trains a trial without a fold, and evaluates its variants on that fold.
  /// @param variants  Those of the trial that are still in the race, in the order of variants().
  /// @param fold      Below num_folds().
  /// @param timed     Whether to measure latency_ms: on the first fold of a race.
  /// @throws Error(kUsage or kResource) if the configuration is not possible: the trial is eliminated, with this
  ///         message. Any other Error ends the search.
  virtual EvaluationResult measure(const Configuration& trial, const std::vector<Configuration>& variants,
                                   std::size_t fold, bool timed) = 0;
  /// Text about a variant that exceeds the limit: "a frame takes 31 ms".
  virtual std::string time_text(double latency_ms) const;
};

/// The test that compares variants with the leader.
enum class RaceTest {
  kNadeauBengio,  ///< Corrected for overlapping training data and for the number of interim tests.
  kStudent        ///< That of the thesis: Student's t-test without corrections.
};

/// The source of configurations.
enum class Proposals {
  kAroundSurvivors,  ///< A low-discrepancy sequence first, then points around the survivors.
  kRandom            ///< Independent, uniformly distributed points.
};

struct TrialRow;

/// Returns the configurations of the next batch; none: the search ends.
/// @param trials  All trials so far, including those read from a journal.
using Sampler = std::function<std::vector<Configuration>(const std::vector<TrialRow>& trials)>;

/// Options of run_search(). Those of the command line are in the table of DataSearchOptions.
struct SearchOptions {
  std::size_t trials = 160;     ///< Configurations to train, >= 1; 0: limited by `minutes` only.
  double minutes = 0;           ///< Time after which the current race ends; 0: no limit.
  std::size_t batch_size = 24;  ///< Configurations per batch, >= 1.
  std::uint64_t seed = 4711;    ///< Seed of proposals and of the order of folds.
  RaceTest test = RaceTest::kNadeauBengio;
  Proposals proposals = Proposals::kAroundSurvivors;
  double alpha = 0.05;  ///< Error of all tests of a race, (0, 0.5]: alpha_of_interim_test() in src/search/race.h.
  std::size_t first_interim_test = 2;  ///< Number of folds before the first test.
  std::size_t min_survivors = 3;       ///< A race, except the last, ends when this number of trials is left; 0: never.
  std::size_t race_folds = 6;          ///< Number of folds of a race, except the last; 0: all.
  std::size_t most_survivors = 6;      ///< Maximum number of trials that enter the next race.
  /// False: each trial is evaluated on all folds, whatever its rank. This shows what a race saves, and other samplers
  /// expect it. first_interim_test and race_folds are then ignored.
  bool prunes = true;
  double max_latency_ms = 0;     ///< Slower variants are eliminated; 0: no limit.
  double train_seconds = 0;      ///< Trials whose first training takes longer are eliminated; 0: no limit.
  std::filesystem::path folder;  ///< Folder of the journal; empty: no journal.
  Sampler propose;               ///< Replaces `proposals`; empty: not used.

  /// @throws Error(kUsage) for a search that would never end.
  void check() const;
};

/// Reason why a variant is no longer in the race.
enum class EliminationReason {
  kNone,       ///< Survived.
  kWorse,      ///< Worse than the leader by the test.
  kOutranked,  ///< Not shown to be worse, but the trials that continue had smaller losses.
  kTooSlow,    ///< Labelling takes longer than the limit.
  kTrainsTooLong,
  kProblem,  ///< The configuration is not possible, or its loss is not a number.
  kNoTime    ///< The time limit ended the search before.
};
/// Its name in files: "worse", "too_slow", …; "survived" for kNone.
std::string to_string(EliminationReason elimination);

struct VariantRow {
  Configuration configuration;
  std::vector<double> losses;       ///< [folds] In the order of the race; NaN if not evaluated.
  std::vector<FoldResult> results;  ///< [folds] Likewise.
  double latency_ms = std::numeric_limits<double>::quiet_NaN();
  EliminationReason elimination = EliminationReason::kNone;
  std::size_t elimination_batch = 0;  ///< The race in which it was eliminated; the final race has the last number.
  std::size_t elimination_folds = 0;  ///< Number of folds before it was eliminated.
  double p = std::numeric_limits<double>::quiet_NaN();  ///< With kWorse: p-value of the test.
  std::string why;  ///< Explanation of the elimination, without full stop; empty if it survived.

  std::size_t num_folds() const;  ///< Number of folds on which it was evaluated.
  double mean_loss() const;       ///< Mean over these folds; NaN if there are none.
};

struct TrialRow {
  std::size_t batch = 0;
  Configuration configuration;
  double train_seconds = 0;          ///< Mean over its trainings.
  std::vector<VariantRow> variants;  ///< The trial itself first.
  std::size_t num_evaluations = 0;   ///< Number of trainings in the race.
};

/// Result of a search.
struct SearchReport {
  Space space;
  std::uint64_t seed = 0;
  double alpha = 0;
  std::vector<std::size_t> fold_order;  ///< Order of folds in the race, and of the losses in rows.
  std::vector<TrialRow> trials;         ///< In the order of proposal; the first has the hand-made defaults.
  std::size_t num_batches = 0;
  std::size_t winner_trial = 0, winner_variant = 0;
  double loss = 0, loss_low = 0, loss_high = 0;  ///< The race's own estimate for the winner, and its 95 % interval.
  std::size_t num_evaluations = 0;               ///< Number of trainings in the race.
  std::size_t evaluations_saved = 0;             ///< Further trainings needed to evaluate each trial on all folds.
  bool ended_by_clock = false;
  double seconds = 0;  ///< From the start of the first run to the last result, without the time between runs.
  std::vector<Warning> warnings;

  const VariantRow& winner() const { return trials[winner_trial].variants[winner_variant]; }
};

/// A trial in the race, represented by its best variant.
struct Leader {
  std::size_t trial = 0, variant = 0;
  Configuration configuration;  ///< Configuration of the variant.
  double loss = 0;              ///< Mean over the folds on which all trials in the race were evaluated.
};

/// Progress of a search.
struct SearchProgress {
  std::size_t batch = 0, fold = 0, num_folds = 0;
  std::size_t trials = 0;        ///< Number proposed so far.
  std::size_t trials_alive = 0;  ///< Number in the current race.
  std::vector<Leader> leaders;   ///< The best three, best first.
  double done = 0;               ///< Estimated share of the search, [0, 1].
  double seconds_left = 0;       ///< Estimate; NaN if not yet known.
  std::string after;             ///< Work after the race, to which `done` then refers; empty during the race.
};

struct SearchHooks {
  std::function<void(const SearchProgress&)> progress;  ///< On the calling thread; may throw to end the search.
  std::stop_token stop;                                 ///< On request: Error(kInterrupted); the journal remains.
  /// Receives warnings about the data, before the race begins; not those of its report.
  std::function<void(const Warning&)> warn = {};
  SecondsClock clock = seconds_now;  ///< Clock for SearchOptions::minutes.
};

/// The file in SearchOptions::folder that has all results.
std::filesystem::path journal_path(const std::filesystem::path& folder);

/// Parses a configuration proposed by another sampler: a line {"configuration": {"depth": "12", …}}; other keys are
/// ignored.
/// @param place  The line's place in messages. @throws Error(kData) naming it.
Configuration read_proposal(std::string_view line, const std::string& place);
/// Reads a file of such lines. @throws Error(kData) naming file and line.
std::vector<Configuration> read_proposals(const std::filesystem::path& path);
/// A sampler that proposes configurations as one batch, except those that were already tried.
Sampler propose_once(std::vector<Configuration> configurations);

/// Runs a search. The same problem, options and seed give the same winner, also if runs are killed and resumed,
/// provided that measured times fall on the same side of the limits.
/// @throws Error(kUsage) for options out of range, and if no configuration meets the limits; Error(kData) for a
///         journal that is damaged or of another search; Error(kInterrupted); errors of Problem::measure().
SearchReport run_search(Problem& problem, const SearchOptions& options, const SearchHooks& hooks = {});

// Common options of searches over frames and over records.

/// Metric to maximise.
enum class Objective {
  kMean,   ///< Mean of pixel accuracy and average per-class accuracy.
  kPixel,  ///< Share of correctly classified pixels or records.
  kClass   ///< Average per-class accuracy, as in the thesis (eq. 5.1).
};
inline constexpr std::array kObjectives = {Objective::kMean, Objective::kPixel, Objective::kClass};
/// Its name in options and files: "mean", "pixel", "class".
std::string to_string(Objective objective);

/// Options of a search over data, named as on the command line.
struct DataSearchOptions {
  SearchOptions race;
  Objective objective = Objective::kMean;
  int folds = 16;                      ///< Number of cross-validation folds, [3, 100]; fewer for small data.
  double held_out = 0.2;               ///< Share of the data that no race uses, (0, 0.9].
  std::string space_toml, space_file;  ///< Changes of the space, and the name of their file; empty: none.
  /// Reads changes of the space from a file. @throws Error if it cannot be read.
  void read_space(const std::filesystem::path& file);
  static OptionTable<DataSearchOptions> table();
  /// @throws OptionError naming the first option out of range.
  void check() const;
};

/// A forest evaluated on data that it has not seen.
struct EvaluatedForest {
  Accuracy accuracy;  ///< Of frames without void, or of records in place of pixels.
  double time = 0;    ///< To label a frame, in milliseconds, or to classify a record, in microseconds.
};

/// Result of a search over data, frames or records.
struct DataSearch {
  SearchReport race;
  std::string data, device;                                    ///< Names, for display.
  std::size_t num_raced = 0, num_held_out = 0, num_folds = 0;  ///< Frames or records, and folds of those that raced.
  Objective objective = Objective::kMean;
  double time_limit = 0, max_train_seconds = 0;  ///< As EvaluatedForest::time, and in seconds; 0: none.
  EvaluatedForest winner, defaults;              ///< On the data held out, both trained on those of the race.
  std::vector<Warning> warnings;
};

/// A warning if too few frames or records are held out for a meaningful accuracy of the winner; else empty.
/// @param unit  "frame" or "record". @param place  Name of the data in the message.
std::optional<Warning> warning_of_few_held_out(std::size_t num_held_out, const std::string& unit,
                                               const std::string& place);

/// Sets options by their names, as `fernwood search` does.
/// @throws Error(kUsage) for an unknown name or an invalid value.
void set_options(const OptionTexts& texts, DataSearchOptions& options);

}  // namespace fernwood::search
