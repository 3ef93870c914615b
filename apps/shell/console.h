// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/option_sentence.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/prepared_frame.h"
#include "fernwood/report/format.h"

namespace fernwood::apps {

/// Whether people see colours there: a terminal, and NO_COLOR is not set.
bool use_color(int file_descriptor);
/// Columns of the terminal that a file descriptor is; nothing where it is none.
std::optional<std::size_t> terminal_columns(int file_descriptor);

/// A path as messages and results show it: without what steers terminals.
std::string shown(const std::filesystem::path& path);

/// A path as a word of a command that people copy into a shell: quoted where it must be, and shown as shown() does.
std::string shell_word(const std::filesystem::path& path);

/// Says on standard error which camera is assumed of frames, if one is: see camera_note(), whose parameters these are.
/// @param remedy  Goes on from that sentence.
void warn_assumed_camera(const image::Preparation& preparation, bool has_camera, const std::string& place,
                         const std::string& remedy = "");

/// Says each sentence on standard error.
void warn_each(const std::vector<std::string>& sentences);
void warn_each(const std::vector<OptionSentence>& sentences);
/// Says on standard error what is probably wrong with frames that are about to be used.
void warn_about_input(const dataset::Dataset& dataset);
/// The same of a depth image that is given alone; of an empty path nothing.
void warn_about_input(const std::filesystem::path& depth);

/// Tells on standard error how far a piece of work is: a bar with the time left on a terminal, elsewhere a line now and
/// then. Gone when it ends.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// @param done  Share of the phase's work, [0, 1]. The time left is estimated from when `phase` began.
  void show(const std::string& phase, const std::string& detail, double done);
  void show(const report::ProgressWords& words) { show(words.phase, words.detail, words.done); }
  /// Prints a warning in its place.
  void warn(const OptionSentence& sentence);
  /// Removes the bar, so that something else can be printed.
  void clear();
  /// As a callback for work that counts, with a check whether the user asked to stop.
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

using report::format_count, report::format_duration, report::format_rate, report::format_seconds;

}  // namespace fernwood::apps
