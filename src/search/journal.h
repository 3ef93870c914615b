// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/append_file.h"
#include "core/json_field.h"
#include "fernwood/search/search.h"
#include "search/claims.h"

namespace fernwood::search {

/// Everything besides configurations that determines a search's results: if it differs, it is another search.
struct JournalHead {
  std::string fingerprint;  ///< From Problem::fingerprint().
  std::string options;      ///< A JSON object.
  Space space;
};

/// A batch of configurations, as proposed by the search or by an external sampler.
struct JournalGeneration {
  std::size_t first_trial = 0;
  std::size_t num_points = 0;  ///< Points of the low-discrepancy sequence used so far.
  std::vector<Setting> settings;
};

/// A completed evaluation.
struct JournalEvaluation {
  std::vector<std::size_t> variants;  ///< Evaluated variants, as indices among the trial's.
  EvaluationResult result;            ///< Of these variants.
  std::string problem;                ///< Why the configuration cannot be trained; empty if it can.
  bool after_races = false;           ///< Completed after the end of the races' time.
};

/// The clocks of a search: after the races, survivors continue with the folds that no race reached.
enum class Clock {
  kRaces,  ///< No new batch, and no further fold of the current race.
  kAll
};

/// All results of a search, one on each line, in a file that processes share: `journal.jsonl`, see
/// docs/reference/search.md. Lines are in the order of events; of two lines for the same result the first counts.
class Journal {
 public:
  /// Reads an existing journal, or begins one. @param folder  Empty: nothing is stored. @param minutes  0: no limit; a
  /// line that marks the end of a search's time counts unless that search had less time.
  /// @throws Error(kData) naming the line when the journal is damaged, or of another search; Error(kRuntime, kResource)
  /// when the folder cannot be written to.
  Journal(const std::filesystem::path& folder, const JournalHead& head, double minutes, const SecondsClock& clock);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Reads the lines that other processes have appended.
  void read_on();
  /// Null: not known yet.
  const JournalGeneration* generation(std::size_t index) const;
  std::size_t num_generations() const { return generations_.size(); }
  const JournalEvaluation* unit(std::size_t trial, std::size_t fold) const;
  /// Whether time is over; results after the end of the whole search are ignored.
  bool stopped(Clock clock) const { return stopped_ || (clock == Clock::kRaces && races_stopped_); }

  // Each appends a line unless the journal has that result already.
  void add_generation(std::size_t index, const std::vector<Setting>& settings, std::size_t num_points);
  void add_evaluation(std::size_t trial, std::size_t fold, const JournalEvaluation& unit);
  void add_stop(Clock clock);

  /// See Claims.
  std::optional<Claim> claim(std::size_t trial, std::size_t fold);

  /// Time of the search in seconds, over all runs.
  double seconds() const;
  /// Time at which the last line that counts was written.
  double seconds_of_last_line() const { return last_seconds_; }
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  void open(const std::filesystem::path& folder);
  /// Calls `make` once all lines of other processes are read, and appends its result unless that is empty.
  void append(const std::function<std::string()>& make);
  std::string head_line() const;
  void read_new_lines();
  void take_line(std::string_view line);
  void take_head(std::string_view line);
  void take_generation(const nlohmann::json& value, const JsonField& line);

  std::filesystem::path path_;
  JournalHead head_;
  double minutes_;
  std::optional<Claims> claims_;    // empty if nothing is stored
  std::optional<AppendFile> file_;  // likewise
  std::size_t read_bytes_ = 0;      // of the file, in whole lines
  std::size_t num_lines_ = 0;
  SecondsClock clock_;
  double start_ = 0;  // of this run, on that clock, minus the time of earlier runs
  double last_seconds_ = 0;
  bool races_stopped_ = false, stopped_ = false;
  std::size_t num_trials_ = 0;
  std::vector<JournalGeneration> generations_;
  std::map<std::pair<std::size_t, std::size_t>, JournalEvaluation> units_;  // by trial and fold
  std::vector<Warning> warnings_;
};

}  // namespace fernwood::search
