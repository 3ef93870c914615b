// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Messages of pages: one table of requests, with their fields and handlers, which is read in one place. A handler
// changes the project or asks one of the parts; what follows from a change is connected in teaching.cpp.
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
#include "teach/teaching_parts.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

/// More than the frames of any project or camera.
constexpr std::uint64_t kMaxFrames = std::uint64_t{1} << 32;
/// Maximum size of the deferred messages of a page that waits for a frame to be painted.
constexpr std::size_t kMaxPutOffBytes = std::size_t{32} << 20;
/// Requests are flat: lists, objects and strings take longer to parse than numbers.
constexpr std::ptrdiff_t kMaxParts = 10'000;
constexpr const char* kMessageRemedy = "; see include/fernwood/teach/teaching.h for the requests";

/// Resolves a class named by the request id of the message that added it, so that a page can draw before it receives
/// the number.
void number_class(json& message, const Project& project) {
  const auto found = message.find("class");
  if (found == message.end() || !found->is_string()) return;
  const auto number = project.class_of_request(found->get<std::string>());
  FW_CHECK(number, Usage, "its class was not added; add the class, and draw again");
  *found = *number;
}

struct Request {
  TeachingParts& all;
  int client;
  const JsonField& message;
  Project& project = all.project;

  std::size_t frame() const {
    const auto frame = static_cast<std::size_t>(message.at("frame").whole(0, kMaxFrames));
    project.frame(frame);  // throws if it does not exist
    return frame;
  }
  std::uint16_t class_number(const char* key = "class") const { return class_number_of(message.at(key)); }
  std::string id() const { return request_id_of(message); }
};

json view(const Request& request) {
  request.all.model.show(request.client, request.frame());
  request.all.model.prioritize(request.client);
  return json::object();
}

/// @param change  Returns the stroke that was drawn or undone, if any.
json draw(const Request& request, const std::function<std::optional<std::uint64_t>(std::size_t frame)>& change) {
  const std::size_t frame = request.frame();
  request.all.model.show(request.client, frame);
  // A page repeats a request if it received no answer because the connection or this program was lost.
  if (const auto done = request.project.find_request(request.id())) return {{"stroke", *done}};
  const std::optional<std::uint64_t> stroke = change(frame);
  return {{"stroke", stroke ? json(*stroke) : json()}};
}

/// @throws Error(kUsage) for a stroke that would delay all pages.
void check_painting_work(const Stroke& stroke, const TaughtFrame& frame) {
  const std::uint64_t work = work_of(stroke, frame.rows, frame.cols);
  FW_CHECK(work <= kMaxStrokeWork, Usage,
           "painting the stroke takes " << work / (kMaxStrokeWork / 100)
                                        << " % of what all pages can wait for; draw it as several strokes");
}

/// Adds a stroke. If another window has merged its class meanwhile, it gets the class into which that was merged.
std::uint64_t add_stroke(const Request& request, std::size_t frame, Stroke stroke) {
  if (stroke.class_id != kErase) stroke.class_id = request.project.merged_class(stroke.class_id);
  return request.project.add_stroke(frame, std::move(stroke), request.id());
}

Stroke fill_area(const Request& request, std::size_t frame) {
  const Fill fill = {.x = request.message.at("x").whole(0, kMaxSteps),
                     .y = request.message.at("y").whole(0, kMaxSteps),
                     .largest_turn_deg = request.message.at("turn").number()};
  return {.tool = Tool::kRegion, .runs = fill_region(request.project.read_frame(frame), fill)};
}

json draw_stroke(const Request& request) {
  return draw(request, [&](std::size_t frame) {
    Stroke stroke = stroke_of(request.message);
    check_painting_work(stroke, request.project.frame(frame));
    return add_stroke(request, frame, std::move(stroke));
  });
}

json draw_fill(const Request& request) {
  return draw(request, [&](std::size_t frame) {
    Stroke filled = fill_area(request, frame);
    filled.class_id = class_id_of(request.message);
    return add_stroke(request, frame, std::move(filled));
  });
}

json undo(const Request& request) {
  return draw(request, [&](std::size_t frame) {
    std::optional<std::uint64_t> given;
    if (request.message.has("stroke")) given = request.message.at("stroke").whole(1, kMaxStrokes);
    return request.project.undo(frame, given, request.id());
  });
}

json redo(const Request& request) {
  return draw(request, [&](std::size_t frame) { return request.project.redo(frame, request.id()); });
}

/// Draws labels as one stroke where nothing is drawn. @param found  Indices of live classes.
json draw_labels(const Request& request, std::size_t frame, image::LabelImage found) {
  const image::LabelImage drawn = request.all.truth.of(frame).labels->unpacked();  // strokes take precedence
  for (std::size_t i = 0; i < found.size(); ++i)
    if (drawn.data()[i] != image::kVoid) found.data()[i] = image::kVoid;
  const std::size_t num_pixels = found.size() - static_cast<std::size_t>(std::ranges::count(found, image::kVoid));
  FW_CHECK(num_pixels > 0, Usage, "there is no label to accept that was not drawn already; choose another place");
  const Stroke stroke = labels_stroke(found, request.project.class_numbers());
  return {{"stroke", request.project.add_stroke(frame, stroke, request.id())}, {"pixels", num_pixels}};
}

json transfer(const Request& request) {
  const json id = request.message.at("id").whole(0, kMaxFrames);
  request.all.suggestions.transfer(request.frame(),
                                   [&messages = request.all.messages, client = request.client, id](json answer) {
                                     answer["id"] = id;
                                     messages.answer(client, answer);
                                   });
  return nullptr;
}

json accept(const Request& request) {
  const std::size_t frame = request.frame();
  if (const auto done = request.project.find_request(request.id())) return {{"stroke", *done}};
  const json answer = draw_labels(request, frame, request.all.suggestions.of(frame).unpacked());
  request.all.suggestions.forget(frame);
  return answer;
}

json accept_labels(const Request& request) {
  const JsonField& message = request.message;
  const std::size_t frame = request.frame();
  if (const auto done = request.project.find_request(request.id())) return {{"stroke", *done}};
  image::LabelImage found = request.all.labels.prediction(frame)();
  if (message.has("class")) {
    const std::vector<std::uint16_t> live = request.project.live_indices();
    const std::uint16_t number = request.class_number(), wanted = number < live.size() ? live[number] : image::kVoid;
    std::ranges::replace_if(
        found, [&](std::uint16_t label) { return label != wanted; }, image::kVoid);
  }
  const bool is_filled = message.has("turn");
  if (is_filled || message.has("brush") || message.has("polygon") || message.has("region")) {
    Stroke area = is_filled ? fill_area(request, frame) : area_of(message);
    area.class_id = 0;
    area.check(found.rows(), found.cols());
    check_painting_work(area, request.project.frame(frame));
    image::LabelImage marked(found.rows(), found.cols(), image::kVoid);
    paint(area, marked);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (marked.data()[i] == image::kVoid) found.data()[i] = image::kVoid;
  }
  return draw_labels(request, frame, std::move(found));
}

json carry(const Request& request) {
  const bool has_frame = request.message.has("frame");
  const std::optional<std::size_t> frame = has_frame ? std::optional(request.frame()) : std::nullopt;
  const bool is_carried = request.message.at("is_carried").flag();
  request.project.carry(frame, is_carried);
  request.all.tell_all({{"carrying", is_carried},
                        {"carrying_frame", frame ? json(*frame) : json()},
                        {"version", request.project.version()}});
  request.all.server.post([&carrying = request.all.carrying] { carrying.go_on(); });
  return json::object();
}

json make_map(const Request& request) { return {{"room", request.all.map.request(request.client, request.frame())}}; }

json leave_map(const Request& request) {
  request.all.map.forget(request.client);
  return json::object();
}

json mark_done(const Request& request) {
  const std::size_t frame = request.frame();
  const bool is_done = request.message.at("is_done").flag();
  request.project.mark_done(frame, is_done);
  request.all.tell_all({{"marked", frame}, {"is_done", is_done}, {"version", request.project.version()}});
  request.all.labels.tell_next();
  return json::object();
}

json smooth(const Request& request) {
  const bool is_smooth = request.message.at("is_smooth").flag();
  request.all.model.prioritize(request.client);
  request.all.model.smooth(is_smooth);
  request.all.tell_all({{"smooth", is_smooth}, {"version", request.project.version()}});
  return json::object();
}

json keep(const Request& request) {
  const std::uint64_t asked = request.message.has("camera") ? request.message.at("camera").whole(0, kMaxFrames) : 0;
  const recordings::CapturedFrame& captured = request.all.camera.find(asked).captured;
  const std::string name =
      frame_name_like(captured.name, [&](const std::string& tried) { return request.project.has_frame(tried); });
  std::optional<dataset::FramePose> pose;
  if (captured.pose) pose = {dataset::room_of(request.all.source), *captured.pose};
  return {{"frame", request.project.add_frame(name, *captured.frame, pose)}};
}

/// The offered colour of a class if no other class has it, else a free one.
image::Rgb color_for(const std::string& name, const TeachingParts& all) {
  const auto known = std::ranges::find(all.offered, name, &image::ClassInfo::name);
  const std::vector<TaughtClass>& taken = all.project.classes();
  const bool is_free = known != all.offered.end() && known->color != image::Rgb{} &&
                       std::ranges::find(taken, known->color, &TaughtClass::color) == taken.end();
  return is_free ? known->color : all.project.free_color();
}

json add_class(const Request& request) {
  const JsonField& message = request.message;
  std::optional<std::uint16_t> number = request.project.class_of_request(request.id());
  if (!number) {
    const std::string name = message.at("name").text();
    const image::Rgb color = message.has("color") ? color_of(message.at("color")) : color_for(name, request.all);
    number = request.project.add_class(name, color, request.id());
  }
  return {{"class", *number}, {"name", request.project.classes()[*number].name}};
}

json count_strokes(const Request& request) {
  const std::uint16_t number = request.class_number();
  std::size_t num_strokes = 0, num_frames = 0;
  for (std::size_t frame = 0; frame < request.project.num_frames(); ++frame) {
    const auto count = std::ranges::count_if(request.project.frame(frame).strokes, [&](const auto& drawn) {
      const auto is_of = [&](std::uint16_t given) { return request.project.merged_class(given) == number; };
      return std::ranges::any_of(drawn.second->classes, is_of);
    });
    num_strokes += static_cast<std::size_t>(count);
    num_frames += count > 0;
  }
  return {{"num_strokes", num_strokes}, {"num_frames", num_frames}};
}

json alter_class(const Request& request, const std::function<void(std::uint16_t number)>& change) {
  if (const auto done = request.project.class_of_request(request.id())) return {{"class", *done}};
  const std::uint16_t number = request.class_number();
  change(number);
  return {{"class", number}};
}

json change_class(const Request& request) {
  return alter_class(request, [&](std::uint16_t number) {
    request.project.change_class(number, request.message.at("name").text(), color_of(request.message.at("color")),
                                 request.id());
  });
}

json merge_class(const Request& request) {
  return alter_class(request, [&](std::uint16_t number) {
    request.project.merge_class(number, request.class_number("into"), request.id());
  });
}

json delete_class(const Request& request) {
  return alter_class(request, [&](std::uint16_t number) { request.project.delete_class(number, request.id()); });
}

json restore_class(const Request& request) {
  return alter_class(request, [&](std::uint16_t number) { request.project.restore_class(number, request.id()); });
}

json lock_class(const Request& request) {
  const std::uint16_t number = request.class_number();
  request.project.lock_class(number, request.message.at("locked").flag());
  return {{"class", number}};
}

/// A request that pages may send, as documented in include/fernwood/teach/teaching.h.
struct Verb {
  std::string_view name;
  std::vector<const char*> members;  ///< Required members, besides "id" and "do".
  /// Returns the further members of the answer; null: the answer comes later.
  json (*handle)(const Request& request);
  bool needs_drawn = false;  ///< Needs the labels drawn on its frame.
};

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {{"view", {"frame"}, view},
                                        {"stroke", {"frame"}, draw_stroke},
                                        {"fill", {"frame", "class", "x", "y", "turn"}, draw_fill},
                                        {"undo", {"frame"}, undo},
                                        {"redo", {"frame"}, redo},
                                        {"transfer", {"frame"}, transfer},
                                        {"accept", {"frame"}, accept, true},
                                        {"carry", {"is_carried"}, carry},
                                        {"accept_labels", {"frame"}, accept_labels, true},
                                        {"map", {"frame"}, make_map},
                                        {"leave_map", {}, leave_map},
                                        {"mark_done", {"frame", "is_done"}, mark_done},
                                        {"smooth", {"is_smooth"}, smooth},
                                        {"keep", {}, keep},
                                        {"add_class", {"name"}, add_class},
                                        {"count_strokes", {"class"}, count_strokes},
                                        {"lock", {"class", "locked"}, lock_class},
                                        {"change_class", {"class", "name", "color"}, change_class},
                                        {"merge", {"class", "into"}, merge_class},
                                        {"delete_class", {"class"}, delete_class},
                                        {"restore_class", {"class"}, restore_class}};
  return all;
}

}  // namespace

void Messages::receive(int client, const std::string& text) {
  const auto before = put_off_.find(client);
  if (before == put_off_.end() && handle(client, text)) return;
  PutOff& waiting = put_off_[client];
  waiting.num_bytes += text.size();
  waiting.messages.push_back(text);
  if (waiting.num_bytes > kMaxPutOffBytes) all_.server.drop(client);
}

void Messages::go_on(int client) {
  const auto found = put_off_.find(client);
  if (found == put_off_.end()) return;  // the client has left
  PutOff& waiting = found->second;
  if (!handle(client, waiting.messages.front())) return;
  waiting.num_bytes -= waiting.messages.front().size();
  waiting.messages.pop_front();
  if (waiting.messages.empty())
    put_off_.erase(found);
  else
    all_.server.post([this, client] { go_on(client); });
}

bool Messages::handle(int client, const std::string& text) {
  json answer = {{"id", nullptr}};
  try {
    const ErrorContext place = {"the message", kMessageRemedy, "request", ErrorKind::kUsage};
    const auto begins_part = [](char c) { return c == '[' || c == '{' || c == '"'; };
    FW_CHECK(std::ranges::count_if(text, begins_part) <= kMaxParts, Usage,
             "the message has more than " << kMaxParts << " lists, objects and strings" << kMessageRemedy);
    json document = parse_json(text, 4, "the request", place);
    const JsonField message(document, "", place);
    answer["id"] = message.at("id").whole(0, kMaxFrames);
    number_class(document, all_.project);
    const auto verb = std::ranges::find(verbs(), message.at("do").text(), &Verb::name);
    if (verb == verbs().end()) message.at("do").fail("a known command");
    for (const char* member : verb->members) message.at(member);
    const Request request = {all_, client, message};
    if (verb->needs_drawn) {
      const std::size_t frame = request.frame();
      if (!all_.truth.has(frame) && all_.truth.paint_aside(frame, [this, client] { go_on(client); })) return false;
    }
    const json found = verb->handle(request);
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

void Messages::answer(int client, const json& answer) { all_.server.send(client, ascii_json_text(answer)); }

}  // namespace fernwood::teach
