// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>

#include "core/json_field.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/teach/project.h"
#include "fuzz/target.h"
#include "teach/events.h"
#include "teach/signed_journal.h"

namespace fernwood::fuzz {

namespace {

constexpr std::size_t kRows = 12, kCols = 16;

void draw(const teach::Stroke& stroke) {
  stroke.check(kRows, kCols);
  image::LabelImage labels(kRows, kCols, teach::kErase);
  teach::paint(stroke, labels);
}

/// Parses a page's message, which has the members of a journal line.
void read_message(const std::string& text) {
  const ErrorContext place = {"the message", "", "it", ErrorKind::kUsage};
  const nlohmann::json document = parse_json(text, 4, "it", place);
  const JsonField message(document, "", place);
  teach::request_id_of(message);
  if (message.has("color")) teach::color_of(message.at("color"));
  draw(teach::stroke_of(message));
}

void read_line(const std::string& line) {
  const teach::Event event = teach::parse_event(line, "a line");
  const std::string text = teach::to_text(event);
  law(teach::to_text(teach::parse_event(text, "the same line")) == text, "a line reads back as another");
  if (const auto* drawn = std::get_if<teach::StrokeDrawn>(&event)) draw(drawn->stroke);
}

/// A project folder with images of two small frames, and of one as large as those of cameras.
const std::filesystem::path& project_folder() {
  static const std::filesystem::path folder = [] {
    std::filesystem::path made = scratch_folder() / "project";
    std::filesystem::create_directories(made);
    for (const auto& [name, rows, cols] :
         {std::tuple("a", kRows, kCols), std::tuple("b", kRows, kCols), std::tuple("large", 2048ul, 2048ul)}) {
      dataset::write_png((made / name).string() + "_colors.png", Array2<image::Rgb>(rows, cols, image::Rgb{}));
      dataset::write_png16((made / name).string() + "_depth.png", Array2<std::uint16_t>(rows, cols, 1000));
    }
    return made;
  }();
  return folder;
}

using AllLabels = std::vector<image::LabelImage>;

/// Computes all labels, as `teach` does at its start.
AllLabels labels_of(const teach::Project& project) {
  AllLabels labels;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) labels.push_back(project.labels(frame));
  return labels;
}

/// Performs the most common actions, as far as the project permits them.
void teach_some(teach::Project& project) {
  reads([&] { project.add_class("new", project.free_color(), "said-1"); });
  for (std::size_t frame = 0; frame < std::min<std::size_t>(project.num_frames(), 4); ++frame) {
    reads([&] { project.undo(frame); });
    reads([&] { project.redo(frame); });
    reads([&] {
      project.add_stroke(
          frame, {.class_id = project.class_of_request("said-1").value_or(0), .radius = 9, .points = {{40, 40}}});
    });
    reads([&] { project.mark_done(frame, true); });
  }
  for (std::uint16_t number = 0; number < std::min<std::size_t>(project.classes().size(), 3); ++number) {
    reads([&] { project.restore_class(number); });
    reads([&] { project.lock_class(number, number % 2 == 0); });
    reads([&] { project.merge_class(number, static_cast<std::uint16_t>(number + 1)); });
  }
}

}  // namespace

int fuzz_project(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path& folder = project_folder();
  const std::string journal = teach::signed_journal(text_of(data, size));
  write_bytes(folder / "strokes.journal", reinterpret_cast<const std::uint8_t*>(journal.data()), journal.size());
  reads([&] {
    AllLabels labels;
    std::uint64_t version = 0;
    {
      teach::Project project(folder);
      labels_of(project);
      teach_some(project);
      labels = labels_of(project);
      version = project.version();
      const bool is_small = std::ranges::all_of(labels, [](const auto& frame) { return frame.rows() <= kRows; });
      if (is_small) project.write_truth();
    }
    std::optional<teach::Project> again;
    law(reads([&] { again.emplace(folder); }), "what a project has written cannot be opened");
    law(again->version() == version && labels_of(*again) == labels, "a project is another when it is opened again");
  });
  return 0;
}

std::vector<Bytes> project_seeds() {
  const std::string frames =
      R"({"frame":"a","rows":12,"cols":16,"color":true,"depth":true,"up":[0,-1,0],"camera":null}
{"frame":"b","rows":12,"cols":16,"color":true,"depth":true,"up":[0,-1,0],"camera":[16,12,9.5,9,8,6]}
{"frame":"large","rows":2048,"cols":2048,"color":true,"depth":true,"up":[0,-1,0],"camera":null}
{"class":0,"name":"floor","color":[7,54,66]}
{"class":1,"name":"wall","color":[8,54,66]}
{"class":2,"name":"door","color":[9,54,66]}
)";
  std::string most = frames, chain = frames.substr(0, frames.find('\n') + 1);
  for (int i = 1; i <= 40; ++i)
    most += R"({"stroke":)" + std::to_string(i) +
            R"(,"frame":2,"class":1,"brush":1048576,"points":[0,0,16384,16384,0,9]})" + "\n";
  for (int i = 0; i < 60; ++i) {
    chain += R"({"class":)" + std::to_string(i) + R"(,"name":"c)" + std::to_string(i) + R"(","color":[1,1,)" +
             std::to_string(i) + "]}\n";
    if (i > 0) chain += R"({"merge":)" + std::to_string(i - 1) + R"(,"into":)" + std::to_string(i) + "}\n";
  }
  return {bytes_of(frames + R"({"stroke":1,"frame":0,"class":0,"brush":12,"points":[4,4,60,60,60,4],"protected":[2,1]}
{"stroke":2,"frame":0,"class":null,"polygon":[0,0,90,9,50,80]}
{"stroke":3,"frame":1,"class":1,"region":[0,5,20,3]}
{"stroke":4,"frame":2,"labels":[0,3,9,1,12,2],"protected":[2]}
{"done":1,"is_done":true}
{"lock":0,"locked":true}
{"merge":1,"into":0}
{"delete":0}
{"restore":1}
{"undo":3}
{"redo":3,"request":"0f3a-12"}
)"),
          bytes_of(most), bytes_of(chain)};
}

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
      bytes_of(
          R"({"stroke": 1, "frame": 0, "class": 0, "brush": 12, "points": [4, 4, 60, 60, 60, 4], "protected": [2, 1]}
{"stroke": 2, "frame": 0, "class": null, "polygon": [0, 0, 90, 9, 50, 80]}
{"stroke": 3, "frame": 1, "class": 1, "region": [0, 5, 20, 3]}
{"stroke": 4, "frame": 1, "labels": [0, 3, 9, 1, 12, 2], "protected": [2]}
{"done": 1, "is_done": true}
{"undo": 3}
{"redo": 3, "request": "0f3a-12"})"),
      bytes_of(
          R"({"id": 4, "request": "ab-4", "do": "stroke", "frame": 0, "class": 1, "brush": 8, "points": [4, 4, 90, 9]}
{"id": 5, "do": "add_class", "name": "wall", "color": [9, 8, 7]}
{"id": 6, "do": "undo", "frame": 0, "stroke": 2})")};
}

}  // namespace fernwood::fuzz
