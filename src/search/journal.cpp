// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <set>

#include "core/json_field.h"
#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/progress.h"

namespace fernwood::search {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr const char *kJournalFormat = "fernwood search", *kRacesStopped = "races";
constexpr std::uint64_t kJournalVersion = 1;
constexpr int kDeepest = 6;
constexpr std::size_t kMostVariants = 100000, kMostSettings = 100000, kMostFolds = 1000000;
constexpr const char* kJournalRemedy = "; remove the line, and what it says is measured again, or give another folder";

[[noreturn]] void fail_on_journal(const fs::path& path, int error_number) {
  const bool full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
  throw Error(full ? ErrorKind::kResource : ErrorKind::kRuntime,
              path.string() + ": the search's journal cannot be read and appended to: " + std::strerror(error_number) +
                  "; check the folder, its permissions and the free space");
}

/// While it exists, no other process reads or writes the journal.
class JournalLock {
 public:
  JournalLock(const fs::path& path, int descriptor) : descriptor_(descriptor) {
    while (::flock(descriptor, LOCK_EX) != 0)
      if (errno != EINTR) fail_on_journal(path, errno);
  }
  ~JournalLock() { ::flock(descriptor_, LOCK_UN); }
  JournalLock(const JournalLock&) = delete;
  JournalLock& operator=(const JournalLock&) = delete;

 private:
  int descriptor_;
};

/// Bytes that are not UTF-8, such as in the name of a file, are replaced.
std::string line_of(const ordered_json& line) { return json_text(line); }

/// NaN is null in JSON.
ordered_json as_json(double number) { return std::isnan(number) ? ordered_json() : ordered_json(number); }

double number_or_nan(const JsonField& field) {
  return field.is_null() ? std::numeric_limits<double>::quiet_NaN() : field.number();
}

ordered_json as_json(const JournalEvaluation& unit) {
  ordered_json line;
  if (!unit.problem.empty()) {
    line["problem"] = unit.problem;
    return line;
  }
  line["train_seconds"] = as_json(unit.result.train_seconds);
  line["variants"] = unit.variants;
  for (const FoldResult& judged : unit.result.judged) {
    line["loss"].push_back(as_json(judged.loss));
    line["accuracy"].push_back(as_json(judged.accuracy));
    line["class_accuracy"].push_back(as_json(judged.class_accuracy));
  }
  for (const double latency_ms : unit.result.latency_ms) line["latency_ms"].push_back(as_json(latency_ms));
  return line;
}

std::vector<double> numbers_of(const JsonField& field, std::size_t count) {
  std::vector<double> numbers(field.size(count, count));
  for (std::size_t i = 0; i < count; ++i) numbers[i] = number_or_nan(field.at(i));
  return numbers;
}

JournalEvaluation unit_of(const JsonField& line) {
  JournalEvaluation unit;
  if (line.has("problem")) {
    unit.problem = line.at("problem").text();
    if (unit.problem.empty()) line.at("problem").fail("a sentence");
    return unit;
  }
  unit.result.train_seconds = number_or_nan(line.at("train_seconds"));
  const JsonField variants = line.at("variants");
  const std::size_t num = variants.size(1, kMostVariants);
  for (std::size_t i = 0; i < num; ++i) unit.variants.push_back(variants.at(i).whole(0, kMostVariants));
  const auto losses = numbers_of(line.at("loss"), num), accuracies = numbers_of(line.at("accuracy"), num),
             class_accuracies = numbers_of(line.at("class_accuracy"), num);
  for (std::size_t i = 0; i < num; ++i) unit.result.judged.push_back({losses[i], accuracies[i], class_accuracies[i]});
  // Earlier journals name it frame_ms, also for records.
  for (const char* key : {"latency_ms", "frame_ms"})
    if (line.has(key)) unit.result.latency_ms = numbers_of(line.at(key), num);
  return unit;
}

/// @param value  A JSON object of texts.
Setting setting_of(const json& value, const JsonField& field) {
  if (!value.is_object()) field.fail("an object");
  Setting setting;
  for (const auto& [name, text] : value.items()) setting[name] = field.at(name.c_str()).text();
  return setting;
}

/// Options with the names that users know in place of those of the file.
json with_words(json options) {
  constexpr std::pair<const char*, const char*> kWords[] = {{"generation", "batch-size"},
                                                            {"level", "alpha"},
                                                            {"first_look", "first interim test (pruning)"},
                                                            {"race_blocks", "folds of a race (pruning)"},
                                                            {"frame_ms", "limit of the latency in ms"},
                                                            {"train_seconds", "train-seconds"}};
  for (const auto& [key, words] : kWords)
    if (options.contains(key)) {
      options[words] = options[key];
      options.erase(key);
    }
  return options;
}

}  // namespace

fs::path journal_path(const fs::path& folder) { return folder / "journal.jsonl"; }

Journal::Journal(const fs::path& folder, const JournalHead& head, double minutes, const SecondsClock& clock)
    : path_(journal_path(folder)), head_(head), minutes_(minutes), clock_(clock), start_(clock()) {
  if (!folder.empty()) open(folder);
  append([&] { return num_lines_ == 0 ? head_line() : std::string(); });
  start_ = clock_() - last_seconds_;
}

void Journal::open(const fs::path& folder) {
  claims_.emplace(folder);
  const int opened = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (opened < 0) fail_on_journal(path_, errno);
  file_.emplace(path_, opened);
  struct stat about;
  FW_CHECK(::fstat(opened, &about) == 0 && S_ISREG(about.st_mode), Runtime,
           path_.string() << ": is in the way and is not a file; remove it, or give another folder");
}

std::string Journal::head_line() const {
  ordered_json head = {{"format", kJournalFormat}, {"version", kJournalVersion}, {"fingerprint", head_.fingerprint}};
  head["options"] = ordered_json::parse(head_.options);
  head["space"] = ordered_json::parse(head_.space.to_json());
  return line_of(head);
}

void Journal::read_on() {
  append([] { return std::string(); });
}

void Journal::append(const std::function<std::string()>& make) {
  std::optional<JournalLock> lock;
  if (file_) {
    lock.emplace(path_, file_->descriptor());
    read_new_lines();
  }
  const std::string line = make();
  if (line.empty()) return;
  if (!file_) return take_line(line);
  file_->append(line + "\n");
  read_new_lines();
}

void Journal::read_new_lines() {
  FW_CHECK(file_->size_bytes() >= read_bytes_, Data,
           path_.string() << ": has become shorter while the search ran; start the search anew");
  const std::string text = file_->read(read_bytes_);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    take_line(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  read_bytes_ += begin;
  if (begin == text.size()) return;
  // No process is writing, since this one holds the lock.
  file_->cut_off(read_bytes_);
  warnings_.push_back(
      {"journal-cut-off",
       path_.string() + ": the last line is not whole, as after a run that was killed; it was cut off and is kept in " +
           torn_path(path_).filename().string() + ", and what it said is measured again"});
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
  } else if (line.has("generation")) {
    take_generation(value, line);
  } else {
    const std::size_t trial = line.at("trial").whole(0, kMostSettings);
    if (trial >= num_trials_) line.at("trial").fail("that of a setting that a line above proposes");
    const std::size_t fold = line.at("block").whole(0, kMostFolds);
    JournalEvaluation unit = unit_of(line);
    unit.after_races = races_stopped_;
    units_.try_emplace({trial, fold}, std::move(unit));
  }
}

void Journal::take_head(std::string_view text) {
  const ErrorContext place = {path_.string() + ":1", "; this is not a journal of a search: give another folder", "line",
                              ErrorKind::kData};
  const json value = parse_json(text, kDeepest, "the line", place), mine = json::parse(head_line());
  const JsonField head(value, "", place);
  head.at("format").must_be(std::string(kJournalFormat));
  const std::uint64_t version = head.at("version").whole(1, std::numeric_limits<std::uint32_t>::max());
  FW_CHECK(version == kJournalVersion, Data,
           place.file << ": the journal is of version " << version << ", this program knows version " << kJournalVersion
                      << "; give another folder");
  const std::string other = "; a journal belongs to one search: give another folder, or what the search had";
  FW_CHECK(head.at("fingerprint").text() == head_.fingerprint, Data,
           place.file << ": the journal is of other data or fixed options" << other);
  for (const char* part : {"options", "space"}) {
    const std::string was = json_text(with_words(json::parse(head.at(part).object())));
    std::string difference = json_difference(was, json_text(with_words(mine.at(part))));
    if (!difference.empty()) difference = ":" + difference.substr(0, difference.size() - 1);  // no semicolon at the end
    FW_CHECK(value.at(part) == mine.at(part), Data,
             place.file << ": the journal is of another search, its " << part << " differ" << difference << other);
  }
}

void Journal::take_generation(const json& value, const JsonField& line) {
  const std::size_t index = line.at("generation").whole(0, kMostSettings);
  if (index < generations_.size()) return;
  if (index > generations_.size()) line.at("generation").fail("at most " + std::to_string(generations_.size()));
  JournalGeneration generation{num_trials_, line.at("points").whole(0, kMostSettings * 1000), {}};
  const JsonField settings = line.at("settings");
  const std::size_t num = settings.size(1, kMostSettings);
  for (std::size_t i = 0; i < num; ++i) {
    const Setting setting = setting_of(value.at("settings").at(i), settings.at(i));
    try {
      head_.space.check(setting);
    } catch (const Error& error) {
      settings.at(i).fail("a setting of the space (" + std::string(error.what()) + ")");
    }
    generation.settings.push_back(setting);
  }
  num_trials_ += num;
  generations_.push_back(std::move(generation));
}

const JournalGeneration* Journal::generation(std::size_t index) const {
  return index < generations_.size() ? &generations_[index] : nullptr;
}

const JournalEvaluation* Journal::unit(std::size_t trial, std::size_t fold) const {
  const auto found = units_.find({trial, fold});
  return found == units_.end() ? nullptr : &found->second;
}

void Journal::add_generation(std::size_t index, const std::vector<Setting>& settings, std::size_t num_points) {
  append([&] {
    if (stopped_ || index < generations_.size()) return std::string();
    return line_of({{"generation", index},
                    {"first_trial", num_trials_},
                    {"settings", settings},
                    {"points", num_points},
                    {"at", seconds()}});
  });
}

void Journal::add_evaluation(std::size_t trial, std::size_t fold, const JournalEvaluation& unit) {
  append([&] {
    if (stopped_ || this->unit(trial, fold) != nullptr) return std::string();
    ordered_json line = {{"trial", trial}, {"block", fold}};
    line.update(as_json(unit));
    line["at"] = seconds();
    return line_of(line);
  });
}

void Journal::add_stop(Clock clock) {
  append([&] {
    if (stopped(clock)) return std::string();
    return line_of(
        {{"stopped", clock == Clock::kRaces ? kRacesStopped : "minutes"}, {"minutes", minutes_}, {"at", seconds()}});
  });
}

std::optional<Claim> Journal::claim(std::size_t trial, std::size_t fold) {
  return claims_ ? claims_->claim(trial, fold) : Claim();
}

double Journal::seconds() const { return clock_() - start_; }

Setting read_proposal(std::string_view line, const std::string& place) {
  const ErrorContext at = {place, "; write a line {\"setting\": {\"max_depth\": \"12\", ...}} for each trial", "line",
                           ErrorKind::kData};
  const json value = parse_json(line, kDeepest, "the line", at);
  const JsonField setting = JsonField(value, "", at).at("setting");
  return setting_of(value.at("setting"), setting);
}

std::vector<Setting> read_proposals(const fs::path& path) {
  const std::string text = read_text(path);
  std::vector<Setting> settings;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    settings.push_back(read_proposal(line, path.string() + ":" + std::to_string(number)));
  }
  FW_CHECK(!settings.empty(), Data, path.string() << ": proposes nothing; give a line for each trial");
  return settings;
}

Sampler propose_once(std::vector<Setting> settings) {
  return [settings = std::move(settings)](const std::vector<TrialRow>& trials) {
    std::set<Setting> tried;
    for (const TrialRow& trial : trials) tried.insert(trial.setting);
    std::vector<Setting> fresh;
    for (const Setting& setting : settings)
      if (tried.insert(setting).second) fresh.push_back(setting);
    return fresh;
  };
}

}  // namespace fernwood::search
