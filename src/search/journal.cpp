// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/journal.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <set>

#include "core/json_field.h"
#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/progress.h"

namespace fernwood::search {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr const char *kJournalFormat = "fernwood search", *kRacesStopped = "races";
constexpr std::uint64_t kJournalVersion = 1;
constexpr int kDeepest = 6;
constexpr std::size_t kMaxVariants = 100000, kMaxConfigurations = 100000, kMaxFolds = 1000000;
constexpr const char* kJournalRemedy = "; remove the line to measure its result again, or use another folder";

/// NaN is null in JSON.
ordered_json as_json(double number) { return std::isnan(number) ? ordered_json() : ordered_json(number); }

double number_or_nan(const JsonField& field) {
  return field.is_null() ? std::numeric_limits<double>::quiet_NaN() : field.number();
}

ordered_json as_json(const JournalEvaluation& evaluation) {
  ordered_json line;
  if (!evaluation.problem.empty()) {
    line["problem"] = evaluation.problem;
    return line;
  }
  line["train_seconds"] = as_json(evaluation.result.train_seconds);
  line["variants"] = evaluation.variants;
  for (const FoldResult& evaluated : evaluation.result.results) {
    line["loss"].push_back(as_json(evaluated.loss));
    line["accuracy"].push_back(as_json(evaluated.accuracy));
    line["class_accuracy"].push_back(as_json(evaluated.class_accuracy));
  }
  for (const double latency_ms : evaluation.result.latency_ms) line["latency_ms"].push_back(as_json(latency_ms));
  return line;
}

std::vector<double> numbers_of(const JsonField& field, std::size_t count) {
  std::vector<double> numbers(field.size(count, count));
  for (std::size_t i = 0; i < count; ++i) numbers[i] = number_or_nan(field.at(i));
  return numbers;
}

JournalEvaluation evaluation_of(const JsonField& line) {
  JournalEvaluation evaluation;
  if (line.has("problem")) {
    evaluation.problem = line.at("problem").text();
    if (evaluation.problem.empty()) line.at("problem").fail("a sentence");
    return evaluation;
  }
  evaluation.result.train_seconds = number_or_nan(line.at("train_seconds"));
  const JsonField variants = line.at("variants");
  const std::size_t num = variants.size(1, kMaxVariants);
  for (std::size_t i = 0; i < num; ++i) evaluation.variants.push_back(variants.at(i).whole(0, kMaxVariants));
  const auto losses = numbers_of(line.at("loss"), num), accuracies = numbers_of(line.at("accuracy"), num),
             class_accuracies = numbers_of(line.at("class_accuracy"), num);
  for (std::size_t i = 0; i < num; ++i)
    evaluation.result.results.push_back({losses[i], accuracies[i], class_accuracies[i]});
  if (line.has("latency_ms")) evaluation.result.latency_ms = numbers_of(line.at("latency_ms"), num);
  return evaluation;
}

/// @param value  A JSON object of texts.
Configuration configuration_of(const json& value, const JsonField& field) {
  if (!value.is_object()) field.fail("an object");
  Configuration configuration;
  for (const auto& [name, text] : value.items()) configuration[name] = field.at(name.c_str()).text();
  return configuration;
}

}  // namespace

fs::path journal_path(const fs::path& folder) { return folder / "journal.jsonl"; }

Journal::Journal(const fs::path& folder, const JournalHead& head, double minutes, const SecondsClock& clock)
    : path_(journal_path(folder)), head_(head), minutes_(minutes), clock_(clock), start_(clock()) {
  if (!folder.empty()) open(folder);
  if (num_lines_ == 0) append(head_json());
  start_ = clock_() - last_seconds_;
}

void Journal::open(const fs::path& folder) {
  make_folder(folder);
  platform::OpenFile opened(path_, platform::OpenFile::For::kAppend);
  if (const int problem = errno; !opened.is_open())
    throw Error(platform::is_disk_full(problem) ? ErrorKind::kResource : ErrorKind::kRuntime,
                path_.string() + ": the search's journal cannot be read and appended to: " + std::strerror(problem) +
                    "; check the folder, its permissions and the free space");
  FW_CHECK(opened.is_regular(), Runtime,
           path_.string() << " exists and is not a file; remove it, or use another folder");
  FW_CHECK(opened.lock(), Usage,
           path_.string() << ": another search is using it; wait until that ends, or use another folder");
  file_.emplace(path_, std::move(opened));
  const std::string text = file_->read();
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    take_line(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  if (begin == text.size()) return;
  file_->cut_off(begin);
  warnings_.push_back(
      {"journal-cut-off",
       path_.string() +
           ": the last line is incomplete, as after a run that was killed; it was cut off and is kept in " +
           torn_path(path_).filename().string() + ", and its result is measured again"});
}

ordered_json Journal::head_json() const {
  ordered_json head = {{"format", kJournalFormat}, {"version", kJournalVersion}, {"fingerprint", head_.fingerprint}};
  head["options"] = ordered_json::parse(head_.options);
  head["space"] = ordered_json::parse(head_.space.to_json());
  return head;
}

void Journal::append(const ordered_json& line) {
  const std::string text = json_text(line);
  if (file_) file_->append(text + "\n");
  take_line(text);
}

void Journal::take_line(std::string_view text) {
  ++num_lines_;
  if (stopped_) return;
  if (num_lines_ == 1) return take_head(text);
  const ErrorContext place = {path_.string() + ":" + std::to_string(num_lines_), kJournalRemedy, "line",
                              ErrorKind::kData};
  const json value = parse_json(text, kDeepest, "the line", place);
  const JsonField line(value, "", place);
  last_seconds_ = std::max(last_seconds_, line.at("at").number());
  if (line.has("stopped")) {
    const bool of_races = line.at("stopped").text() == kRacesStopped;
    (of_races ? races_stopped_ : stopped_) |= minutes_ > 0 && line.at("minutes").number() >= minutes_;
  } else if (line.has("batch")) {
    take_batch(value, line);
  } else {
    const std::size_t trial = line.at("trial").whole(0, kMaxConfigurations);
    if (trial >= num_trials_) line.at("trial").fail("that of a configuration that a line above proposes");
    const std::size_t fold = line.at("fold").whole(0, kMaxFolds);
    JournalEvaluation evaluation = evaluation_of(line);
    evaluation.after_races = races_stopped_;
    evaluations_.try_emplace({trial, fold}, std::move(evaluation));
  }
}

void Journal::take_head(std::string_view text) {
  const ErrorContext place = {path_.string() + ":1", "; this is not a journal of a search: use another folder", "line",
                              ErrorKind::kData};
  const json value = parse_json(text, kDeepest, "the line", place), mine = json::parse(json_text(head_json()));
  const JsonField head(value, "", place);
  head.at("format").must_be(std::string(kJournalFormat));
  const std::uint64_t version = head.at("version").whole(1, std::numeric_limits<std::uint32_t>::max());
  FW_CHECK(version == kJournalVersion, Data,
           place.file << ": the journal is of version " << version << ", this program knows version " << kJournalVersion
                      << "; use another folder");
  const std::string other = "; a journal belongs to one search: use another folder, or what the search had";
  FW_CHECK(head.at("fingerprint").text() == head_.fingerprint, Data,
           place.file << ": the journal is of other data or fixed options" << other);
  for (const char* part : {"options", "space"}) {
    std::string difference = json_difference(head.at(part).object(), json_text(mine.at(part)));
    if (!difference.empty()) difference = ":" + difference.substr(0, difference.size() - 1);  // no semicolon at the end
    FW_CHECK(value.at(part) == mine.at(part), Data,
             place.file << ": the journal is of another search, its " << part << " differ" << difference << other);
  }
}

void Journal::take_batch(const json& value, const JsonField& line) {
  const std::size_t index = line.at("batch").whole(0, kMaxConfigurations);
  if (index != batches_.size()) line.at("batch").fail("the next batch, " + std::to_string(batches_.size()));
  Batch batch{{}, line.at("points").whole(0, kMaxConfigurations * 1000)};
  const JsonField configurations = line.at("configurations");
  const std::size_t num = configurations.size(1, kMaxConfigurations);
  for (std::size_t i = 0; i < num; ++i) {
    const Configuration configuration = configuration_of(value.at("configurations").at(i), configurations.at(i));
    try {
      head_.space.check(configuration);
    } catch (const Error& error) {
      configurations.at(i).fail("a configuration of the space (" + std::string(error.what()) + ")");
    }
    batch.configurations.push_back(configuration);
  }
  num_trials_ += num;
  batches_.push_back(std::move(batch));
}

const Batch* Journal::batch(std::size_t index) const { return index < batches_.size() ? &batches_[index] : nullptr; }

const JournalEvaluation* Journal::evaluation(std::size_t trial, std::size_t fold) const {
  const auto found = evaluations_.find({trial, fold});
  return found == evaluations_.end() ? nullptr : &found->second;
}

void Journal::add_batch(const std::vector<Configuration>& configurations, std::size_t num_points) {
  append({{"batch", batches_.size()},
          {"first_trial", num_trials_},
          {"configurations", configurations},
          {"points", num_points},
          {"at", seconds()}});
}

void Journal::add_evaluation(std::size_t trial, std::size_t fold, const JournalEvaluation& evaluation) {
  ordered_json line = {{"trial", trial}, {"fold", fold}};
  line.update(as_json(evaluation));
  line["at"] = seconds();
  append(line);
}

void Journal::add_stop(Clock clock) {
  append({{"stopped", clock == Clock::kRaces ? kRacesStopped : "minutes"}, {"minutes", minutes_}, {"at", seconds()}});
}

double Journal::seconds() const { return clock_() - start_; }

Configuration read_proposal(std::string_view line, const std::string& place) {
  const ErrorContext at = {place, "; write a line {\"configuration\": {\"max_depth\": \"12\", ...}} for each trial",
                           "line", ErrorKind::kData};
  const json value = parse_json(line, kDeepest, "the line", at);
  const JsonField configuration = JsonField(value, "", at).at("configuration");
  return configuration_of(value.at("configuration"), configuration);
}

std::vector<Configuration> read_proposals(const fs::path& path) {
  TextInput lines(read_text(path));
  std::vector<Configuration> configurations;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    configurations.push_back(read_proposal(line, path.string() + ":" + std::to_string(number)));
  }
  FW_CHECK(!configurations.empty(), Data, path.string() << " proposes nothing; use a line for each trial");
  return configurations;
}

Sampler propose_once(std::vector<Configuration> configurations) {
  return [configurations = std::move(configurations)](const std::vector<TrialRow>& trials) {
    std::set<Configuration> tried;
    for (const TrialRow& trial : trials) tried.insert(trial.configuration);
    std::vector<Configuration> fresh;
    for (const Configuration& configuration : configurations)
      if (tried.insert(configuration).second) fresh.push_back(configuration);
    return fresh;
  };
}

}  // namespace fernwood::search
