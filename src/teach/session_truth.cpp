// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// What was drawn: painted by another thread where that takes long, kept as run lengths, written, and judged by.
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "teach/session.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

}  // namespace

Teaching::Session::Truth Teaching::Session::truth_in(const image::LabelImage& labels, std::size_t num_classes) {
  Truth truth = {std::make_shared<const PackedLabels>(labels), std::vector<bool>(num_classes)};
  for (const std::uint16_t label : labels)
    if (label != image::kVoid) truth.classes[label] = true;
  return truth;
}

const Teaching::Session::Truth& Teaching::Session::truth_of(std::size_t frame) {
  if (const auto known = truths.find(frame); known != truths.end()) return known->second;
  return truths[frame] = truth_in(project.labels(frame), project.live_classes().size());
}

std::function<image::LabelImage()> Teaching::Session::drawn_reader(std::size_t frame) const {
  const auto known = truths.find(frame);
  if (known == truths.end()) return project.labels_reader(frame);
  return [packed = known->second.labels] { return packed->unpacked(); };
}

bool Teaching::Session::paint_aside(std::size_t frame, std::function<void()> then) {
  if (project.painting_work(frame) <= kMaxWorkHere) return false;
  const auto stamp = [this, frame] { return std::pair(project.strokes_version(frame), num_class_changes); };
  server.do_aside([this, frame, stamp, asked = stamp(), num_classes = project.live_classes().size(),
                   read = project.labels_reader(frame), then = std::move(then)]() -> std::function<void()> {
    return [this, frame, stamp, asked, then, truth = truth_in(read(), num_classes), read] {
      if (stamp() == asked) truths[frame] = truth;
      then();  // `read` keeps it in the cache
    };
  });
  return true;
}

void Teaching::Session::write_truth() {
  if (std::exchange(is_writing_truth, true)) return;
  server.post([this] { write_next_truth(); });
}

void Teaching::Session::write_next_truth() {
  const auto next = project.next_written_frame();
  if (next && paint_aside(*next, [this] { write_next_truth(); })) return;
  try {
    is_writing_truth = project.write_some_truth();
    if (is_writing_truth) server.post([this] { write_next_truth(); });
  } catch (const Error& error) {
    is_writing_truth = false;  // the next request tries again; the journal has the strokes
    server.send_to_all(ascii_json_text(json{{"problem", error.what()}}));
  }
}

void Teaching::Session::note_held_out(HeldOutPredictions held_out) {
  judge_next(std::make_shared<CrossValidation>(std::move(held_out), project));
}

void Teaching::Session::judge_next(const std::shared_ptr<CrossValidation>& validation) {
  if (auto step = validation->next_step())
    return server.do_aside([this, validation, step = std::move(step)]() -> std::function<void()> {
      step();
      return [this, validation] { judge_next(validation); };
    });
  const auto report = validation->report();
  if (!report) return;
  json one = {{"version", report->version},
              {"pixel_accuracy", report->pixel_accuracy},
              {"class_accuracy", report->class_accuracy},
              {"classes", json::array()},
              {"by_class", json::array()},
              {"suspects", json::array()}};
  for (const TaughtClass& known : project.live_classes()) one["classes"].push_back(known.number);
  for (const auto& accuracy : report->by_class) one["by_class"].push_back(accuracy ? json(*accuracy) : json());
  for (const SuspectStroke& stroke : report->suspects)
    one["suspects"].push_back({{"stroke", stroke.stroke}, {"frame", stroke.frame}, {"right", stroke.right}});
  // Pages chart all of them, and list suspect strokes of the newest only.
  if (!validations.empty()) validations.back()["suspects"] = json::array();
  validations.push_back(one);
  server.send_to_all(json_text(json{{"validation", std::move(one)}}));
}

}  // namespace fernwood::teach
