// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Header-only but for failure_in_hand(), because plug-ins throw errors but are not linked to the library.

#include <filesystem>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/text.h"

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

/// Category of an error; the value is the exit code of the command line.
enum class ErrorKind {
  kRuntime = 1,       ///< Reading, writing or another operation failed.
  kUsage = 2,         ///< An option is out of its range or contradicts another.
  kData = 3,          ///< A data set breaks a rule.
  kDevice = 4,        ///< A device is missing or failed.
  kModel = 5,         ///< A model file is damaged, too new or does not fit the data.
  kResource = 6,      ///< Memory or disk space ran out.
  kInterrupted = 130  ///< The user requested a stop.
};

/// Exception for all errors of the library. The message is one sentence that names the place, the rule, the values and
/// the remedy; what() writes options as on the command line.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, OptionSentence sentence)
      : std::runtime_error(sentence.on_command_line()), kind_(kind), sentence_(std::move(sentence)) {}
  ErrorKind kind() const { return kind_; }
  /// The message for other front ends, with options to be written as their users do.
  const OptionSentence& sentence() const { return sentence_; }

 private:
  ErrorKind kind_;
  OptionSentence sentence_;
};

/// Error of accessing a file or folder: it is missing, is a folder, or permission is denied. Front ends raise the
/// corresponding exception of their language.
class FileError : public Error {
 public:
  /// @param error_number  The system's value of errno: ENOENT, EACCES, EISDIR …
  /// @param rule          The message after the path, such as "is a folder".
  FileError(ErrorKind kind, std::filesystem::path path, int error_number, const std::string& rule)
      : Error(kind, path.string() + " " + rule), path_(std::move(path)), error_number_(error_number) {}
  const std::filesystem::path& path() const { return path_; }
  int error_number() const { return error_number_; }

 private:
  std::filesystem::path path_;
  int error_number_;
};

/// Description of an exception for the user, common to all front ends.
struct Failure {
  ErrorKind kind = ErrorKind::kRuntime;
  OptionSentence sentence;
  bool is_expected = true;          ///< False for an unforeseen exception: the sentence is only its own message.
  int error_number = 0;             ///< The system's error number if a file cannot be accessed; otherwise 0.
  std::filesystem::path path = {};  ///< That file.
};

/// Describes the exception that is being handled: Error, or an exception of the standard library when the system
/// refuses memory, threads or file descriptors.
Failure failure_in_hand();

/// A probable mistake of the user that does not stop the work.
struct Warning {
  std::string id;       ///< Stable identifier, for programs that handle certain warnings: "class-imbalance".
  OptionSentence text;  ///< A sentence for the user.
};

/// Adds warnings with the same identifier.
inline void add_warnings(std::vector<Warning>& warnings, const char* id, std::vector<std::string> sentences) {
  for (std::string& sentence : sentences) warnings.push_back({id, std::move(sentence)});
}

/// Texts of warnings, worded for the command line.
inline std::vector<std::string> texts_of(const std::vector<Warning>& warnings) {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) texts.push_back(warning.text.on_command_line());
  return texts;
}

}  // namespace fernwood

/// Throws Error of ErrorKind::k##kind unless `condition` holds; `message` is written to a stream, as in
/// `FW_CHECK(rows > 0, Data, path << " has no rows; give another " << named_option("label"))`.
#define FW_CHECK(condition, kind, message)                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      ::fernwood::SentenceOutput fw_check_text;                                      \
      fw_check_text << message;                                                      \
      throw ::fernwood::Error(::fernwood::ErrorKind::k##kind, fw_check_text.take()); \
    }                                                                                \
  } while (false)
