// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A search for the setting with the least loss, by racing: generations of trials are measured fold by fold, all on
// the same folds, and elimination as soon as a test says that they are worse than the leader. What is measured, and on
// what, is a Problem's business.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/warning.h"
#include "fernwood/search/space.h"

namespace fernwood::search {

/// What a unit of work found out about one variant.
struct FoldResult {
  double loss = 0;                          ///< In [0, 1], lower is better; NaN: the variant is out.
  double accuracy = 0, class_accuracy = 0;  ///< Of pixels or records / mean of classes: told, not used.
};

/// What training a trial on all folds but one, and judging its variants on that one, came to.
struct EvaluationResult {
  double train_seconds = 0;
  std::vector<FoldResult> judged;  ///< [variants asked for]
  /// [variants asked for], of labelling a frame or classifying a record; from the first fold of a race, else empty.
  std::vector<double> latency_ms;
};

/// What a search works on. One thread at a time calls it for one run_search().
class Problem {
 public:
  virtual ~Problem() = default;
  virtual const Space& space() const = 0;
  /// Folds of frames or records that are held back together, at least 2.
  virtual std::size_t num_folds() const = 0;
  /// Size of a unit's test over that of its training, for the variance of Nadeau and Bengio.
  virtual double test_share() const = 0;
  /// Everything that results depend on but the setting: data, folds, fixed options, the formulas' version. A journal
  /// with another is refused.
  virtual std::string fingerprint() const = 0;
  /// The trial itself, and what its training gives for nothing: fewer trees, prunings, other weights. Always the same
  /// for the same trial.
  virtual std::vector<Setting> variants(const Setting& trial) const { return {trial}; }
  /// @throws Error(kUsage) when parameters contradict each other: such settings are not proposed.
  virtual void check(const Setting&) const {}
  /// @param variants  Those of the trial that are still in the race, in the order of variants().
  /// @param fold     Below num_folds(); latency_ms is wanted of the race's first, `timed`.
  /// @throws Error(kUsage or kResource) when a setting cannot be had: the trial is out, with the sentence. Any other
  ///         Error ends the search.
  virtual EvaluationResult measure(const Setting& trial, const std::vector<Setting>& variants, std::size_t fold,
                                   bool timed) = 0;
  /// For who is beyond the limit: "a frame takes 31 ms".
  virtual std::string time_text(double latency_ms) const;
};

/// How variants are compared with the leader.
enum class RaceTest {
  kNadeauBengio,  ///< Corrected for trainings that overlap, and for the number of interim tests.
  kStudent        ///< The thesis': plain, at each interim test anew.
};

/// Where settings come from.
enum class Proposals {
  kAroundSurvivors,  ///< A low-discrepancy sequence first, then around the survivors.
  kRandom            ///< Each by itself, evenly.
};

struct TrialRow;

/// Gives the settings of the next generation; none: the search ends.
/// @param trials  All so far, those that a journal already had, too.
using Sampler = std::function<std::vector<Setting>(const std::vector<TrialRow>& trials)>;

/// Field names are those of the command line where it has them: what races over data have of it is in the table of
/// DataSearchOptions, what only other programs set in that of SearchOptions.
struct SearchOptions {
  std::size_t trials = 160;     ///< Settings to train, >= 1; 0: as many as `minutes` allow.
  double minutes = 0;           ///< Then the race under way ends; 0: no limit.
  std::size_t batch_size = 24;  ///< Settings proposed at once, >= 1.
  std::uint64_t seed = 4711;    ///< Of proposals and of the order of folds.
  RaceTest test = RaceTest::kNadeauBengio;
  Proposals proposals = Proposals::kAroundSurvivors;
  double alpha = 0.05;  ///< Of the test, for a whole race: alpha_of_interim_test() of src/search/race.h; in (0, 0.5].
  std::size_t first_interim_test = 2;  ///< Folds before the first test.
  std::size_t min_survivors = 3;       ///< A race but the last ends when so few trials are left; 0: after all folds.
  std::size_t race_folds = 6;          ///< A race but the last ends after so many folds; 0: after all.
  std::size_t most_survivors = 6;      ///< Go on to the next generation.
  /// False: each trial is measured on all folds, whatever the others lose: what a race saves, and what other samplers
  /// expect. first_interim_test and race_folds are not looked at then.
  bool prunes = true;
  double max_latency_ms = 0;     ///< Variants that take longer are out; 0: no limit.
  double train_seconds = 0;      ///< Trials whose first training takes longer are out; 0: no limit.
  std::filesystem::path folder;  ///< Of the journal, which several processes may share; empty: none is kept.
  Sampler propose;               ///< In place of own proposals; empty: those.

  static OptionTable<SearchOptions> table();
  /// @throws OptionError naming the first option out of its range; Error(kUsage) for a search that would never end.
  void check() const;
};

/// Why a variant is no longer in the race.
enum class EliminationReason {
  kNone,       ///< It survived.
  kWorse,      ///< Than the leader, says the test.
  kOutranked,  ///< Not shown to be worse, but others that go on had less loss.
  kTooSlow,    ///< Labelling takes longer than the limit.
  kTrainsTooLong,
  kProblem,  ///< It cannot be had, or its loss is not a number.
  kNoTime    ///< The clock ended the search first.
};
/// As files call it: "worse", "too_slow", …; "survived" for kNone.
std::string to_string(EliminationReason elimination);

struct VariantRow {
  Setting setting;
  std::vector<double> losses;      ///< [folds], in the order of the race; NaN where it was not judged.
  std::vector<FoldResult> judged;  ///< [folds] likewise.
  double latency_ms = std::numeric_limits<double>::quiet_NaN();
  EliminationReason elimination = EliminationReason::kNone;
  std::size_t elimination_batch = 0;  ///< The race in which it was eliminated, the last one for the final, and
  std::size_t elimination_folds = 0;  ///< after how many folds.
  double p = std::numeric_limits<double>::quiet_NaN();  ///< Of kWorse: what the test said.
  std::string why;  ///< It was eliminated, a sentence without full stop; empty: it survived.

  std::size_t num_folds() const;  ///< FoldResult on.
  double mean_loss() const;       ///< Over these; NaN of none.
};

struct TrialRow {
  std::size_t generation = 0;
  Setting setting;
  double train_seconds = 0;          ///< Mean of its trainings.
  std::vector<VariantRow> variants;  ///< The trial itself first.
  std::size_t num_evaluations = 0;   ///< Trainings that the race used.
};

/// What a search came to.
struct SearchReport {
  Space space;
  std::uint64_t seed = 0;
  double alpha = 0;
  std::vector<std::size_t> fold_order;  ///< Folds as the race took them; the losses of rows stand in this order.
  std::vector<TrialRow> trials;         ///< In the order of proposal; the first has the hand-made defaults.
  std::size_t num_generations = 0;
  std::size_t winner_trial = 0, winner_variant = 0;
  double loss = 0, loss_low = 0, loss_high = 0;  ///< The race's own estimate for the winner, and its 95 % interval.
  std::size_t units = 0;                         ///< Trainings that the race used.
  std::size_t evaluations_saved = 0;             ///< That measuring each trial on all folds would have taken more.
  bool ended_by_clock = false;
  double seconds = 0;  ///< From the first run's begin to the last result, less the time between runs.
  std::vector<Warning> warnings;

  const VariantRow& winner() const { return trials[winner_trial].variants[winner_variant]; }
};

/// A living trial, by its best variant.
struct Leader {
  std::size_t trial = 0, variant = 0;
  Setting setting;  ///< The variant's.
  double loss = 0;  ///< Mean over the folds that all living ones have seen.
};

/// How far a search is.
struct SearchProgress {
  std::size_t generation = 0, fold = 0, num_folds = 0;
  std::size_t trials = 0;        ///< Proposed so far.
  std::size_t trials_alive = 0;  ///< In the race under way.
  std::vector<Leader> leaders;   ///< The best three, best first.
  double done = 0;               ///< Share of the search, [0, 1], estimated.
  double seconds_left = 0;       ///< Estimated; NaN while nothing is known.
  std::string after;  ///< What is done once the race is over, of which `done` is the share; empty: it goes on.
};

struct SearchHooks {
  std::function<void(const SearchProgress&)> progress;  ///< From the calling thread; may throw to end the search.
  std::stop_token stop;                                 ///< Asked to stop: Error(kInterrupted); the journal stays.
  /// What is to be known about the data, before the race begins; not what its report warns of.
  std::function<void(const Warning&)> warn = {};
  SecondsClock clock = seconds_now;  ///< By which SearchOptions::minutes pass.
};

/// A setting that another sampler proposes, a line {"setting": {"depth": "12", …}} in which other keys are left alone.
/// @param place  Of the line, for messages. @throws Error(kData) naming it.
Setting read_proposal(std::string_view line, const std::string& place);
/// A file of such lines. @throws Error(kData) naming file and line.
std::vector<Setting> read_proposals(const std::filesystem::path& path);
/// Proposes settings as one generation, but for those that were tried already.
Sampler propose_once(std::vector<Setting> settings);

/// Searches. The same problem, options and seed give the same winner, also when runs were killed and resumed and when
/// several processes share the folder, as long as times keep on the same side of the limits.
/// @throws Error(kUsage) for options out of range and when no setting keeps within the limits; Error(kData) for a
///         journal that is damaged or of another search; Error(kInterrupted); what Problem::measure() throws.
SearchReport run_search(Problem& problem, const SearchOptions& options, const SearchHooks& hooks = {});

}  // namespace fernwood::search
