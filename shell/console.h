// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood::apps {

/// Whether to use colours: the stream is a terminal, and NO_COLOR is not set.
bool use_color(std::FILE* stream);

/// Prints results in words. Literals and numbers are printed as they are; all other texts, such as paths, names and
/// notes, are printable(), so that none controls a terminal or adds a line.
class Printer {
 public:
  explicit Printer(std::ostream& out) : out_(out) {}
  template <typename Value>
  const Printer& operator<<(const Value& value) const {
    if constexpr (std::is_same_v<Value, std::filesystem::path>)
      out_ << printable(value.string());
    else if constexpr (std::is_class_v<Value> && std::is_convertible_v<Value, std::string_view>)
      out_ << printable(value);
    else
      out_ << value;
    return *this;
  }

 private:
  std::ostream& out_;
};
/// For standard output.
inline Printer print() { return Printer(std::cout); }

/// The output of a command with --json: indented by two spaces, with a final newline. Invalid UTF-8, as in file names,
/// becomes U+FFFD.
template <typename Json>
std::string json_result(const Json& value) {
  return value.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

/// "model   found/best.fernwood (12.3 KiB, checksum 0123456789abcdef)"
std::string model_line(const std::filesystem::path& model);
/// A path as a word of a shell command to copy: quoted if necessary.
std::string shell_word(const std::filesystem::path& path);

/// Prints each sentence on standard error.
void warn_each(const std::vector<std::string>& sentences);
void warn_each(const std::vector<OptionSentence>& sentences);
/// Shows progress on standard error: on a terminal a bar with the time left, elsewhere an occasional line. Removed when
/// it is destroyed.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// @param done  Share of the phase's work, [0, 1]. The time left is estimated from the beginning of `phase`.
  void show(const std::string& phase, const std::string& detail, double done);
  void show(const ProgressWords& words) { show(words.phase, words.detail, words.done); }
  /// Prints a warning in place of the bar.
  void warn(const OptionSentence& sentence);
  /// Removes the bar, so that other text can be printed.
  void clear();
  /// A progress callback that counts, and checks for interrupts by the user.
  ProgressCallback counter(const std::string& phase);

 private:
  using Clock = std::chrono::steady_clock;
  std::string time_left(double done) const;

  bool terminal_;
  bool shown_ = false;
  std::string phase_;
  double phase_start_share_ = 0;
  Clock::time_point phase_start_{}, last_{};
};

/// Flushes standard output. @throws Error when not everything could be written: kResource for a full disk, kRuntime
/// otherwise.
void check_standard_output();

}  // namespace fernwood::apps
