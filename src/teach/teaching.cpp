// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/teaching.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/json_field.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/export_labels.h"
#include "fernwood/evaluate/explain.h"
#include "fernwood/teach/known_truth.h"
#include "forest/model_bytes.h"
#include "teach/camera_view.h"
#include "teach/carry.h"
#include "teach/doubt.h"
#include "teach/events.h"
#include "teach/fill.h"
#include "teach/page.h"
#include "teach/verdict.h"
#include "teach/watch.h"
#include "web/page.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

/// Frames that are named as those to go to.
constexpr std::size_t kMostNext = 10;
constexpr std::uint64_t kMostFrames = std::uint64_t{1} << 32;

/// Brighter where the forest doubts more.
web::WebAnswer doubt_answer(const Array2<std::uint8_t>& doubt) {
  Array2<image::Rgb> picture(doubt.rows(), doubt.cols());
  std::ranges::transform(doubt, picture.begin(), [](std::uint8_t value) { return image::Rgb{value, value, value}; });
  return web::png_answer(picture);
}

json json_of(const TaughtClass& one) {
  return {{"class", one.number},
          {"name", one.name},
          {"color", {one.color.r, one.color.g, one.color.b}},
          {"locked", one.is_locked}};
}

}  // namespace

struct Teaching::Room {
  /// A frame as the newest forest sees it.
  struct Labelled {
    std::uint64_t version = 0;
    bool is_thorough = false;
    FrameDoubt doubt;
    web::WebAnswer labels_picture, doubt_picture;
  };

  Room(Project& taught, const LearnerOptions& learning, const web::WebOptions& web, std::string command);

  web::WebAnswer get(const std::string& path);
  web::WebAnswer get_frame(std::size_t frame, const std::string& what);
  void opened(int client);
  void told(int client, const std::string& text);
  json done(int client, const JsonField& message);
  json done_to_strokes(const std::string& what, const JsonField& message);
  Stroke fill_stroke(std::size_t frame, const JsonField& message) const;
  void done_to_classes(const std::string& what, const JsonField& message);
  static std::optional<std::uint64_t> given_stroke(const JsonField& message);
  std::size_t frame_of(const JsonField& message) const;

  void say_classes();
  void say_truth(std::size_t frame);
  void give_lesson();
  /// Frames that have strokes, and their numbers.
  std::pair<dataset::FrameSupply, std::vector<std::size_t>> taught_frames();
  web::WebAnswer get_export(const std::string& what);
  void watch(std::shared_ptr<dataset::FrameSource> source, const predict::LiveOptions& options);
  void note_trouble(const std::string& sentence);
  json keep(const JsonField& message);
  json carry(std::size_t frame);
  json accept(std::size_t frame);
  void note_labels(std::size_t frame, Labelled labelled);
  void note_judgement(const Judgement& judgement);
  /// Which frames would teach most first, of those that are labelled.
  std::vector<std::size_t> ranked_frames() const;
  web::WebAnswer explain(std::size_t frame, const std::string& path);

  std::vector<image::ClassInfo> class_infos() const;
  json frame_json(std::size_t frame) const;
  std::shared_ptr<const image::LabelImage> labels_of(std::size_t frame);

  Project& project;
  const std::string train_command;
  std::map<int, std::size_t> views;                                         // [client] frame
  std::map<std::size_t, Labelled> labels;                                   // [frame]
  json verdicts = json::array();                                            // of this session, the newest last
  std::shared_ptr<const forest::Forest> forest;                             // the newest; null: nothing was learnt yet
  std::pair<std::size_t, std::shared_ptr<const forest::Forest>> explained;  // what `prepared` is of
  image::PreparedFrame prepared;
  // Truth of frames that have strokes, until it changes.
  std::map<std::size_t, std::shared_ptr<const image::LabelImage>> truths;
  std::map<std::size_t, image::LabelImage> suggested;  // [frame] carried over from another, not accepted yet
  std::string source, trouble;                         // of the camera, if there is one
  CameraView camera;
  web::WebServer server;
  Learner learner;  // ends before those that it tells
  std::optional<Watch> watching;
};

Teaching::Room::Room(Project& taught, const LearnerOptions& learning, const web::WebOptions& web, std::string command)
    : project(taught),
      train_command(std::move(command)),
      server(web, {.get = [this](const std::string& path) { return get(path); },
                   .opened = [this](int client) { opened(client); },
                   .told = [this](int client, const std::string& text) { told(client, text); },
                   .closed = [this](int client) { views.erase(client); }}),
      learner(learning,
              {.labelled =
                   [this](const LearntLabels& found) {
                     // Pictures are made here: the server's thread has pages to answer.
                     Labelled labelled = {found.version, found.is_thorough, found.frame_doubt,
                                          web::labels_answer(found.labels, found.classes), doubt_answer(found.doubt)};
                     server.post(
                         [this, frame = found.frame, labelled = std::move(labelled)] { note_labels(frame, labelled); });
                   },
               .learnt =
                   [this](std::uint64_t version, bool is_thorough, std::shared_ptr<const forest::Forest> learnt) {
                     const std::string news = json{{"learnt", version}, {"thorough", is_thorough}}.dump();
                     server.post([this, news, learnt = std::move(learnt)] {
                       forest = learnt;
                       server.send_to_all(news);
                     });
                   },
               .judged =
                   [this](Judgement judgement) {
                     server.post([this, judgement = std::move(judgement)] { note_judgement(judgement); });
                   },
               .failed =
                   [this](const std::string& sentence) {
                     const std::string news =
                         json{{"problem", sentence}}.dump(-1, ' ', true, json::error_handler_t::replace);
                     server.post([this, news] { server.send_to_all(news); });
                   }}) {
  give_lesson();
}

web::WebAnswer Teaching::Room::get(const std::string& path) {
  const std::string start = "/frames/";
  const std::string address = path.substr(0, path.find('?'));
  if (const auto file = web::file_answer(kPageFiles, address)) return *file;
  if (address.starts_with("/camera/")) return camera.get(address);
  if (address.starts_with("/export/")) return get_export(address.substr(address.rfind('/') + 1));
  if (address.starts_with(start)) {
    const std::size_t slash = address.find('/', start.size());
    const std::string number = address.substr(start.size(), slash - start.size());
    const bool is_number = !number.empty() && number.size() < 9 &&
                           std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && address.substr(slash + 1) == "why") return explain(std::stoul(number), path);
    if (is_number && slash != std::string::npos) return get_frame(std::stoul(number), address.substr(slash + 1));
  }
  throw Error(ErrorKind::kUsage, "there is nothing at " + path.substr(0, 100));
}

web::WebAnswer Teaching::Room::get_frame(std::size_t frame, const std::string& what) {
  project.frame_name(frame);  // throws where there is none
  if (what == "truth") return web::labels_answer(*labels_of(frame), class_infos());
  if (what == "suggested") {
    FW_CHECK(suggested.contains(frame), Usage, "nothing is suggested for the frame");
    return web::labels_answer(suggested.at(frame), class_infos());
  }
  if (what == "labels") {
    const auto found = labels.find(frame);
    if (found == labels.end()) throw Error(ErrorKind::kUsage, "the frame has no labels yet");
    return found->second.labels_picture;
  }
  if (what == "doubt") {
    const auto found = labels.find(frame);
    if (found == labels.end()) throw Error(ErrorKind::kUsage, "the frame has no labels yet");
    return found->second.doubt_picture;
  }
  const image::Frame read = project.read_frame(frame);
  if (what == "color" && !read.color.empty()) return web::picture_answer(read.color);
  if (what == "depth" && !read.depth_mm.empty()) return web::picture_answer(dataset::colorize_depth(read.depth_mm));
  throw Error(ErrorKind::kUsage, "the frame has no picture of that name");
}

void Teaching::Room::opened(int client) {
  views[client] = 0;
  json frames = json::array(), classes = json::array();
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) frames.push_back(frame_json(frame));
  for (const TaughtClass& one : project.live_classes()) classes.push_back(json_of(one));
  const json all = {{"folder", project.folder().filename().string()},
                    {"version", project.version()},
                    {"train_command", train_command},
                    {"source", source},
                    {"frames", std::move(frames)},
                    {"classes", std::move(classes)},
                    {"verdicts", verdicts}};
  server.send(client, json{{"project", all}}.dump(-1, ' ', false, json::error_handler_t::replace));
  if (!trouble.empty())
    server.send(client, json{{"trouble", trouble}}.dump(-1, ' ', true, json::error_handler_t::replace));
}

json Teaching::Room::frame_json(std::size_t frame) const {
  const auto found = labels.find(frame);
  return {{"name", project.frame_name(frame)},
          {"strokes", project.num_strokes(frame)},
          {"labels_of", found == labels.end() ? json(nullptr) : json(found->second.version)},
          {"doubt", found == labels.end() ? json(nullptr) : json(found->second.doubt.mean)}};
}

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
  if (what == "accept") return accept(frame_of(message));
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

void Teaching::Room::watch(std::shared_ptr<dataset::FrameSource> from, const predict::LiveOptions& options) {
  source = from->name();
  const auto seen = [this](dataset::CapturedFrame frame) {
    server.post([this, frame = std::move(frame)]() mutable {
      const std::uint64_t number = camera.take(std::move(frame));
      server.send_to_all(json{{"camera", number}}.dump());
    });
  };
  const auto troubled = [this](const std::string& sentence) {
    server.post([this, sentence] { note_trouble(sentence); });
  };
  watching.emplace(std::move(from), options, WatchHooks{seen, troubled});
}

void Teaching::Room::note_trouble(const std::string& sentence) {
  trouble = sentence;
  server.send_to_all(json{{"trouble", sentence}}.dump(-1, ' ', true, json::error_handler_t::replace));
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

json Teaching::Room::accept(std::size_t frame) {
  const auto found = suggested.find(frame);
  FW_CHECK(found != suggested.end(), Usage, "nothing is suggested for the frame");
  image::LabelImage labels = std::move(found->second);
  suggested.erase(found);
  const image::LabelImage& drawn = *labels_of(frame);  // what was drawn is known better
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (drawn.data()[i] != image::kVoid) labels.data()[i] = image::kVoid;
  std::vector<std::uint16_t> numbers;
  for (const TaughtClass& one : project.live_classes()) numbers.push_back(one.number);
  draw_truth(project, frame, labels, numbers);
  truths.erase(frame);
  say_truth(frame);
  give_lesson();
  return json::object();
}

json Teaching::Room::done_to_strokes(const std::string& what, const JsonField& message) {
  const std::size_t frame = frame_of(message);
  const std::string said = said_of(message);
  // A page that heard no answer, for the connection or this program went away, says it again.
  if (const auto done = project.was_said(said)) return {{"stroke", *done}};
  std::optional<std::uint64_t> stroke;
  if (what == "stroke") stroke = project.add_stroke(frame, stroke_of(message), said);
  if (what == "fill") stroke = project.add_stroke(frame, fill_stroke(frame, message), said);
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

Stroke Teaching::Room::fill_stroke(std::size_t frame, const JsonField& message) const {
  const Fill fill = {.x = message.at("x").whole(0, kMostSteps),
                     .y = message.at("y").whole(0, kMostSteps),
                     .largest_turn_deg = message.at("turn").number()};
  Stroke stroke = {.tool = Tool::kRegion, .gives = gives_of(message)};
  stroke.runs = fill_region(project.read_frame(frame), fill);
  return stroke;
}

web::WebAnswer Teaching::Room::explain(std::size_t frame, const std::string& path) {
  const image::Frame read = project.read_frame(frame);
  const auto [x, y] = web::pixel_of(path, read.cols(), read.rows());
  FW_CHECK(forest, Usage, "nothing was learnt yet");
  if (explained != std::pair(frame, forest)) {
    prepared = predict::prepare_for(*forest, read);
    explained = {frame, forest};
  }
  return web::why_answer(evaluate::explain(*forest, prepared, x, y));
}

std::vector<std::size_t> Teaching::Room::ranked_frames() const {
  std::vector<FrameToTeach> frames;
  for (const auto& [frame, labelled] : labels)
    frames.push_back({frame, project.num_strokes(frame) > 0, labelled.doubt});
  return rank_frames(frames);
}

void Teaching::Room::note_judgement(const Judgement& judgement) {
  const auto verdict = verdict_of(judgement, project);
  if (!verdict) return;
  json one = {{"version", verdict->version},
              {"pixel_accuracy", verdict->pixel_accuracy},
              {"class_accuracy", verdict->class_accuracy},
              {"by_class", json::array()},
              {"doubtful", json::array()}};
  for (const auto& accuracy : verdict->by_class) one["by_class"].push_back(accuracy ? json(*accuracy) : json());
  for (const DoubtfulStroke& stroke : verdict->doubtful)
    one["doubtful"].push_back({{"stroke", stroke.stroke}, {"frame", stroke.frame}, {"right", stroke.right}});
  verdicts.push_back(one);
  server.send_to_all(json{{"verdict", std::move(one)}}.dump());
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

void Teaching::Room::say_classes() {
  json classes = json::array();
  for (const TaughtClass& one : project.live_classes()) classes.push_back(json_of(one));
  server.send_to_all(json{{"classes", std::move(classes)}, {"version", project.version()}}.dump());
}

void Teaching::Room::say_truth(std::size_t frame) {
  server.send_to_all(
      json{{"truth", frame}, {"strokes", project.num_strokes(frame)}, {"version", project.version()}}.dump());
}

std::vector<image::ClassInfo> Teaching::Room::class_infos() const {
  std::vector<image::ClassInfo> infos;
  for (const TaughtClass& one : project.live_classes()) infos.push_back({one.name, one.color});
  return infos;
}

std::shared_ptr<const image::LabelImage> Teaching::Room::labels_of(std::size_t frame) {
  auto& known = truths[frame];
  if (!known) known = std::make_shared<const image::LabelImage>(project.labels(frame));
  return known;
}

std::pair<dataset::FrameSupply, std::vector<std::size_t>> Teaching::Room::taught_frames() {
  dataset::FrameSupply taught;
  std::vector<std::size_t> frames;
  std::vector<std::shared_ptr<const image::LabelImage>> truth;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) {
    if (project.num_strokes(frame) == 0) continue;
    const auto given = labels_of(frame);
    if (std::ranges::all_of(*given, [](std::uint16_t label) { return label == image::kVoid; })) continue;
    truth.push_back(given);
    frames.push_back(frame);
    taught.names.push_back(project.frame_name(frame));
  }
  taught.num_frames = truth.size();
  taught.labels = [truth](std::size_t i) { return *truth[i]; };
  taught.size = [truth](std::size_t i) -> dataset::FrameSize { return {truth[i]->rows(), truth[i]->cols()}; };
  taught.config.classes = class_infos();
  taught.name = project.folder().string();
  return {std::move(taught), std::move(frames)};
}

web::WebAnswer Teaching::Room::get_export(const std::string& what) {
  if (what == "model") {
    FW_CHECK(forest, Usage, "nothing was learnt yet");
    std::ostringstream bytes;
    forest::write_forest(*forest, "the model", bytes);
    return {200, "application/octet-stream", std::move(bytes).str()};
  }
  auto [taught, frames] = taught_frames();
  FW_CHECK(taught.num_frames > 0, Usage, "nothing is drawn yet");
  taught.frame = [this, numbers = frames](std::size_t i) { return project.read_frame(numbers[i]); };
  ThreadPool pool;
  const std::string text = dataset::export_text(dataset::Dataset::from_memory(std::move(taught)), what, pool);
  return {200, what == "cvat" ? "application/xml" : "application/json", text};
}

void Teaching::Room::give_lesson() {
  Lesson lesson;
  lesson.version = project.version();
  std::tie(lesson.taught, lesson.taught_frames) = taught_frames();
  std::vector<std::function<image::Frame()>> all_frames;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) all_frames.push_back(project.frame_reader(frame));
  std::set<std::size_t> seen;
  const auto add = [&](std::size_t frame) {
    if (frame < project.num_frames() && seen.insert(frame).second) lesson.frames.push_back(frame);
  };
  for (const auto& view : views) add(view.second);
  for (const std::size_t frame : ranked_frames()) add(frame);
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) add(frame);
  lesson.frame = [all_frames](std::size_t frame) { return all_frames[frame](); };
  learner.teach(std::move(lesson));
}

void Teaching::Room::note_labels(std::size_t frame, Labelled labelled) {
  const json news = {
      {"labels", frame}, {"of", labelled.version}, {"thorough", labelled.is_thorough}, {"doubt", labelled.doubt.mean}};
  labels[frame] = std::move(labelled);
  server.send_to_all(news.dump());
  // Once for each lesson, when it has seen all frames, and for the first of them.
  const std::uint64_t version = labels[frame].version;
  const bool all = std::ranges::all_of(labels, [&](const auto& one) { return one.second.version == version; });
  if (!all && labels.size() > 1) return;
  std::vector<std::size_t> next = ranked_frames();
  next.resize(std::min(next.size(), kMostNext));
  server.send_to_all(json{{"next", std::move(next)}}.dump());
}

Teaching::Teaching(Project& project, const LearnerOptions& learning, const web::WebOptions& web,
                   const std::string& train_command)
    : room_(std::make_unique<Room>(project, learning, web, train_command)) {}
Teaching::~Teaching() = default;

std::string Teaching::url() const { return room_->server.url(); }

void Teaching::watch(std::shared_ptr<dataset::FrameSource> source, const predict::LiveOptions& options) {
  room_->watch(std::move(source), options);
}

void Teaching::run(std::stop_token stop) {
  room_->project.write_truth();
  room_->server.run(std::move(stop));
  room_->project.write_truth();
}

}  // namespace fernwood::teach
