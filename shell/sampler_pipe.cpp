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
#include "fernwood/core/platform.h"
#include "fernwood/search/report.h"
#include "shell/console.h"
#include "shell/interrupt.h"

namespace fernwood::apps {

namespace {

constexpr std::size_t kPieceBytes = 4096, kLongestProposalBytes = 1 << 20;

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

search::Sampler sampler_at_standard_input() {
  return [pipe = std::make_shared<SamplerPipe>()](const std::vector<search::TrialRow>& trials) {
    return pipe->propose(trials);
  };
}

}  // namespace fernwood::apps
