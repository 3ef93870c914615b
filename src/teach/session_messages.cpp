// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "teach/events.h"
#include "teach/fill.h"
#include "teach/session.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

/// Requests are flat: lists, objects and strings take longer to parse than numbers.
constexpr std::ptrdiff_t kMaxParts = 10'000;
constexpr const char* kMessageRemedy = "; see include/fernwood/teach/teaching.h for the requests";

void check_is_flat(const std::string& text) {
  const auto begins_part = [](char c) { return c == '[' || c == '{' || c == '"'; };
  FW_CHECK(std::ranges::count_if(text, begins_part) <= kMaxParts, Usage,
           "the message has more than " << kMaxParts << " lists, objects and texts" << kMessageRemedy);
}

std::uint16_t number_of(const JsonField& message, const char* key) {
  return static_cast<std::uint16_t>(message.at(key).whole(0, 65534));
}

/// A stroke of a class that another window has merged meanwhile gets the class it was merged into.
Stroke of_merged(Stroke stroke, const Project& project) {
  if (stroke.class_id != kErase) stroke.class_id = project.merged_class(stroke.class_id);
  return stroke;
}

}  // namespace

/// A request that pages may send, as documented in include/fernwood/teach/teaching.h.
struct Teaching::Session::Verb {
  std::string_view name;
  std::vector<const char*> members;  ///< Required members, besides "id" and "do".
  /// Returns the further members of the answer; null: another thread answers later.
  json (Session::*handle)(const Request& request);
  bool needs_drawn = false;  ///< Needs the labels drawn on its frame.
};

const std::vector<Teaching::Session::Verb>& Teaching::Session::verbs() {
  using S = Session;
  static const std::vector<Verb> all = {{"view", {"frame"}, &S::view},
                                        {"stroke", {"frame"}, &S::draw_stroke},
                                        {"fill", {"frame", "class", "x", "y", "turn"}, &S::draw_fill},
                                        {"undo", {"frame"}, &S::undo},
                                        {"redo", {"frame"}, &S::redo},
                                        {"transfer", {"frame"}, &S::transfer},
                                        {"accept", {"frame"}, &S::accept, true},
                                        {"carry", {"is_carried"}, &S::carry},
                                        {"accept_labels", {"frame"}, &S::accept_labels, true},
                                        {"map", {"frame"}, &S::make_map},
                                        {"leave_map", {}, &S::leave_map},
                                        {"mark_done", {"frame", "is_done"}, &S::mark_done},
                                        {"smooth", {"is_smooth"}, &S::smooth},
                                        {"keep", {}, &S::keep},
                                        {"add_class", {"name"}, &S::add_class},
                                        {"count_strokes", {"class"}, &S::count_strokes},
                                        {"lock", {"class", "locked"}, &S::lock_class},
                                        {"change_class", {"class", "name", "color"}, &S::change_class},
                                        {"merge", {"class", "into"}, &S::merge_class},
                                        {"delete_class", {"class"}, &S::delete_class},
                                        {"restore_class", {"class"}, &S::restore_class}};
  return all;
}

void Teaching::Session::on_message(int client, const std::string& text) {
  const auto before = put_off.find(client);
  if (before == put_off.end() && handle(client, text)) return;
  PutOff& waiting = put_off[client];
  waiting.num_bytes += text.size();
  waiting.messages.push_back(text);
  if (waiting.num_bytes > kMaxPutOffBytes) server.drop(client);
}

void Teaching::Session::go_on(int client) {
  const auto found = put_off.find(client);
  if (found == put_off.end()) return;  // the client has left
  PutOff& waiting = found->second;
  if (!handle(client, waiting.messages.front())) return;
  waiting.num_bytes -= waiting.messages.front().size();
  waiting.messages.pop_front();
  if (waiting.messages.empty())
    put_off.erase(found);
  else
    server.post([this, client] { go_on(client); });
}

bool Teaching::Session::handle(int client, const std::string& text) {
  json answer = {{"id", nullptr}};
  try {
    const ErrorContext place = {"the message", kMessageRemedy, "request", ErrorKind::kUsage};
    check_is_flat(text);
    json document = parse_json(text, 4, "the request", place);
    const JsonField message(document, "", place);
    answer["id"] = message.at("id").whole(0, kMaxFrames);
    number_classes(document);
    const auto verb = std::ranges::find(verbs(), message.at("do").text(), &Verb::name);
    if (verb == verbs().end()) message.at("do").fail("a known command");
    for (const char* member : verb->members) message.at(member);
    if (verb->needs_drawn) {
      const std::size_t frame = frame_of(message);
      if (!truths.contains(frame) && paint_aside(frame, [this, client] { go_on(client); })) return false;
    }
    const json found = (this->*verb->handle)({client, message});
    if (found.is_null()) return true;
    answer.update(found);
    answer["done"] = true;
  } catch (const Error& error) {
    // A request that cannot be recorded must not appear to be: the page keeps it and reports it.
    answer["failed"] = error.what();
  }
  this->answer(client, answer);
  return true;
}

void Teaching::Session::answer(int client, const json& answer) { server.send(client, ascii_json_text(answer)); }

std::size_t Teaching::Session::frame_of(const JsonField& message) const {
  const auto frame = static_cast<std::size_t>(message.at("frame").whole(0, kMaxFrames));
  project.frame_name(frame);
  return frame;
}

json Teaching::Session::view(const Request& request) {
  const std::size_t frame = frame_of(request.message);
  views[request.client] = frame;
  learner.prioritize(frame);
  return json::object();
}

void Teaching::Session::number_classes(json& message) const {
  const auto found = message.find("class");
  if (found == message.end() || !found->is_string()) return;
  const auto number = project.class_of_request(found->get<std::string>());
  FW_CHECK(number, Usage, "its class was not added; add the class, and draw again");
  *found = *number;
}

json Teaching::Session::keep(const Request& request) {
  const JsonField& message = request.message;
  const std::uint64_t asked = message.has("camera") ? message.at("camera").whole(0, kMaxFrames) : 0;
  const recordings::CapturedFrame& captured = camera.find(asked).captured;
  const std::string name =
      frame_name_like(captured.name, [this](const std::string& tried) { return project.has_frame(tried); });
  const std::size_t frame = project.add_frame(name, *captured.frame);
  if (captured.pose) project.set_pose(frame, {dataset::room_of(source), *captured.pose});
  server.send_to_all(json_text(json{{"kept", frame_json(frame)}, {"version", project.version()}}));
  schedule_update();
  return {{"frame", frame}};
}

std::vector<std::uint16_t> Teaching::Session::class_numbers() const {
  std::vector<std::uint16_t> numbers;
  for (const TaughtClass& one : project.live_classes()) numbers.push_back(one.number);
  return numbers;
}

json Teaching::Session::accept(const Request& request) {
  const JsonField& message = request.message;
  const std::size_t frame = frame_of(message);
  const std::string request_id = request_id_of(message);
  if (const auto done = project.find_request(request_id)) return {{"stroke", *done}};
  const auto found = suggested.find(frame);
  FW_CHECK(found != suggested.end(), Usage, "nothing is suggested for the frame");
  const json answer = draw_labels(frame, found->second.unpacked(), request_id);
  suggested.erase(frame);
  return answer;
}

json Teaching::Session::draw(const Request& request, const ChangeStrokes& change) {
  const std::size_t frame = views[request.client] = frame_of(request.message);
  const std::string request_id = request_id_of(request.message);
  // A page repeats a request if it received no answer because the connection or this program was lost.
  if (const auto done = project.find_request(request_id)) return {{"stroke", *done}};
  const std::optional<std::uint64_t> stroke = change(frame, request_id);
  if (!stroke) return {{"stroke", nullptr}};
  truths.erase(frame);
  say_truth(frame);
  schedule_update();
  return {{"stroke", *stroke}};
}

json Teaching::Session::draw_stroke(const Request& request) {
  return draw(request, [&](std::size_t frame, const std::string& request_id) {
    Stroke drawn = of_merged(stroke_of(request.message), project);
    check_painting_work(drawn, frame);
    return std::optional(project.add_stroke(frame, std::move(drawn), request_id));
  });
}

json Teaching::Session::draw_fill(const Request& request) {
  return draw(request, [&](std::size_t frame, const std::string& request_id) {
    Stroke filled = fill_area(frame, request.message);
    filled.class_id = class_id_of(request.message);
    return std::optional(project.add_stroke(frame, of_merged(std::move(filled), project), request_id));
  });
}

json Teaching::Session::undo(const Request& request) {
  return draw(request, [&](std::size_t frame, const std::string& request_id) {
    return project.undo(frame, given_stroke(request.message), request_id);
  });
}

json Teaching::Session::redo(const Request& request) {
  return draw(request,
              [&](std::size_t frame, const std::string& request_id) { return project.redo(frame, request_id); });
}

void Teaching::Session::check_painting_work(const Stroke& stroke, std::size_t frame) const {
  const std::uint64_t work = work_of(stroke, project.frame_rows(frame), project.frame_cols(frame));
  FW_CHECK(work <= kMaxStrokeWork, Usage,
           "painting the stroke takes " << work / (kMaxStrokeWork / 100)
                                        << " % of what all pages can wait for; draw it as several strokes");
}

std::optional<std::uint64_t> Teaching::Session::given_stroke(const JsonField& message) {
  if (!message.has("stroke")) return std::nullopt;
  return message.at("stroke").whole(1, kMaxStrokes);
}

Stroke Teaching::Session::fill_area(std::size_t frame, const JsonField& message) const {
  const Fill fill = {.x = message.at("x").whole(0, kMaxSteps),
                     .y = message.at("y").whole(0, kMaxSteps),
                     .largest_turn_deg = message.at("turn").number()};
  Stroke stroke = {.tool = Tool::kRegion};
  stroke.runs = fill_region(project.read_frame(frame), fill);
  return stroke;
}

image::Rgb Teaching::Session::color_for(const std::string& name) const {
  const auto known = std::ranges::find(offered, name, &image::ClassInfo::name);
  const std::vector<TaughtClass>& taken = project.classes();
  const bool is_free = known != offered.end() && known->color != image::Rgb{} &&
                       std::ranges::find(taken, known->color, &TaughtClass::color) == taken.end();
  return is_free ? known->color : project.free_color();
}

json Teaching::Session::add_class(const Request& request) {
  const JsonField& message = request.message;
  const std::string request_id = request_id_of(message);
  const auto answer = [this](std::uint16_t number) -> json {
    const TaughtClass& one = project.classes()[number];
    return {{"class", number}, {"name", one.name}};
  };
  if (const auto done = project.class_of_request(request_id)) return answer(*done);
  const std::string name = message.at("name").text();
  const image::Rgb color = message.has("color") ? color_of(message.at("color")) : color_for(name);
  const std::uint16_t number = project.add_class(name, color, request_id);
  say_classes();
  return answer(number);
}

json Teaching::Session::count_strokes(const Request& request) {
  const std::uint16_t number = number_of(request.message, "class");
  std::size_t num_strokes = 0, num_frames = 0;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) {
    const auto count = std::ranges::count_if(project.strokes(frame), [&](const auto& drawn) {
      const auto is_of = [&](std::uint16_t given) { return project.merged_class(given) == number; };
      return std::ranges::any_of(drawn.second->classes, is_of);
    });
    num_strokes += static_cast<std::size_t>(count);
    num_frames += count > 0;
  }
  return {{"num_strokes", num_strokes}, {"num_frames", num_frames}};
}

json Teaching::Session::alter_class(const Request& request, const ChangeClass& change) {
  const std::string request_id = request_id_of(request.message);
  if (const auto done = project.class_of_request(request_id)) return {{"class", *done}};
  const std::uint16_t number = number_of(request.message, "class");
  change(number, request_id);
  say_classes();
  suggested.clear();  // its classes may have changed
  truths.clear();
  ++num_class_changes;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame)
    if (!project.strokes(frame).empty()) say_truth(frame);
  schedule_update();
  return {{"class", number}};
}

json Teaching::Session::change_class(const Request& request) {
  return alter_class(request, [&](std::uint16_t number, const std::string& request_id) {
    project.change_class(number, request.message.at("name").text(), color_of(request.message.at("color")), request_id);
  });
}

json Teaching::Session::merge_class(const Request& request) {
  return alter_class(request, [&](std::uint16_t number, const std::string& request_id) {
    project.merge_class(number, number_of(request.message, "into"), request_id);
  });
}

json Teaching::Session::delete_class(const Request& request) {
  return alter_class(
      request, [&](std::uint16_t number, const std::string& request_id) { project.delete_class(number, request_id); });
}

json Teaching::Session::restore_class(const Request& request) {
  return alter_class(
      request, [&](std::uint16_t number, const std::string& request_id) { project.restore_class(number, request_id); });
}

json Teaching::Session::lock_class(const Request& request) {
  const std::uint16_t number = number_of(request.message, "class");
  project.lock_class(number, request.message.at("locked").flag());
  say_classes();
  return {{"class", number}};
}

}  // namespace fernwood::teach
