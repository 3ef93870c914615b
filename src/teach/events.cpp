// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/events.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "core/json_field.h"
#include "core/json_text.h"
#include "dataset/frame_file_names.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "teach/project_state.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestRequestId = 64;

image::Vector3 up_of(const JsonField& field) {
  const std::vector<double> numbers = field.numbers(3, 3);
  const image::Vector3 up = {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
                             static_cast<float>(numbers[2])};
  if (!image::is_direction(up)) field.fail("a direction");
  return up;
}

std::optional<image::Camera> camera_of(const JsonField& field) {
  if (field.is_null()) return std::nullopt;
  const std::vector<double> numbers = field.numbers(6, 6);
  const auto number = [&](std::size_t i) { return static_cast<float>(numbers[i]); };
  const image::Camera camera = {static_cast<int>(field.at(std::size_t{0}).whole(1, kMaxPixels)),
                                static_cast<int>(field.at(std::size_t{1}).whole(1, kMaxPixels)),
                                number(2),
                                number(3),
                                number(4),
                                number(5)};
  const std::string problem = image::problem_of(camera);
  if (!problem.empty()) field.fail("a camera (its " + problem + ")");
  return camera;
}

json matrix_json(const image::RigidMotion& motion) {
  const std::array<float, 3> translation = {motion.translation.x, motion.translation.y, motion.translation.z};
  json list = json::array();
  for (std::size_t row = 0; row < 3; ++row)
    for (const float number :
         {motion.rotation[row].x, motion.rotation[row].y, motion.rotation[row].z, translation[row]})
      list.push_back(number);
  return list;
}

image::RigidMotion motion_of(const JsonField& field) {
  const std::vector<double> numbers = field.numbers(12, 12);
  const auto at = [&](std::size_t row, std::size_t col) { return static_cast<float>(numbers[4 * row + col]); };
  image::RigidMotion motion;
  for (std::size_t row = 0; row < 3; ++row) motion.rotation[row] = {at(row, 0), at(row, 1), at(row, 2)};
  motion.translation = {at(0, 3), at(1, 3), at(2, 3)};
  return motion;
}

/// At most 64 letters, digits and "-"; it may be empty.
bool is_request_id(const std::string& request_id) {
  const auto is_plain = [](unsigned char c) {  // independent of the locale
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  return request_id.size() <= kLongestRequestId && std::ranges::all_of(request_id, is_plain);
}

}  // namespace

image::Rgb color_of(const JsonField& field) {
  field.size(3, 3);
  const auto value = [&](std::size_t i) { return static_cast<std::uint8_t>(field.at(i).whole(0, 255)); };
  return {value(0), value(1), value(2)};
}

std::string request_id_of(const JsonField& event) {
  if (!event.has("request")) return {};
  const std::string& request_id = event.at("request").text();
  if (request_id.empty() || !is_request_id(request_id))
    event.at("request").fail("letters, digits and \"-\", 64 at most");
  return request_id;
}

namespace {

DrawnStroke as_drawn(Stroke stroke, const FrameKept& frame) {
  DrawnStroke drawn = {std::move(stroke)};
  drawn.work = work_of(drawn, frame.rows, frame.cols);
  if (drawn.tool == Tool::kLabels) {
    const std::set<std::uint16_t> classes(drawn.run_classes.begin(), drawn.run_classes.end());
    drawn.classes.assign(classes.begin(), classes.end());
  } else if (drawn.class_id != kErase) {
    drawn.classes = {drawn.class_id};
  }
  return drawn;
}

using What = ProjectChange::What;

/// A kind of event: a row of the table below.
template <typename E>
struct EventKind {
  const char* key;                                        ///< Member of the line by which the kind is known.
  E (*decode)(const JsonField& line);                     ///< @throws Error(kData)
  json (*encode)(const E& event);                         ///< Without the request id, which every kind may have.
  void (*check)(const E& event, const ProjectState& in);  ///< @throws Error(kUsage) if it is not allowed.
  ProjectChange (*apply)(E event, ProjectState& state);
  bool changes_labels = true;  ///< Whether it may change labels of any frame, or their meaning.
};

/// The kind of a line is the first one whose key it has, so those with members that are keys of others come first.
constexpr std::tuple kKinds{
    EventKind<StrokeDrawn>{
        .key = "stroke",
        .decode = [](const JsonField& line) -> StrokeDrawn {
          return {line.at("stroke").whole(1, kMaxStrokes), line.at("frame").whole(0, kMaxPixels), stroke_of(line),
                  request_id_of(line)};
        },
        .encode = [](const StrokeDrawn& drawn) -> json {
          json line = {{"stroke", drawn.number}, {"frame", drawn.frame}};
          write_stroke(drawn.stroke, line);
          return line;
        },
        .check =
            [](const StrokeDrawn& drawn, const ProjectState& in) {
              const FrameState& frame = in.frame(drawn.frame);
              FW_CHECK(drawn.number == in.next_stroke(), Usage,
                       "a stroke has the number " << drawn.number << ", not " << in.next_stroke());
              if (drawn.stroke.class_id != kErase) in.live(drawn.stroke.class_id);
              for (const std::uint16_t number : drawn.stroke.run_classes) in.live(number);
              for (const std::uint16_t number : drawn.stroke.protected_classes)
                FW_CHECK(number < in.classes.size(), Usage, "class " << number << ", to be protected, does not exist");
              drawn.stroke.check(frame.rows, frame.cols);
              FW_CHECK(work_of(drawn.stroke, frame.rows, frame.cols) <= kMaxFrameWork - frame.work, Usage,
                       "the strokes of frame "
                           << frame.name << " take more work than the " << kMaxFrameWork
                           << " pixels that may be painted for a frame; take some back, or draw with fewer points");
            },
        .apply = [](StrokeDrawn drawn, ProjectState& state) -> ProjectChange {
          FrameState& frame = state.frames[drawn.frame];
          const auto stroke = std::make_shared<const DrawnStroke>(as_drawn(std::move(drawn.stroke), frame));
          if (const auto painting = frame.painting.lock()) painting->add(stroke);
          if (!drawn.request_id.empty()) state.stroke_of_request[drawn.request_id] = drawn.number;
          state.frame_of_stroke[drawn.number] = drawn.frame;
          for (const auto& [number, undone] : frame.undone) frame.work -= undone.stroke->work;
          frame.undone.clear();
          frame.undone_order.clear();
          frame.work += stroke->work;
          frame.strokes.emplace(drawn.number, stroke);
          state.strokes_changed(frame);
          return {What::kStrokes, drawn.frame};
        }},
    EventKind<StrokeUndone>{
        .key = "undo",
        .decode = [](const JsonField& line) -> StrokeUndone {
          return {line.at("undo").whole(1, kMaxStrokes), request_id_of(line)};
        },
        .encode = [](const StrokeUndone& undone) -> json {
          return {{"undo", undone.number}};
        },
        .check =
            [](const StrokeUndone& undone, const ProjectState& in) {
              FW_CHECK(in.frame_of(undone.number).strokes.contains(undone.number), Usage,
                       "stroke " << undone.number << " is taken back already");
            },
        .apply = [](StrokeUndone undone, ProjectState& state) -> ProjectChange {
          const std::size_t index = state.frame_of_stroke.at(undone.number);
          FrameState& frame = state.frames[index];
          const auto found = frame.strokes.find(undone.number);
          frame.undone_order.emplace(state.version, undone.number);
          frame.undone.emplace(undone.number, FrameState::UndoneStroke{std::move(found->second), state.version});
          frame.strokes.erase(found);
          state.strokes_changed(frame);
          state.forget_painting(frame);
          if (!undone.request_id.empty()) state.stroke_of_request[undone.request_id] = undone.number;
          return {What::kStrokes, index};
        }},
    EventKind<StrokeRedone>{.key = "redo",
                            .decode = [](const JsonField& line) -> StrokeRedone {
                              return {line.at("redo").whole(1, kMaxStrokes), request_id_of(line)};
                            },
                            .encode = [](const StrokeRedone& redone) -> json {
                              return {{"redo", redone.number}};
                            },
                            .check =
                                [](const StrokeRedone& redone, const ProjectState& in) {
                                  FW_CHECK(
                                      in.frame_of(redone.number).undone.contains(redone.number), Usage,
                                      "stroke " << redone.number << " was not taken back, or was drawn over since");
                                },
                            .apply = [](StrokeRedone redone, ProjectState& state) -> ProjectChange {
                              const std::size_t index = state.frame_of_stroke.at(redone.number);
                              FrameState& frame = state.frames[index];
                              const auto found = frame.undone.find(redone.number);
                              frame.undone_order.erase(found->second.since);
                              frame.strokes.emplace(redone.number, std::move(found->second.stroke));
                              frame.undone.erase(found);
                              state.strokes_changed(frame);
                              state.forget_painting(frame);
                              if (!redone.request_id.empty())
                                state.stroke_of_request[redone.request_id] = redone.number;
                              return {What::kStrokes, index};
                            }},
    EventKind<FrameDone>{.key = "done",
                         .decode = [](const JsonField& line) -> FrameDone {
                           return {line.at("done").whole(0, kMaxPixels), line.at("is_done").flag()};
                         },
                         .encode = [](const FrameDone& done) -> json {
                           return {{"done", done.frame}, {"is_done", done.is_done}};
                         },
                         .check = [](const FrameDone& done, const ProjectState& in) { in.frame(done.frame); },
                         .apply = [](FrameDone done, ProjectState& state) -> ProjectChange {
                           state.frames[done.frame].is_done = done.is_done;
                           return {What::kSetting};
                         },
                         .changes_labels = false},
    EventKind<FramePosed>{
        .key = "pose",
        .decode = [](const JsonField& line) -> FramePosed {
          return {line.at("pose").whole(0, kMaxPixels), line.at("room").text(), motion_of(line.at("matrix"))};
        },
        .encode = [](const FramePosed& posed) -> json {
          return {{"pose", posed.frame}, {"room", posed.room}, {"matrix", matrix_json(posed.pose)}};
        },
        .check =
            [](const FramePosed& posed, const ProjectState& in) {
              const std::string& name = in.frame(posed.frame).name;
              const std::string problem = image::problem_of(posed.pose);
              FW_CHECK(problem.empty(), Usage, "the pose of frame " << name << ": " << problem);
              FW_CHECK(dataset::is_room_name(posed.room), Usage,
                       "the room of frame " << name << " is called \"" << posed.room << "\"; give at most "
                                            << dataset::kMaxRoomBytes << " bytes of UTF-8 without control characters");
            },
        .apply = [](FramePosed posed, ProjectState& state) -> ProjectChange {
          FrameState& frame = state.frames[posed.frame];
          state.num_poses += !frame.pose;
          frame.pose = {posed.room, posed.pose};
          frame.strokes_version = state.version;
          state.config_is_written = false;
          return {What::kFrame, posed.frame};
        }},
    EventKind<LabelsCarried>{
        .key = "carry",
        .decode = [](const JsonField& line) -> LabelsCarried {
          const JsonField frame = line.at("carry");
          return {frame.is_null() ? std::nullopt : std::optional(std::size_t{frame.whole(0, kMaxPixels)}),
                  line.at("is_carried").flag()};
        },
        .encode = [](const LabelsCarried& carried) -> json {
          return {{"carry", carried.frame ? json(*carried.frame) : json()}, {"is_carried", carried.is_carried}};
        },
        .check =
            [](const LabelsCarried& carried, const ProjectState& in) {
              if (carried.frame) in.frame(*carried.frame);
              FW_CHECK(!carried.is_carried || (!in.frames.empty() && in.frames[0].has_depth), Usage,
                       "frames have no depth, by which labels are carried from frame to frame; draw on each");
            },
        .apply = [](LabelsCarried carried, ProjectState& state) -> ProjectChange {
          if (carried.frame) {
            state.frames[*carried.frame].carries = carried.is_carried;
            state.frames[*carried.frame].strokes_version = state.version;
            return {What::kSetting};
          }
          state.carries_all = carried.is_carried;
          for (FrameState& frame : state.frames) {
            frame.carries.reset();
            frame.strokes_version = state.version;
          }
          return {What::kSetting};
        }},
    EventKind<FrameKept>{
        .key = "frame",
        .decode = [](const JsonField& line) -> FrameKept {
          return {line.at("frame").text(),
                  line.at("rows").whole(1, kMaxPixels),
                  line.at("cols").whole(1, kMaxPixels),
                  line.at("color").flag(),
                  line.at("depth").flag(),
                  up_of(line.at("up")),
                  camera_of(line.at("camera")),
                  line.has("maps") ? line.at("maps").whole(1, image::kMaxMaps) : 0};
        },
        .encode = [](const FrameKept& kept) -> json {
          json line = {{"frame", kept.name},      {"rows", kept.rows},
                       {"cols", kept.cols},       {"up", {kept.up.x, kept.up.y, kept.up.z}},
                       {"color", kept.has_color}, {"depth", kept.has_depth},
                       {"camera", nullptr}};
          if (const auto& camera = kept.camera)
            line["camera"] = {camera->cols, camera->rows, camera->fx, camera->fy, camera->cx, camera->cy};
          if (kept.num_maps > 0) line["maps"] = kept.num_maps;
          return line;
        },
        .check =
            [](const FrameKept& kept, const ProjectState& in) {
              FW_CHECK(dataset::is_file_name(kept.name), Usage,
                       "a frame's name is \"" << printable(kept.name)
                                              << "\"; give letters, digits, \"_\", \"-\" and \".\", less than "
                                              << kMaxNameBytes);
              FW_CHECK(!in.frame_names.contains(kept.name), Usage,
                       "there is a frame " << kept.name << " already; give another name");
              FW_CHECK(kept.rows > 0 && kept.cols > 0 && (kept.has_color || kept.has_depth), Usage,
                       "frame " << kept.name << " has no pixel; give colour or depth");
              FW_CHECK(kept.cols <= kMaxFramePixels && kept.rows <= kMaxFramePixels / kept.cols, Usage,
                       "frame " << kept.name << " has " << kept.cols << " x " << kept.rows << " pixels, more than the "
                                << kMaxFramePixels << " that a picture may have; scale it down");
              FW_CHECK(image::is_direction(kept.up), Usage,
                       "up of frame " << kept.name << " is not a direction; give one");
              const std::string problem = kept.camera ? image::problem_of(*kept.camera) : "";
              FW_CHECK(problem.empty(), Usage, "frame " << kept.name << ": the camera's " << problem);
              if (in.frames.empty()) return;
              const FrameKept& first = in.frames[0];
              FW_CHECK(first.num_maps == kept.num_maps, Usage,
                       "frame " << kept.name << " has " << kept.num_maps << " feature maps, and the first has "
                                << first.num_maps << "; frames of a project have the same");
              FW_CHECK(first.has_color == kept.has_color && first.has_depth == kept.has_depth, Usage,
                       "frame " << kept.name << " has " << (kept.has_color ? "" : "no ") << "colour and "
                                << (kept.has_depth ? "" : "no ")
                                << "depth, unlike the first; frames of a project have the same");
            },
        .apply = [](FrameKept kept, ProjectState& state) -> ProjectChange {
          state.frame_names.insert(kept.name);
          FrameState& frame = state.frames.emplace_back();
          static_cast<FrameKept&>(frame) = std::move(kept);
          frame.strokes_version = state.version;
          return {What::kFrame, state.frames.size() - 1};
        }},
    EventKind<ClassNamed>{
        .key = "class",
        .decode = [](const JsonField& line) -> ClassNamed {
          return {class_number_of(line.at("class")), line.at("name").text(), color_of(line.at("color")),
                  request_id_of(line)};
        },
        .encode = [](const ClassNamed& named) -> json {
          return {
              {"class", named.number}, {"name", named.name}, {"color", {named.color.r, named.color.g, named.color.b}}};
        },
        .check =
            [](const ClassNamed& named, const ProjectState& in) {
              FW_CHECK(named.number <= in.classes.size() && named.number != kErase, Usage,
                       "there is no class " << named.number << "; the next new one is " << in.classes.size());
              if (named.number < in.classes.size()) in.live(named.number);
              FW_CHECK(!named.name.empty() && named.name.size() <= kMaxNameBytes &&
                           printable(named.name) == named.name && named.name.find_first_of("\n\t") == std::string::npos,
                       Usage,
                       "a class's name is \"" << named.name << "\"; give 1 to " << kMaxNameBytes
                                              << " bytes without control characters");
              FW_CHECK(is_utf8(named.name), Usage, "a class's name is not UTF-8; give it in that");
              FW_CHECK(named.color != image::Rgb{}, Usage,
                       "class " << named.name << " is black, which means void; give a colour");
              in.check_free(named.number, named.name, named.color);
            },
        .apply = [](ClassNamed named, ProjectState& state) -> ProjectChange {
          const bool is_new = named.number == state.classes.size();
          if (is_new)
            state.classes.emplace_back().number = named.number;
          else
            state.hide(state.classes[named.number]);
          TaughtClass& one = state.classes[named.number];
          one.name = std::move(named.name);
          if (one.color != named.color) ++state.colors_version;
          one.color = named.color;
          state.show(one);
          return state.classes_changed(one, named.request_id, is_new ? What::kClassList : What::kClasses);
        }},
    EventKind<ClassLocked>{.key = "lock",
                           .decode = [](const JsonField& line) -> ClassLocked {
                             return {class_number_of(line.at("lock")), line.at("locked").flag()};
                           },
                           .encode = [](const ClassLocked& lock) -> json {
                             return {{"lock", lock.number}, {"locked", lock.is_locked}};
                           },
                           .check = [](const ClassLocked& lock, const ProjectState& in) { in.live(lock.number); },
                           .apply = [](ClassLocked lock, ProjectState& state) -> ProjectChange {
                             state.classes[lock.number].is_locked = lock.is_locked;
                             return {What::kClassList};
                           },
                           .changes_labels = false},
    EventKind<ClassDeleted>{
        .key = "delete",
        .decode = [](const JsonField& line) -> ClassDeleted {
          return {class_number_of(line.at("delete")), request_id_of(line)};
        },
        .encode = [](const ClassDeleted& deleted) -> json {
          return {{"delete", deleted.number}};
        },
        .check = [](const ClassDeleted& deleted, const ProjectState& in) { in.live(deleted.number); },
        .apply = [](ClassDeleted deleted, ProjectState& state) -> ProjectChange {
          TaughtClass& one = state.classes[deleted.number];
          state.hide(one);
          one.is_deleted = true;
          ++state.num_deleted;
          state.forget_paintings();
          return state.meaning_changed(one, deleted.request_id);
        }},
    EventKind<ClassRestored>{.key = "restore",
                             .decode = [](const JsonField& line) -> ClassRestored {
                               return {class_number_of(line.at("restore")), request_id_of(line)};
                             },
                             .encode = [](const ClassRestored& restored) -> json {
                               return {{"restore", restored.number}};
                             },
                             .check =
                                 [](const ClassRestored& restored, const ProjectState& in) {
                                   const TaughtClass& one = in.known(restored.number);
                                   FW_CHECK(!one.is_live(), Usage,
                                            "class "
                                                << one.number << " (" << one.name
                                                << ") was neither merged nor deleted; there is nothing to restore");
                                   in.check_free(one.number, one.name, one.color);
                                 },
                             .apply = [](ClassRestored restored, ProjectState& state) -> ProjectChange {
                               TaughtClass& one = state.classes[restored.number];
                               one.merged_into.reset();
                               state.num_deleted -= std::exchange(one.is_deleted, false);
                               state.show(one);
                               state.forget_paintings();
                               return state.meaning_changed(one, restored.request_id);
                             }},
    EventKind<ClassMerged>{
        .key = "merge",
        .decode = [](const JsonField& line) -> ClassMerged {
          return {class_number_of(line.at("merge")), class_number_of(line.at("into")), request_id_of(line)};
        },
        .encode = [](const ClassMerged& merged) -> json {
          return {{"merge", merged.number}, {"into", merged.into}};
        },
        .check =
            [](const ClassMerged& merged, const ProjectState& in) {
              in.live(merged.number);
              in.live(merged.into);
              FW_CHECK(merged.number != merged.into, Usage,
                       "class " << merged.number << " cannot be merged into itself");
            },
        .apply = [](ClassMerged merged, ProjectState& state) -> ProjectChange {
          TaughtClass& one = state.classes[merged.number];
          state.hide(one);
          one.merged_into = merged.into;
          return state.meaning_changed(one, merged.request_id);
        }}};

template <typename E>
const EventKind<E>& kind_of(const E&) {
  return std::get<EventKind<E>>(kKinds);
}

template <typename First, typename... Others>
Event decoded(const JsonField& line, const First& first, const Others&... others) {
  if constexpr (sizeof...(others) > 0)
    if (!line.has(first.key)) return decoded(line, others...);
  return first.decode(line);  // the last one tells that its key is missing
}

}  // namespace

std::string to_text(const Event& event) {
  return json_text(std::visit(
      [](const auto& one) {
        json line = kind_of(one).encode(one);
        if constexpr (requires { one.request_id; })
          if (!one.request_id.empty()) line["request"] = one.request_id;
        return line;
      },
      event));
}

Event parse_event(const std::string& text, const std::string& place) {
  const ErrorContext where = {place, "; take the project from a backup", "line", ErrorKind::kData};
  const json document = parse_json(text, 4, "the line", where);
  return std::apply([line = JsonField(document, "", where)](const auto&... kinds) { return decoded(line, kinds...); },
                    kKinds);
}

void check(const Event& event, const ProjectState& state) {
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.request_id; })
          FW_CHECK(is_request_id(one.request_id), Usage,
                   "a message has the id \"" << one.request_id.substr(0, 80)
                                             << "\"; give letters, digits and \"-\", 64 at most");
        kind_of(one).check(one, state);
      },
      event);
}

ProjectChange apply(Event event, ProjectState& state) {
  return std::visit(
      [&](auto& one) {
        ++state.version;
        if (kind_of(one).changes_labels) {
          state.labels_version = state.version;
          state.carried_is_current = false;
        }
        return kind_of(one).apply(std::move(one), state);
      },
      event);
}

}  // namespace fernwood::teach
