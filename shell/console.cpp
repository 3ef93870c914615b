// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/console.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "fernwood/core/error.h"
#include "fernwood/core/model_format.h"
#include "fernwood/core/text.h"
#include "shell/interrupt.h"

namespace fernwood::apps {

namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kLineEvery{30};
/// Share of the work after which the estimated time left is shown.
constexpr double kEnoughToTell = 0.01;

std::size_t terminal_width() { return terminal_columns(STDERR_FILENO).value_or(80); }

/// The error of standard output: the stream does not store the error number.
int standard_output_error() { return ::write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO; }

}  // namespace

std::optional<std::size_t> terminal_columns(int file_descriptor) {
  constexpr unsigned short kFewest = 20;  // terminals of unknown size report fewer
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col <= kFewest) return std::nullopt;
  return size.ws_col;
}

bool use_color(int file_descriptor) {
  const char* forbidden = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(file_descriptor) && !(forbidden && *forbidden) && !(terminal && std::string(terminal) == "dumb");
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

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO)) {}

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
  const std::size_t width = terminal_width(), bar = 24;
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

void reserve_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // Children inherit the descriptor; otherwise they would print into files of their own.
    int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened < 0) opened = ::open("/", O_PATH);  // without /dev; can be neither read nor written
    if (opened != descriptor) std::_Exit(static_cast<int>(ErrorKind::kResource));
  }
}

void check_standard_output() {
  std::cout.flush();
  if (std::cout.good()) return;
  const int error_number = standard_output_error();
  const bool is_full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
  throw Error(is_full ? ErrorKind::kResource : ErrorKind::kRuntime,
              "the result could not be written to standard output: " + std::string(std::strerror(error_number)) +
                  "; check what it is redirected to and the space there");
}

}  // namespace fernwood::apps
