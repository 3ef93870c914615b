// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/json_field.h"
#include "fuzz/target.h"
#include "teach/events.h"

namespace fernwood::fuzz {

namespace {

constexpr std::size_t kRows = 12, kCols = 16;

void draw(const teach::Stroke& stroke) {
  stroke.check(kRows, kCols);
  image::LabelImage labels(kRows, kCols, teach::kErases);
  teach::paint(stroke, labels);
}

/// What a page says, which has the members of a line.
void read_message(const std::string& text) {
  const ModelPlace place = {"the message", "", "it", ErrorKind::kUsage};
  const nlohmann::json document = parse_json(text, 4, "it", place);
  const JsonField message(document, "", place);
  teach::said_of(message);
  if (message.has("color")) teach::color_of(message.at("color"));
  draw(teach::stroke_of(message));
}

void read_line(const std::string& line) {
  const teach::Event event = teach::parse_event(line, "a line");
  const std::string text = teach::to_text(event);
  law(teach::to_text(teach::parse_event(text, "the same line")) == text, "a line reads back as another");
  if (const auto* drawn = std::get_if<teach::StrokeDrawn>(&event)) draw(drawn->stroke);
}

}  // namespace

int fuzz_strokes(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines{std::string(text_of(data, size))};
  std::string line;
  while (std::getline(lines, line)) {
    reads([&] { read_line(line); });
    reads([&] { read_message(line); });
  }
  return 0;
}

std::vector<Bytes> stroke_seeds() {
  return {
      bytes_of(R"({"frame": "a", "rows": 12, "cols": 16, "color": true, "depth": true, "up": [0, -1, 0], "camera": null}
{"frame": "b", "rows": 12, "cols": 16, "color": true, "depth": true, "up": [0, -1, 0], "camera": [16, 12, 9.5, 9, 8, 6]}
{"class": 0, "name": "floor", "color": [7, 54, 66]}
{"lock": 0, "locked": true}
{"merge": 1, "into": 0})"),
      bytes_of(R"({"stroke": 1, "frame": 0, "gives": 0, "brush": 12, "points": [4, 4, 60, 60, 60, 4], "spares": [2, 1]}
{"stroke": 2, "frame": 0, "gives": null, "polygon": [0, 0, 90, 9, 50, 80]}
{"stroke": 3, "frame": 1, "gives": 1, "region": [0, 5, 20, 3]}
{"stroke": 4, "frame": 1, "labels": [0, 3, 9, 1, 12, 2], "spares": [2]}
{"done": 1, "is_done": true}
{"undo": 3}
{"redo": 3, "said": "0f3a-12"})"),
      bytes_of(R"({"id": 4, "said": "ab-4", "do": "stroke", "frame": 0, "gives": 1, "brush": 8, "points": [4, 4, 90, 9]}
{"id": 5, "do": "add_class", "name": "wall", "color": [9, 8, 7]}
{"id": 6, "do": "undo", "frame": 0, "stroke": 2})")};
}

}  // namespace fernwood::fuzz
