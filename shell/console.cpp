// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/console.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "fernwood/core/error.h"
#include "fernwood/core/model_format.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"
#include "shell/interrupt.h"

namespace fernwood::apps {

namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kLineEvery{30};
/// Share of the work after which the estimated time left is shown.
constexpr double kEnoughToTell = 0.01;

}  // namespace

bool use_color(std::FILE* stream) {
  const char* forbidden = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return platform::is_terminal(stream) && !(forbidden && *forbidden) && !(terminal && std::string(terminal) == "dumb");
}

std::string model_line(const std::filesystem::path& model) {
  return "model   " + model.string() + " (" + format_bytes(std::filesystem::file_size(model)) + ", checksum " +
         model_checksum(model) + ")";
}

std::string shell_word(const std::filesystem::path& path) {
  const std::string text = path.string();
  const auto is_plain = [](char c) { return is_letter_or_digit(c) || std::strchr("/._-+,:=@%", c) != nullptr; };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

void warn_each(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) spdlog::warn(sentence);
}

void warn_each(const std::vector<OptionSentence>& sentences) {
  for (const OptionSentence& sentence : sentences) spdlog::warn(sentence.on_command_line());
}

ProgressBar::ProgressBar() : terminal_(platform::is_terminal(stderr)) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::warn(const OptionSentence& sentence) {
  clear();
  spdlog::warn(sentence.on_command_line());
}

void ProgressBar::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

std::string ProgressBar::time_left(double done) const {
  const double share = done - phase_start_share_;
  if (share < kEnoughToTell) return "";
  const double elapsed = std::chrono::duration<double>(Clock::now() - phase_start_).count();
  return format_duration(elapsed / share * (1 - done)) + " left";
}

void ProgressBar::show(const std::string& phase, const std::string& given_detail, double done) {
  const auto now = Clock::now();
  if (phase != phase_) {
    phase_ = phase;
    phase_start_ = now;
    phase_start_share_ = done;
    last_ = terminal_ ? Clock::time_point{} : now;
  }
  if (now - last_ < (terminal_ ? std::chrono::duration_cast<Clock::duration>(kRedraw) : kLineEvery)) return;
  last_ = now;
  const std::string detail = printable(given_detail);  // file names, too
  const std::string percent = format_text("%3d %%", static_cast<int>(done * 100));
  if (!terminal_) {
    std::fprintf(stderr, "%s %s %s %s\n", phase.c_str(), detail.c_str(), percent.c_str(), time_left(done).c_str());
    return;
  }
  const std::size_t width = platform::terminal_columns(stderr).value_or(80), bar = 24;
  const auto filled = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * static_cast<double>(bar));
  std::string line = phase + " [" + std::string(filled, '=') + std::string(bar - filled, ' ') + "] " + percent + "  " +
                     time_left(done) + (detail.empty() ? "" : "  " + detail);
  line.resize(std::min(line.size(), width - 1));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  shown_ = true;
}

ProgressCallback ProgressBar::counter(const std::string& phase) {
  return [this, phase](std::size_t done, std::size_t total) {
    throw_if_interrupted();
    show(phase, format_count(done) + " of " + format_count(total),
         total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1);
  };
}

void check_standard_output() {
  std::cout.flush();
  if (std::cout.good()) return;
  // The stream does not store the error number; writing fails once more.
  const int error_number = std::fputc('\n', stdout) == EOF || std::fflush(stdout) != 0 ? errno : EIO;
  throw Error(platform::is_disk_full(error_number) ? ErrorKind::kResource : ErrorKind::kRuntime,
              "the result could not be written to standard output: " + std::string(std::strerror(error_number)) +
                  "; check what it is redirected to and the space there");
}

}  // namespace fernwood::apps
