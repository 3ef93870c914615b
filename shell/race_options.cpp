// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/race_options.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/platform.h"
#include "fernwood/search/report.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/output_files.h"

namespace fernwood::apps {

namespace {

constexpr std::size_t kPieceBytes = 4096, kLongestProposalBytes = 1 << 20;

/// Another program as the sampler. It writes a proposal to our standard input, a line as in a file of
/// --external-sampler, and reads the results on our standard output, one line each in the order of the proposals; then
/// it may write the next proposal. Trials in the journal are sent before the first proposal is read. A configuration
/// that was tried already is answered at once. The end of the input ends the race. Throws Error(kData) for
/// a line that is not a proposal; Error(kInterrupted) while it waits.
class SamplerPipe {
 public:
  std::vector<search::Configuration> propose(const std::vector<search::TrialRow>& trials) {
    for (; num_told_ < trials.size(); ++num_told_) tell(trials, num_told_);
    while (const std::optional<std::string> line = next_line()) {
      const search::Configuration configuration =
          search::read_proposal(*line, "standard input:" + std::to_string(num_lines_));
      const auto tried = std::ranges::find(trials, configuration, &search::TrialRow::configuration);
      if (tried == trials.end()) return {configuration};
      tell(trials, static_cast<std::size_t>(tried - trials.begin()));
    }
    return {};
  }

 private:
  static void tell(const std::vector<search::TrialRow>& trials, std::size_t index) {
    std::cout << search::trial_json_line(trials, index);
    check_standard_output();  // a sampler that receives no results proposes nothing more
  }

  /// Skips empty lines. @return  Empty at the end of the input.
  std::optional<std::string> next_line() {
    for (;;) {
      std::size_t end = text_.find('\n');
      if (end == std::string::npos && !read_on()) end = text_.size();
      if (end == std::string::npos) continue;
      if (text_.empty()) return {};
      const std::string line = text_.substr(0, end);
      text_.erase(0, end + 1);
      ++num_lines_;
      if (line.find_first_not_of(" \t\r") != std::string::npos) return line;
    }
  }

  /// Waits for more input, or for an interrupt. @return  False at the end of the input.
  bool read_on() {
    FW_CHECK(text_.size() <= kLongestProposalBytes, Data,
             "standard input: line " << num_lines_ + 1 << " is longer than any proposal; write a line for each trial");
    char piece[kPieceBytes];
    const std::ptrdiff_t count = platform::read_standard_input(piece, throw_if_interrupted);
    FW_CHECK(count >= 0, Runtime, "standard input cannot be read: " << std::strerror(errno) << "; check the pipe");
    text_.append(piece, static_cast<std::size_t>(count));
    return count > 0;
  }

  std::string text_;  // read but not proposed yet
  std::size_t num_lines_ = 0, num_told_ = 0;
};

}  // namespace

void RaceArguments::add_to(CLI::App& command, search::DataSearchOptions& options,
                           std::initializer_list<std::string_view> but) {
  command.add_option("--out", out, "Output folder: journal, model, options and a page")->required()->option_text("DIR");
  add_table(command, options, but);
  command.add_option("--space", space, "TOML file with changes to the search space, see docs/reference/search.md")
      ->option_text("FILE");
  command
      .add_option("--external-sampler", sampler,
                  "Configurations to evaluate instead of generated ones: a file, or - for an external program")
      ->option_text("FILE|-");
  add_json_flag(command, json);
}

void RaceArguments::finish(search::DataSearchOptions& options) const {
  options.race.folder = out;
  if (!space.empty()) options.read_space(space);
  if (sampler == "-")
    options.race.propose = [pipe = std::make_shared<SamplerPipe>()](const std::vector<search::TrialRow>& trials) {
      return pipe->propose(trials);
    };
  else if (!sampler.empty())
    options.race.propose = search::propose_once(search::read_proposals(sampler));
  options.check();
}

void RaceArguments::make_out(std::vector<NamedPath> inputs) const {
  make_folder(out);
  inputs.insert(inputs.end(), {{"--space", space}, {"--external-sampler", sampler}});
  search::check_search_files("--out", out, all_inputs(std::move(inputs)), input_rule());
}

void show_race(const std::filesystem::path& out, const std::function<void(const search::SearchHooks&)>& race) {
  ProgressBar bar;
  search::SearchHooks hooks;
  hooks.stop = interrupt_token();
  hooks.progress = [&](const search::SearchProgress& now) { bar.show(search::progress_words(now)); };
  hooks.warn = [&](const Warning& warning) { bar.warn(warning.text); };
  try {
    race(hooks);
  } catch (const Error& failure) {
    if (failure.kind() != ErrorKind::kInterrupted) throw;
    throw Error(ErrorKind::kInterrupted, "the search was interrupted; what it found is kept in " +
                                             search::journal_path(out).string() +
                                             ", and the same command continues from there");
  }
}

}  // namespace fernwood::apps
