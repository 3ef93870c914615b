// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/append_file.h"
#include "core/json_field.h"
#include "fernwood/search/search.h"
#include "search/propose.h"

namespace fernwood::search {

/// Everything besides configurations that determines a search's results: if it differs, it is another search.
struct JournalHead {
  std::string fingerprint;  ///< From Problem::fingerprint().
  std::string options;      ///< A JSON object.
  Space space;
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

/// All results of a search, one on each line, in a file that one process uses at a time: `journal.jsonl`, see
/// docs/reference/search.md. Lines are in the order of events.
class Journal {
 public:
  /// Reads an existing journal, or begins one. @param folder  Empty: nothing is stored. @param minutes  0: no limit; a
  /// line that marks the end of a search's time counts unless that search had less time.
  /// @throws Error(kData) naming the line when the journal is damaged, or of another search; Error(kRuntime, kResource)
  /// when the folder cannot be written to; Error(kUsage) while another process uses the journal.
  Journal(const std::filesystem::path& folder, const JournalHead& head, double minutes, const SecondsClock& clock);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Null: not known yet.
  const Batch* batch(std::size_t index) const;
  const JournalEvaluation* evaluation(std::size_t trial, std::size_t fold) const;
  /// Whether time is over; results after the end of the whole search are ignored.
  bool stopped(Clock clock) const { return stopped_ || (clock == Clock::kRaces && races_stopped_); }

  /// Appends the next batch.
  void add_batch(const std::vector<Configuration>& configurations, std::size_t num_points);
  void add_evaluation(std::size_t trial, std::size_t fold, const JournalEvaluation& evaluation);
  void add_stop(Clock clock);

  /// Time of the search in seconds, over all runs.
  double seconds() const;
  /// Time at which the last line that counts was written.
  double seconds_of_last_line() const { return last_seconds_; }
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  void open(const std::filesystem::path& folder);
  void append(const nlohmann::ordered_json& line);
  nlohmann::ordered_json head_json() const;
  void take_line(std::string_view line);
  void take_head(std::string_view line);
  void take_batch(const nlohmann::json& value, const JsonField& line);

  std::filesystem::path path_;
  JournalHead head_;
  double minutes_;
  std::optional<AppendFile> file_;  // empty if nothing is stored
  std::size_t num_lines_ = 0;
  SecondsClock clock_;
  double start_ = 0;  // of this run, on that clock, minus the time of earlier runs
  double last_seconds_ = 0;
  bool races_stopped_ = false, stopped_ = false;
  std::size_t num_trials_ = 0;
  std::vector<Batch> batches_;
  std::map<std::pair<std::size_t, std::size_t>, JournalEvaluation> evaluations_;  // by trial and fold
  std::vector<Warning> warnings_;
};

}  // namespace fernwood::search
