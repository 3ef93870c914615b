// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <utility>

#include "fernwood/core/error.h"
#include "teach/carry.h"
#include "teach/events.h"
#include "teach/fill.h"
#include "teach/room.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

}  // namespace

void Teaching::Room::told(int client, const std::string& text) {
  json answer = {{"id", nullptr}};
  try {
    const ModelPlace place = {"the message", "; say what include/fernwood/teach/teaching.h tells", "it",
                              ErrorKind::kUsage};
    const json document = parse_json(text, 4, "it", place);
    const JsonField message(document, "", place);
    answer["id"] = message.at("id").whole(0, kMostFrames);
    answer.update(done(client, message));
    answer["done"] = true;
  } catch (const Error& error) {
    // What cannot be written down must not look as if it were: the page keeps it and says so.
    answer["failed"] = error.what();
  }
  server.send(client, answer.dump(-1, ' ', true, json::error_handler_t::replace));
}

std::size_t Teaching::Room::frame_of(const JsonField& message) const {
  const auto frame = static_cast<std::size_t>(message.at("frame").whole(0, kMostFrames));
  project.frame_name(frame);
  return frame;
}

json Teaching::Room::done(int client, const JsonField& message) {
  const std::string& what = message.at("do").text();
  if (what == "keep") return keep(message);
  if (what == "carry") return carry(frame_of(message));
  if (what == "accept") return accept(message);
  if (what == "accept_labels") return accept_labels(message);
  if (what == "mark_done") return mark_done(message);
  if (what == "smooth") return smooth(client, message);
  if (what == "view") {
    views[client] = frame_of(message);
    learner.look_at(views[client]);
    return json::object();
  }
  if (what == "stroke" || what == "fill" || what == "undo" || what == "redo") {
    views[client] = frame_of(message);
    return done_to_strokes(what, message);
  }
  done_to_classes(what, message);
  return json::object();
}

json Teaching::Room::keep(const JsonField& message) {
  const std::uint64_t asked = message.has("camera") ? message.at("camera").whole(0, kMostFrames) : 0;
  const dataset::CapturedFrame& captured = camera.find(asked).captured;
  const std::string name = frame_name_like(captured.name, [this](const std::string& tried) {
    for (std::size_t frame = 0; frame < project.num_frames(); ++frame)
      if (project.frame_name(frame) == tried) return true;
    return false;
  });
  const std::size_t frame = project.add_frame(name, *captured.frame);
  server.send_to_all(json{{"kept", frame_json(frame)}, {"version", project.version()}}.dump());
  give_lesson();
  return {{"frame", frame}};
}

json Teaching::Room::carry(std::size_t frame) {
  const auto known = nearest_taught(project, frame);
  FW_CHECK(known, Usage,
           "none of the " << kMostCarrySteps << " frames before and after has strokes; draw on a neighbour first");
  const Carried carried = carry_over(project, *known, frame, *labels_of(*known));
  suggested[frame] = carried.labels;
  return {{"suggested", frame}, {"from", *known}, {"share", carried.share}};
}

json Teaching::Room::accept(const JsonField& message) {
  const std::size_t frame = frame_of(message);
  const std::string said = said_of(message);
  if (const auto done = project.was_said(said)) return {{"stroke", *done}};
  const auto found = suggested.find(frame);
  FW_CHECK(found != suggested.end(), Usage, "nothing is suggested for the frame");
  const json answer = draw_labels(frame, found->second, said);
  suggested.erase(frame);
  return answer;
}

json Teaching::Room::done_to_strokes(const std::string& what, const JsonField& message) {
  const std::size_t frame = frame_of(message);
  const std::string said = said_of(message);
  // A page that heard no answer, for the connection or this program went away, says it again.
  if (const auto done = project.was_said(said)) return {{"stroke", *done}};
  std::optional<std::uint64_t> stroke;
  if (what == "stroke") stroke = project.add_stroke(frame, stroke_of(message), said);
  if (what == "fill") {
    Stroke filled = fill_area(frame, message);
    filled.gives = gives_of(message);
    stroke = project.add_stroke(frame, std::move(filled), said);
  }
  if (what == "undo") stroke = project.undo(frame, given_stroke(message), said);
  if (what == "redo") stroke = project.redo(frame, said);
  if (!stroke) return {{"stroke", nullptr}};
  truths.erase(frame);
  say_truth(frame);
  give_lesson();
  return {{"stroke", *stroke}};
}

std::optional<std::uint64_t> Teaching::Room::given_stroke(const JsonField& message) {
  if (!message.has("stroke")) return std::nullopt;
  return message.at("stroke").whole(1, kMostStrokes);
}

Stroke Teaching::Room::fill_area(std::size_t frame, const JsonField& message) const {
  const Fill fill = {.x = message.at("x").whole(0, kMostSteps),
                     .y = message.at("y").whole(0, kMostSteps),
                     .largest_turn_deg = message.at("turn").number()};
  Stroke stroke = {.tool = Tool::kRegion};
  stroke.runs = fill_region(project.read_frame(frame), fill);
  return stroke;
}

void Teaching::Room::done_to_classes(const std::string& what, const JsonField& message) {
  const auto number = [&](const char* key) { return static_cast<std::uint16_t>(message.at(key).whole(0, 65534)); };
  if (what == "add_class")
    project.add_class(message.at("name").text(), color_of(message.at("color")));
  else if (what == "change_class")
    project.change_class(number("class"), message.at("name").text(), color_of(message.at("color")));
  else if (what == "lock")
    project.lock_class(number("class"), message.at("locked").flag());
  else if (what == "merge")
    project.merge_class(number("class"), number("into"));
  else
    message.at("do").fail("a thing that can be done");
  say_classes();
  if (what == "lock") return;
  suggested.clear();  // its classes may be others now
  truths.clear();
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame)
    if (project.num_strokes(frame) > 0) say_truth(frame);
  give_lesson();
}

}  // namespace fernwood::teach
