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

/// What a search's results depend on besides its settings: one that differs in it is another search.
struct JournalHead {
  std::string fingerprint;  ///< Problem's.
  std::string options;      ///< A JSON object.
  Space space;
};

/// A generation as it was proposed, by us or by another sampler.
struct JournalGeneration {
  std::size_t first_trial = 0;
  std::size_t num_points = 0;  ///< Of the low-discrepancy sequence, used so far.
  std::vector<Setting> settings;
};

/// A unit of work that was done.
struct JournalEvaluation {
  std::vector<std::size_t> variants;  ///< That were judged, by their place among the trial's.
  EvaluationResult result;            ///< Of these.
  std::string problem;                ///< Why the trial cannot be had; empty: it can.
  bool after_races = false;           ///< Known when the races' time was over already.
};

/// A search's time ends twice: survivors go on to folds that no race reached.
enum class Clock {
  kRaces,  ///< No new generation, nor another fold of the race under way.
  kAll
};

/// All that a search found out, a line a result, in a file that processes share: `journal.jsonl`, see
/// docs/reference/search.md. What happened is the lines in their order; of two that say the same the first counts.
class Journal {
 public:
  /// Reads what is there, or begins a journal. @param folder  Empty: nothing is kept. @param minutes  0: no limit; a
  /// line that says that a search's time was over counts unless that search had less time.
  /// @throws Error(kData) naming the line when the journal is damaged, or of another search; Error(kRuntime, kResource)
  ///         when the folder cannot be written to.
  Journal(const std::filesystem::path& folder, const JournalHead& head, double minutes, const SecondsClock& clock);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Reads what others have appended since.
  void read_on();
  /// Null: not yet known.
  const JournalGeneration* generation(std::size_t index) const;
  std::size_t num_generations() const { return generations_.size(); }
  const JournalEvaluation* unit(std::size_t trial, std::size_t fold) const;
  /// Whether time was over; nothing after the end of all is known.
  bool stopped(Clock clock) const { return stopped_ || (clock == Clock::kRaces && races_stopped_); }

  // Each appends unless the journal knows already.
  void add_generation(std::size_t index, const std::vector<Setting>& settings, std::size_t num_points);
  void add_evaluation(std::size_t trial, std::size_t fold, const JournalEvaluation& unit);
  void add_stop(Clock clock);

  /// See Claims.
  std::optional<Claim> claim(std::size_t trial, std::size_t fold);

  /// Since the search began, over all runs.
  double seconds() const;
  /// When the last line that counts was written.
  double seconds_of_last_line() const { return last_seconds_; }
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  void open(const std::filesystem::path& folder);
  /// Appends the line, if any, that `make` gives once all lines of others are read.
  void append(const std::function<std::string()>& make);
  std::string head_line() const;
  void read_new_lines();
  void take_line(std::string_view line);
  void take_head(std::string_view line);
  void take_generation(const nlohmann::json& value, const JsonField& line);

  std::filesystem::path path_;
  JournalHead head_;
  double minutes_;
  std::optional<Claims> claims_;    // nothing: nothing is kept
  std::optional<AppendFile> file_;  // likewise
  std::size_t read_bytes_ = 0;      // of the file, in whole lines
  std::size_t num_lines_ = 0;
  SecondsClock clock_;
  double start_ = 0;  // of this run, on that clock, less what earlier runs took
  double last_seconds_ = 0;
  bool races_stopped_ = false, stopped_ = false;
  std::size_t num_trials_ = 0;
  std::vector<JournalGeneration> generations_;
  std::map<std::pair<std::size_t, std::size_t>, JournalEvaluation> units_;  // by trial and fold
  std::vector<Warning> warnings_;
};

}  // namespace fernwood::search
