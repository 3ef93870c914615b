// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/format.h"
#include "fernwood/core/text.h"
#include "fernwood/search/study.h"
#include "search/study_words.h"

namespace fernwood::search {

namespace {

struct Cells {
  std::string name, pixel, class_average, pixel_points, class_points, frame_ms, train_seconds;
};

/// Pads to columns, one for a code point.
std::string padded(const std::string& text, std::size_t width) {
  std::size_t columns = 0;
  for (const char c : text) columns += (c & 0xC0) != 0x80;
  return text + std::string(columns < width ? width - columns : 0, ' ');
}

std::string line(const Cells& cells) {
  std::string text =
      padded(cells.name, 34) + format_text("%8s%9s%9s%9s%11s%11s", cells.pixel.c_str(), cells.class_average.c_str(),
                                           cells.pixel_points.c_str(), cells.class_points.c_str(),
                                           cells.frame_ms.c_str(), cells.train_seconds.c_str());
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string row_line(const StudyRow& row, const StudyRow& base) {
  const std::string name = (row.variant.group ? "  " : "") + row.variant.name;
  if (!row.problem.empty()) return name + ": " + row.problem + "\n";
  const auto difference = [&](double now, double then) { return row.variant.group ? points(now - then) : ""; };
  return line({name, evaluate::percent(row.accuracy.pixel), evaluate::percent(row.accuracy.class_average),
               difference(row.accuracy.pixel, base.accuracy.pixel),
               difference(row.accuracy.class_average, base.accuracy.class_average), evaluate::fixed(row.frame_ms, 2),
               evaluate::fixed(row.train_seconds, 1)});
}

std::string data_line(const char* name, const std::string& folder, std::size_t num_frames) {
  return name + folder + ", " + frames_text(num_frames) + "\n";
}

}  // namespace

std::string study_table(const Study& study, bool color) {
  const auto bold = [color](const std::string& text) { return color ? "\x1b[1m" + text + "\x1b[0m" : text; };
  std::string text = data_line("train   ", study.train_folder, study.train_frames) +
                     data_line("test    ", study.test_folder, study.test_frames) + "device  " + study.device + "\n\n" +
                     line({"", "pixel", "class", "pixel", "class", "a frame", "training"}) +
                     bold(line({"variant", "%", "%", "points", "points", "ms", "s"})) +
                     row_line(study.base, study.base);
  std::optional<StudyGroup> group;
  for (const StudyRow& row : study.rows) {
    if (row.variant.group != group) text += bold(group_title(*row.variant.group)) + "\n";
    group = row.variant.group;
    text += row_line(row, study.base);
  }
  return text;
}

}  // namespace fernwood::search
