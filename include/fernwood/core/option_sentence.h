// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Header-only, because plug-ins throw errors but are not linked to the library.

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/text_stream.h"

namespace fernwood {

/// An option in a message: one that was given, or one that is suggested instead.
struct NamedOption {
  std::string name;        ///< Without dashes: "stride", "interpolate".
  std::string value = {};  ///< As text; empty: only the name. "false" for a negated flag.

  bool operator==(const NamedOption&) const = default;
};

/// A message about options that each front end words as its users write options: "--no-prune" on the command line is
/// "prune=False" in Python and "prune=false" in C.
class OptionSentence {
 public:
  OptionSentence(std::string text = {}) : parts_{std::move(text)} {}
  OptionSentence(const char* text) : parts_{text} {}
  /// @param text  With {} in place of each option, in order: "only {} has it; give {}".
  OptionSentence(const std::string& text, std::vector<NamedOption> options)
      : parts_(options.size() + 1), options_(std::move(options)) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < options_.size(); ++i) {
      const std::size_t place = text.find("{}", begin);
      parts_[i] = text.substr(begin, place - begin);
      begin = place + 2;
    }
    parts_.back() = text.substr(begin);
  }
  explicit OptionSentence(NamedOption option) : parts_(2), options_{std::move(option)} {}

  bool operator==(const OptionSentence&) const = default;
  bool empty() const { return options_.empty() && parts_[0].empty(); }
  const std::vector<NamedOption>& options() const { return options_; }
  /// The sentence with each option replaced by the result of `written`.
  std::string worded(const std::function<std::string(const NamedOption&)>& written) const {
    std::string sentence = parts_[0];
    for (std::size_t i = 0; i < options_.size(); ++i) sentence += written(options_[i]) + parts_[i + 1];
    return sentence;
  }
  /// The sentence for the command line: "only --schedule adaptive has it; give --no-prune".
  std::string on_command_line() const {
    return worded([](const NamedOption& option) {
      if (option.value == "false") return "--no-" + option.name;
      return "--" + option.name + (option.value.empty() || option.value == "true" ? "" : " " + option.value);
    });
  }

  OptionSentence& operator+=(const OptionSentence& other) {
    parts_.back() += other.parts_[0];
    parts_.insert(parts_.end(), other.parts_.begin() + 1, other.parts_.end());
    options_.insert(options_.end(), other.options_.begin(), other.options_.end());
    return *this;
  }
  friend OptionSentence operator+(OptionSentence first, const OptionSentence& second) { return first += second; }
  /// Keeps the options if `out` is a SentenceOutput; otherwise words the sentence for the command line.
  friend std::ostream& operator<<(std::ostream& out, const OptionSentence& sentence);

 private:
  std::vector<std::string> parts_;         ///< Texts before, between and after the options.
  std::vector<NamedOption> options_ = {};  ///< One fewer than `parts_`.
};

/// Function by which a front end words sentences that name options.
using SentenceWords = std::function<std::string(const OptionSentence&)>;

/// An option within a sentence: `"lower " + named_option("bins") + " or give " + named_option("device", "cpu")`.
inline OptionSentence named_option(std::string name, std::string value = {}) {
  return OptionSentence(NamedOption{std::move(name), std::move(value)});
}

/// An output stream that collects an OptionSentence.
class SentenceOutput : public TextOutput {
 public:
  /// Returns the sentence written so far and clears the stream.
  OptionSentence take() {
    OptionSentence sentence = std::exchange(before_, {}) + str();
    str("");
    return sentence;
  }

 private:
  friend std::ostream& operator<<(std::ostream& out, const OptionSentence& sentence);
  OptionSentence before_;
};

inline std::ostream& operator<<(std::ostream& out, const OptionSentence& sentence) {
  auto* const collects = dynamic_cast<SentenceOutput*>(&out);
  if (!collects) return out << sentence.on_command_line();
  collects->before_ = collects->take() + sentence;
  return out;
}

}  // namespace fernwood
