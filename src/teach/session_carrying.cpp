// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// What frames of a recording have of each other's labels.
#include <algorithm>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "teach/label_transfer.h"
#include "teach/session.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

/// A function, for any thread, that transfers labels to a frame, and the candidate source frames: those with strokes in
/// the same room if poses are known, else the nearest in the recording.
struct Transfer {
  std::vector<std::size_t> from;
  std::function<TransferredLabels()> work;
};

}  // namespace

json Teaching::Session::transfer(const Request& request) {
  const std::size_t frame = frame_of(request.message);
  Transfer planned;
  if (const auto pose = project.pose(frame)) {
    std::vector<PosedFrame> frames;
    for (std::size_t other = 0; other < project.num_frames(); ++other) {
      const auto there = project.pose(other);
      if (other == frame || project.num_strokes(other) == 0 || !there || there->room != pose->room) continue;
      frames.push_back({project.depth_reader(other), there->pose, drawn_reader(other)});
      planned.from.push_back(other);
    }
    FW_CHECK(!frames.empty(), Usage, "no other frame of the same room has strokes; draw on one first");
    planned.work = [frames, to = FrameOnTheWay{project.frame_name(frame), project.depth_reader(frame)},
                    pose = pose->pose] { return transfer_by_poses(frames, to, pose); };
  } else {
    const auto known = nearest_taught(project, frame);
    FW_CHECK(known, Usage,
             "none of the " << kMaxTransferSteps << " frames before and after has strokes; draw on a neighbour first");
    planned.from.push_back(*known);
    planned.work = [way = way_between(project, frame, *known), read = drawn_reader(*known)] {
      return transfer_labels(way, read());
    };
  }
  json answer = {{"id", request.message.at("id").whole(0, kMaxFrames)}};
  server.do_aside(
      [this, client = request.client, answer, frame, planned, classes = class_numbers()]() -> std::function<void()> {
        try {
          const TransferredLabels transferred = planned.work();
          return [this, client, answer = answer, frame, given_by = planned.from[transferred.from], classes,
                  share = transferred.share, labels = PackedLabels(transferred.labels)]() mutable {
            if (classes == class_numbers()) {
              answer.update({{"suggested", frame}, {"from", given_by}, {"share", share}, {"done", true}});
              suggested[frame] = std::move(labels);
            } else {
              answer["failed"] = "classes were changed meanwhile; transfer again";
            }
            this->answer(client, answer);
          };
        } catch (const Error& error) {
          return [this, client, answer = answer, failed = std::string(error.what())]() mutable {
            answer["failed"] = failed;
            this->answer(client, answer);
          };
        }
      });
  return nullptr;
}

json Teaching::Session::carry(const Request& request) {
  const JsonField& message = request.message;
  const std::optional<std::size_t> frame = message.has("frame") ? std::optional(frame_of(message)) : std::nullopt;
  const bool is_carried = message.at("is_carried").flag();
  project.carry(frame, is_carried);
  server.send_to_all(json_text(json{
      {"carrying", is_carried}, {"carrying_frame", frame ? json(*frame) : json()}, {"version", project.version()}}));
  server.post([this] { carry_on(); });
  return json::object();
}

void Teaching::Session::carry_on() {
  if (is_carrying_on) return;
  const LabelCarrier::Step step = carrier.next_step();
  say_carried();
  if (!step) {
    const bool has_changed = std::exchange(has_carried_changed, false);
    if (!std::exchange(has_carried_on, false) && !has_changed) return;
    server.send_to_all(json_text(json{{"carried_all", has_changed}, {"left", 0}}));
    if (has_changed) schedule_update();
    return write_truth();
  }
  is_carrying_on = has_carried_on = true;
  server.do_aside([this, step]() -> std::function<void()> {
    return [this, note = step()] {
      note();
      is_carrying_on = false;
      carry_on();
    };
  });
}

void Teaching::Session::say_carried() {
  for (const std::size_t frame : carrier.take_changed()) {
    has_carried_changed = true;
    server.send_to_all(
        json_text(json{{"carried", frame}, {"share", share_carried(project, frame)}, {"left", carrier.num_left()}}));
  }
  for (const std::string& sentence : carrier.take_problems())
    server.send_to_all(ascii_json_text(json{{"problem", sentence}}));
}

std::function<image::LabelImage()> Teaching::Session::taught_reader(std::size_t frame) {
  std::function<image::LabelImage()> drawn;
  if (project.num_strokes(frame) > 0) drawn = drawn_reader(frame);
  if (project.num_carried(frame) == 0) return drawn;
  return [drawn, carried = project.carried_reader(frame)] {
    if (!drawn) return carried();
    image::LabelImage labels = drawn();
    fill_void(labels, carried());
    return labels;
  };
}

std::pair<std::shared_ptr<const dataset::InMemoryFrames>, std::vector<std::size_t>> Teaching::Session::taught_frames(
    bool carried_too) {
  auto taught = std::make_shared<ProjectFrames>();
  std::vector<std::size_t> frames;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) {
    const bool is_carried = carried_too && project.num_carried(frame) > 0;
    if (project.num_strokes(frame) == 0 && !is_carried) continue;
    if (!is_carried && std::ranges::none_of(truth_of(frame).classes, [](bool has) { return has; })) continue;
    taught->add(project, frame, carried_too ? taught_reader(frame) : drawn_reader(frame));
    frames.push_back(frame);
  }
  taught->config.classes = class_infos();
  taught->name = project.folder().string();
  return {std::move(taught), std::move(frames)};
}

}  // namespace fernwood::teach
