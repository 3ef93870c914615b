// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/events.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
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

/// At most 64 letters, digits and "-"; it may be empty.
bool is_request_id(const std::string& request_id) {
  const auto is_plain = [](unsigned char c) {  // independent of the locale
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  return request_id.size() <= 64 && std::ranges::all_of(request_id, is_plain);
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

/// Takes the name of the first field of an event, by which a line is known.
struct FirstField {
  const char* name = nullptr;
  void operator()(const char* field, const auto&...) { name = name ? name : field; }
  void operator()(const Stroke&) {}
  void unless_0(const char*, const auto&...) {}
};

/// Writes fields of an event to a line of the journal.
struct LineWriter {
  json line = json::object();

  void operator()(const char* field, const auto& value, auto... /*limits*/) { line[field] = value; }
  void operator()(const char* field, const std::optional<std::size_t>& index) {
    line[field] = index ? json(*index) : json();
  }
  void operator()(const char* field, image::Rgb color) { line[field] = {color.r, color.g, color.b}; }
  void operator()(const char* field, const image::Vector3& up) { line[field] = {up.x, up.y, up.z}; }
  void operator()(const char* field, const std::optional<image::Camera>& camera) {
    line[field] = nullptr;
    if (camera) line[field] = {camera->cols, camera->rows, camera->fx, camera->fy, camera->cx, camera->cy};
  }
  void operator()(const char* field, const image::RigidMotion& motion) {
    const std::array<float, 3> translation = {motion.translation.x, motion.translation.y, motion.translation.z};
    line[field] = json::array();
    for (std::size_t row = 0; row < 3; ++row)
      for (const float number :
           {motion.rotation[row].x, motion.rotation[row].y, motion.rotation[row].z, translation[row]})
        line[field].push_back(number);
  }
  void operator()(const Stroke& stroke) { write_stroke(stroke, line); }
  void unless_0(const char* field, std::uint64_t number, std::uint64_t /*most*/) {
    if (number > 0) line[field] = number;
  }
};

/// Reads fields of an event from a line of the journal. @throws Error(kData) naming the field.
struct LineReader {
  const JsonField& line;

  void operator()(const char* field, std::uint64_t& number, std::uint64_t least = 0, std::uint64_t most = kMaxPixels) {
    number = line.at(field).whole(least, most);
  }
  void operator()(const char* field, std::uint16_t& class_number) { class_number = class_number_of(line.at(field)); }
  void operator()(const char* field, bool& flag) { flag = line.at(field).flag(); }
  void operator()(const char* field, std::string& text) { text = line.at(field).text(); }
  void operator()(const char* field, std::optional<std::size_t>& index) {
    if (!line.at(field).is_null()) index = line.at(field).whole(0, kMaxPixels);
  }
  void operator()(const char* field, image::Rgb& color) { color = color_of(line.at(field)); }
  void operator()(const char* field, image::Vector3& up) {
    const std::vector<float> numbers = floats(field, 3);
    up = {numbers[0], numbers[1], numbers[2]};
    if (!image::is_direction(up)) line.at(field).fail("a direction");
  }
  void operator()(const char* field, std::optional<image::Camera>& camera) {
    if (line.at(field).is_null()) return;
    const std::vector<float> numbers = floats(field, 6);
    const auto size = [&](std::size_t i) { return static_cast<int>(line.at(field).at(i).whole(1, kMaxPixels)); };
    camera = {size(0), size(1), numbers[2], numbers[3], numbers[4], numbers[5]};
    const std::string problem = image::problem_of(*camera);
    if (!problem.empty()) line.at(field).fail("a camera (its " + problem + ")");
  }
  void operator()(const char* field, image::RigidMotion& motion) {
    const std::vector<float> at = floats(field, 12);
    for (std::size_t row = 0; row < 3; ++row) motion.rotation[row] = {at[4 * row], at[4 * row + 1], at[4 * row + 2]};
    motion.translation = {at[3], at[7], at[11]};
  }
  void operator()(Stroke& stroke) { stroke = stroke_of(line); }
  void unless_0(const char* field, std::uint64_t& number, std::uint64_t most) {
    if (line.has(field)) number = line.at(field).whole(1, most);
  }
  std::vector<float> floats(const char* field, std::size_t count) const {
    std::vector<float> numbers;
    for (const double number : line.at(field).numbers(count, count)) numbers.push_back(static_cast<float>(number));
    return numbers;
  }
};

using What = ProjectChange::What;

/// A kind of event: a row of the table below.
template <typename E, typename Fields>
struct EventKind {
  using Type = E;
  Fields fields;                                          ///< Passes their names and members to a reader or a writer.
  void (*check)(const E& event, const ProjectState& in);  ///< @throws Error(kUsage) if it is not allowed.
  ProjectChange (*apply)(E event, ProjectState& state);
  bool changes_labels;  ///< Whether it may change labels of any frame, or their meaning.
  const EventKind& of(const E&) const { return *this; }
};
template <typename E, typename Fields>
constexpr EventKind<E, Fields> kind(Fields fields, void (*check)(const E&, const ProjectState&),
                                    ProjectChange (*apply)(E, ProjectState&), bool changes_labels = true) {
  return {fields, check, apply, changes_labels};
}
template <typename... Kinds>
struct EventTable : Kinds... {
  using Kinds::of...;  ///< The kind of an event.
};
template <typename... Kinds>
EventTable(Kinds...) -> EventTable<Kinds...>;

/// The table of events. The kind of a line is the first one whose first field it has, so those with fields that are the
/// first ones of others come before these.
constexpr EventTable kKinds{
    kind<StrokeDrawn>(
        [](auto& line, auto& event) {
          line("stroke", event.number, 1, kMaxStrokes), line("frame", event.frame), line(event.stroke);
        },
        [](auto& drawn, auto& in) {
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
        [](auto drawn, auto& state) -> ProjectChange {
          FrameState& frame = state.frames[drawn.frame];
          const auto stroke = std::make_shared<const DrawnStroke>(as_drawn(std::move(drawn.stroke), frame));
          if (const auto painting = frame.painting.lock()) painting->add(stroke);
          state.frame_of_stroke[drawn.number] = drawn.frame;
          for (const auto& [number, undone] : frame.undone) frame.work -= undone.stroke->work;
          frame.undone.clear();
          frame.undone_order.clear();
          frame.work += stroke->work;
          frame.strokes.emplace(drawn.number, stroke);
          state.strokes_changed(frame);
          return {What::kStrokes, drawn.frame};
        }),
    kind<StrokeUndone>(
        [](auto& line, auto& event) { line("undo", event.number, 1, kMaxStrokes); },
        [](auto& undone, auto& in) {
          FW_CHECK(in.frame_of(undone.number).strokes.contains(undone.number), Usage,
                   "stroke " << undone.number << " is taken back already");
        },
        [](auto undone, auto& state) -> ProjectChange {
          const std::size_t index = state.frame_of_stroke.at(undone.number);
          FrameState& frame = state.frames[index];
          const auto found = frame.strokes.find(undone.number);
          frame.undone_order.emplace(state.version, undone.number);
          frame.undone.emplace(undone.number, FrameState::UndoneStroke{std::move(found->second), state.version});
          frame.strokes.erase(found);
          state.strokes_changed(frame);
          state.forget_painting(frame);
          return {What::kStrokes, index};
        }),
    kind<StrokeRedone>([](auto& line, auto& event) { line("redo", event.number, 1, kMaxStrokes); },
                       [](auto& redone, auto& in) {
                         FW_CHECK(in.frame_of(redone.number).undone.contains(redone.number), Usage,
                                  "stroke " << redone.number << " was not taken back, or was drawn over since");
                       },
                       [](auto redone, auto& state) -> ProjectChange {
                         const std::size_t index = state.frame_of_stroke.at(redone.number);
                         FrameState& frame = state.frames[index];
                         const auto found = frame.undone.find(redone.number);
                         frame.undone_order.erase(found->second.since);
                         frame.strokes.emplace(redone.number, std::move(found->second.stroke));
                         frame.undone.erase(found);
                         state.strokes_changed(frame);
                         state.forget_painting(frame);
                         return {What::kStrokes, index};
                       }),
    kind<FrameDone>([](auto& line, auto& event) { line("done", event.frame), line("is_done", event.is_done); },
                    [](auto& done, auto& in) { in.frame(done.frame); },
                    [](auto done, auto& state) -> ProjectChange {
                      state.frames[done.frame].is_done = done.is_done;
                      state.frames[done.frame].written_colors.reset();  // for its instances
                      return {What::kSetting};
                    },
                    /*changes_labels=*/false),
    kind<LabelsSmoothed>([](auto& line, auto& event) { line("smooth", event.is_smooth); }, [](auto&, auto&) {},
                         [](auto smoothed, auto& state) -> ProjectChange {
                           state.is_smooth = smoothed.is_smooth;
                           return {What::kSetting};
                         },
                         /*changes_labels=*/false),
    kind<FramePosed>(
        [](auto& line, auto& event) {
          line("pose", event.frame), line("room", event.room), line("matrix", event.pose);
        },
        [](auto& posed, auto& in) {
          const std::string& name = in.frame(posed.frame).name;
          const std::string problem = image::problem_of(posed.pose);
          FW_CHECK(problem.empty(), Usage, "the pose of frame " << name << " " << problem);
          FW_CHECK(dataset::is_room_name(posed.room), Usage,
                   "the room of frame " << name << " is called \"" << posed.room << "\"; use at most "
                                        << dataset::kMaxRoomBytes << " bytes of UTF-8 without control characters");
        },
        [](auto posed, auto& state) -> ProjectChange {
          FrameState& frame = state.frames[posed.frame];
          state.num_poses += !frame.pose;
          frame.pose = {posed.room, posed.pose};
          frame.strokes_version = state.version;
          state.config_is_written = false;
          return {What::kFrame, posed.frame};
        }),
    kind<LabelsCarried>(
        [](auto& line, auto& event) { line("carry", event.frame), line("is_carried", event.is_carried); },
        [](auto& carried, auto& in) {
          if (carried.frame) in.frame(*carried.frame);
          FW_CHECK(!carried.is_carried || (!in.frames.empty() && in.frames[0].has_depth), Usage,
                   "frames have no depth, by which labels are carried from frame to frame; draw on each");
        },
        [](auto carried, auto& state) -> ProjectChange {
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
        }),
    kind<FrameKept>(
        [](auto& line, auto& event) {
          line("frame", event.name), line("rows", event.rows, 1), line("cols", event.cols, 1);
          line("color", event.has_color), line("depth", event.has_depth), line("up", event.up);
          line("camera", event.camera), line.unless_0("maps", event.num_maps, image::kMaxMaps);
        },
        [](auto& kept, auto& in) {
          FW_CHECK(dataset::is_file_name(kept.name), Usage,
                   "a frame's name is \"" << printable(kept.name)
                                          << "\"; use letters, digits, \"_\", \"-\" and \".\", less than "
                                          << kMaxNameBytes);
          FW_CHECK(!in.frame_names.contains(kept.name), Usage,
                   "there is a frame " << kept.name << " already; use another name");
          FW_CHECK(kept.rows > 0 && kept.cols > 0 && (kept.has_color || kept.has_depth), Usage,
                   "frame " << kept.name << " has no pixel; pass colour or depth");
          FW_CHECK(kept.cols <= kMaxFramePixels && kept.rows <= kMaxFramePixels / kept.cols, Usage,
                   "frame " << kept.name << " has " << kept.cols << " x " << kept.rows << " pixels, more than the "
                            << kMaxFramePixels << " that an image may have; scale it down");
          FW_CHECK(image::is_direction(kept.up), Usage, "up of frame " << kept.name << " is not a direction; use one");
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
        [](auto kept, auto& state) -> ProjectChange {
          state.frame_names.insert(kept.name);
          FrameState& frame = state.frames.emplace_back();
          static_cast<FrameKept&>(frame) = std::move(kept);
          frame.strokes_version = state.version;
          return {What::kFrame, state.frames.size() - 1};
        }),
    kind<ClassNamed>(
        [](auto& line, auto& event) {
          line("class", event.number), line("name", event.name), line("color", event.color);
        },
        [](auto& named, auto& in) {
          FW_CHECK(named.number <= in.classes.size() && named.number != kErase, Usage,
                   "there is no class " << named.number << "; the next new one is " << in.classes.size());
          if (named.number < in.classes.size()) in.live(named.number);
          FW_CHECK(!named.name.empty() && named.name.size() <= kMaxNameBytes && printable(named.name) == named.name &&
                       named.name.find_first_of("\n\t") == std::string::npos,
                   Usage,
                   "a class's name is \"" << named.name << "\"; use 1 to " << kMaxNameBytes
                                          << " bytes without control characters");
          FW_CHECK(is_utf8(named.name), Usage, "a class's name is not UTF-8; use a name in UTF-8");
          FW_CHECK(named.color != image::Rgb{}, Usage,
                   "class " << named.name << " is black, which means void; pass a colour");
          in.check_free(named.number, named.name, named.color);
        },
        [](auto named, auto& state) -> ProjectChange {
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
          return state.classes_changed(is_new ? What::kClassList : What::kClassNames);
        }),
    kind<ClassLocked>([](auto& line, auto& event) { line("lock", event.number), line("locked", event.is_locked); },
                      [](auto& lock, auto& in) { in.live(lock.number); },
                      [](auto lock, auto& state) -> ProjectChange {
                        state.classes[lock.number].is_locked = lock.is_locked;
                        return {What::kClassList};
                      },
                      /*changes_labels=*/false),
    kind<ClassDeleted>([](auto& line, auto& event) { line("delete", event.number); },
                       [](auto& deleted, auto& in) { in.live(deleted.number); },
                       [](auto deleted, auto& state) -> ProjectChange {
                         TaughtClass& one = state.classes[deleted.number];
                         state.hide(one);
                         one.is_deleted = true;
                         ++state.num_deleted;
                         state.forget_paintings();
                         return state.meaning_changed();
                       }),
    kind<ClassRestored>([](auto& line, auto& event) { line("restore", event.number); },
                        [](auto& restored, auto& in) {
                          const TaughtClass& one = in.known(restored.number);
                          FW_CHECK(!one.is_live(), Usage,
                                   "class " << one.number << " (" << one.name
                                            << ") was neither merged nor deleted; there is nothing to restore");
                          in.check_free(one.number, one.name, one.color);
                        },
                        [](auto restored, auto& state) -> ProjectChange {
                          TaughtClass& one = state.classes[restored.number];
                          one.merged_into.reset();
                          state.num_deleted -= std::exchange(one.is_deleted, false);
                          state.show(one);
                          state.forget_paintings();
                          return state.meaning_changed();
                        }),
    kind<ClassMerged>([](auto& line, auto& event) { line("merge", event.number), line("into", event.into); },
                      [](auto& merged, auto& in) {
                        in.live(merged.number);
                        in.live(merged.into);
                        FW_CHECK(merged.number != merged.into, Usage,
                                 "class " << merged.number << " cannot be merged into itself");
                      },
                      [](auto merged, auto& state) -> ProjectChange {
                        TaughtClass& one = state.classes[merged.number];
                        state.hide(one);
                        one.merged_into = merged.into;
                        return state.meaning_changed();
                      })};

template <typename First, typename... Others>
Event decoded(const JsonField& line, const First& first, const Others&... others) {
  typename First::Type event;
  FirstField key;
  first.fields(key, event);
  if constexpr (sizeof...(others) > 0)
    if (!line.has(key.name)) return decoded(line, others...);
  LineReader reader{line};  // the last kind tells that its first field is missing
  first.fields(reader, event);
  if constexpr (requires { event.request_id; }) event.request_id = request_id_of(line);
  return event;
}

}  // namespace

std::string to_text(const Event& event) {
  LineWriter writer;
  std::visit(
      [&](const auto& one) {
        kKinds.of(one).fields(writer, one);
        if constexpr (requires { one.request_id; })
          if (!one.request_id.empty()) writer("request", one.request_id);
      },
      event);
  return json_text(writer.line);
}

Event parse_event(const std::string& text, const std::string& place) {
  const ErrorContext where = {place, "; take the project from a backup", "line", ErrorKind::kData};
  const json document = parse_json(text, 4, "the line", where);
  return [line = JsonField(document, "", where)]<typename... Kinds>(const EventTable<Kinds...>& table) {
    return decoded(line, static_cast<const Kinds&>(table)...);
  }(kKinds);
}

void check(const Event& event, const ProjectState& state) {
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.request_id; })
          FW_CHECK(is_request_id(one.request_id), Usage,
                   "a message has the id \"" << one.request_id.substr(0, 80)
                                             << "\"; use letters, digits and \"-\", 64 at most");
        kKinds.of(one).check(one, state);
      },
      event);
}

ProjectChange apply(Event event, ProjectState& state) {
  return std::visit(
      [&](auto& one) {
        ++state.version;
        if (kKinds.of(one).changes_labels) {
          state.labels_version = state.version;
          state.carried_is_current = false;
        }
        if constexpr (requires { one.request_id; })
          if (!one.request_id.empty()) state.note_request(one.request_id, one.number);
        const auto& kind = kKinds.of(one);
        return kind.apply(std::move(one), state);
      },
      event);
}

}  // namespace fernwood::teach
