// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/teaching.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "teach/session.h"
#include "teach/uncertainty.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

/// Maximum number of frames suggested next.
constexpr std::size_t kMaxNext = 10;

/// Brighter where the forest is less certain.
web::WebAnswer uncertainty_answer(const Array2<std::uint8_t>& uncertainty) {
  Array2<image::Rgb> picture(uncertainty.rows(), uncertainty.cols());
  std::ranges::transform(uncertainty, picture.begin(), [](std::uint8_t value) {
    return image::Rgb{value, value, value};
  });
  return web::png_answer(picture);
}

json json_of(const image::ClassInfo& one) {
  return {{"name", one.name}, {"color", {one.color.r, one.color.g, one.color.b}}};
}

json json_of(const TaughtClass& one) {
  return {{"class", one.number},
          {"name", one.name},
          {"color", {one.color.r, one.color.g, one.color.b}},
          {"locked", one.is_locked}};
}

/// A class that can be restored.
json gone_json(const TaughtClass& one) {
  return {{"class", one.number},
          {"name", one.name},
          {"color", {one.color.r, one.color.g, one.color.b}},
          {"into", one.merged_into ? json(*one.merged_into) : json(nullptr)}};
}

}  // namespace

Teaching::Session::Session(Project& taught, const LearnerOptions& learning, const web::WebOptions& web,
                           std::string command)
    : project(taught),
      train_command(std::move(command)),
      has_known(learning.known != nullptr),
      server(web, {.get = [this](const std::string& path) { return get(path); },
                   .opened = [this](int client) { opened(client); },
                   .on_message = [this](int client, const std::string& text) { on_message(client, text); },
                   .closed =
                       [this](int client) {
                         views.erase(client);
                         put_off.erase(client);
                         forget_map_of(client);
                       }}),
      learner(learning,
              {.labelled =
                   [this](const LearntLabels& found) {
                     // Images are encoded on this thread: the server's thread must answer pages.
                     Labelled labelled = {found.version,
                                          found.is_thorough,
                                          found.frame_uncertainty,
                                          web::labels_answer(found.labels, found.classes),
                                          uncertainty_answer(found.uncertainty),
                                          PackedLabels(found.labels),
                                          found.class_numbers};
                     server.post(
                         [this, frame = found.frame, labelled = std::move(labelled)] { note_labels(frame, labelled); });
                   },
               .learnt =
                   [this](std::uint64_t version, bool is_thorough, std::shared_ptr<const forest::Forest> learnt) {
                     const std::string news = json_text(json{{"learnt", version}, {"thorough", is_thorough}});
                     server.post([this, version, news, learnt = std::move(learnt)] {
                       if (version < cleared_version) return;
                       forest = learnt;
                       server.send_to_all(news);
                       write_truth();
                     });
                   },
               .judged =
                   [this](HeldOutPredictions held_out) {
                     server.post([this, held_out = std::move(held_out)] { note_held_out(held_out); });
                   },
               .failed =
                   [this](const std::string& sentence) {
                     const std::string news = ascii_json_text(json{{"problem", sentence}});
                     server.post([this, news] {
                       server.send_to_all(news);
                       write_truth();
                     });
                   }}) {
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame)  // no request waits yet
    if (project.num_strokes(frame) > 0) truth_of(frame);
  prepare_request();
  server.post([this] { carry_on(); });
}

void Teaching::Session::opened(int client) {
  views[client] = 0;
  json frames = json::array(), names = json::array();
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) frames.push_back(frame_json(frame));
  for (const image::ClassInfo& one : offered) names.push_back(json_of(one));
  json all = {{"folder", full_path(project.folder()).filename().string()},
              {"version", project.version()},
              {"train_command", train_command},
              {"source", source},
              {"frames", std::move(frames)},
              {"validations", validations},
              {"needs", needs},
              {"drawn", drawn},
              {"frames_to_validate", kFramesToJudge},
              {"next", next_frames()},
              {"warnings", warnings},
              {"offered", std::move(names)},
              {"smooth", is_smooth},
              {"can_carry", project.has_depth()}};
  all.update(classes_json());
  server.send(client, json_text(json{{"project", all}}));
  if (!trouble.empty()) server.send(client, ascii_json_text(json{{"trouble", trouble}}));
}

json Teaching::Session::frame_json(std::size_t frame) const {
  const auto found = labels.find(frame);
  const auto pose = project.pose(frame);
  return {{"name", project.frame_name(frame)},
          {"strokes", project.num_strokes(frame)},
          {"is_done", project.is_done(frame)},
          {"carried", share_carried(project, frame)},
          {"is_carrying", project.is_carrying(frame)},
          {"room", pose ? json(pose->room) : json(nullptr)},
          {"labels_of", found == labels.end() ? json(nullptr) : json(found->second.version)},
          {"uncertainty", found == labels.end() ? json(nullptr) : json(found->second.uncertainty.mean)}};
}

void Teaching::Session::watch(std::shared_ptr<recordings::FrameSource> from,
                              const recordings::CaptureOptions& options) {
  source = from->name();
  const auto seen = [this](recordings::CapturedFrame frame) {
    server.post([this, frame = std::move(frame)]() mutable {
      const std::uint64_t number = camera.take(std::move(frame));
      server.send_to_all(json_text(json{{"camera", number}}));
    });
  };
  const auto troubled = [this](const std::string& sentence) {
    server.post([this, sentence] { note_trouble(sentence); });
  };
  watching.emplace(std::move(from), options, WatchHooks{seen, troubled});
}

void Teaching::Session::note_trouble(const std::string& sentence) {
  trouble = sentence;
  server.send_to_all(ascii_json_text(json{{"trouble", sentence}}));
}

std::vector<std::size_t> Teaching::Session::ranked_frames() const {
  std::vector<FrameToTeach> frames;
  for (const auto& [frame, labelled] : labels)
    frames.push_back({frame, project.num_strokes(frame) > 0, labelled.uncertainty});
  return rank_frames(frames);
}

std::vector<std::size_t> Teaching::Session::next_frames() const {
  std::vector<std::size_t> next = ranked_frames();
  std::erase_if(next, [this](std::size_t frame) { return project.is_done(frame); });
  next.resize(std::min(next.size(), kMaxNext));
  return next;
}

void Teaching::Session::say_classes() {
  json news = classes_json();
  news["version"] = project.version();
  server.send_to_all(json_text(news));
}

json Teaching::Session::classes_json() const {
  json classes = json::array(), gone = json::array();
  for (const TaughtClass& one : project.classes())
    one.is_live() ? classes.push_back(json_of(one)) : gone.push_back(gone_json(one));
  const image::Rgb next = project.free_color();
  return {{"classes", std::move(classes)}, {"gone", std::move(gone)}, {"next_color", {next.r, next.g, next.b}}};
}

void Teaching::Session::say_truth(std::size_t frame) {
  server.send_to_all(
      json_text(json{{"truth", frame}, {"strokes", project.num_strokes(frame)}, {"version", project.version()}}));
}

std::vector<image::ClassInfo> Teaching::Session::class_infos() const {
  std::vector<image::ClassInfo> infos;
  for (const TaughtClass& one : project.live_classes()) infos.push_back({one.name, one.color});
  return infos;
}

void Teaching::Session::schedule_update() {
  carry_on();
  if (std::exchange(is_preparing_request, true)) return;
  server.post([this] { prepare_request(); });
}

void Teaching::Session::prepare_request() {
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) {
    if (project.num_strokes(frame) == 0 || truths.contains(frame)) continue;
    if (paint_aside(frame, [this] { prepare_request(); })) return;
    truth_of(frame);
    return server.post([this] { prepare_request(); });
  }
  is_preparing_request = false;
  TrainingRequest request;
  request.version = project.version();
  if (note_needs())
    write_truth();  // no training will do it
  else {
    std::tie(request.taught, request.taught_frames) = taught_frames(true);
    if (project.is_carrying()) std::tie(request.drawn, request.drawn_frames) = taught_frames(false);
  }
  for (const TaughtClass& one : project.live_classes()) request.class_numbers.push_back(one.number);
  std::vector<std::function<image::Frame()>> all_frames;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) all_frames.push_back(project.frame_reader(frame));
  std::set<std::size_t> seen;
  const auto add = [&](std::size_t frame) {
    if (frame < project.num_frames() && seen.insert(frame).second) request.frames.push_back(frame);
  };
  for (const auto& view : views) add(view.second);
  for (const std::size_t frame : ranked_frames()) add(frame);
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) add(frame);
  request.frame = [all_frames](std::size_t frame) { return all_frames[frame](); };
  learner.teach(std::move(request));
}

bool Teaching::Session::note_needs() {
  const std::vector<TaughtClass> classes = project.live_classes();
  std::vector<std::size_t> num_frames(classes.size());
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) {
    if (project.num_strokes(frame) == 0) continue;
    const std::vector<bool>& has = truth_of(frame).classes;
    for (std::size_t c = 0; c < has.size(); ++c) num_frames[c] += has[c];
  }
  drawn = json::array();
  for (std::size_t c = 0; c < classes.size(); ++c) drawn.push_back({classes[c].number, num_frames[c]});
  const auto num_drawn = std::ranges::count_if(num_frames, [](std::size_t count) { return count > 0; });
  needs = !project.too_many_classes().empty() ? project.too_many_classes()
          : num_drawn == 0                    ? "nothing is drawn; draw at least two classes, then the model learns"
          : num_drawn == 1                    ? "one class is drawn; draw a second one, then the model learns"
                                              : "";
  if (!needs.empty() && !has_known) clear_labels();
  server.send_to_all(json_text(json{{"needs", needs}, {"drawn", drawn}}));
  return !needs.empty();
}

void Teaching::Session::clear_labels() {
  cleared_version = project.version();
  if (labels.empty() && !forest && validations.empty()) return;
  labels.clear();
  forest.reset();
  validations = json::array();
  server.send_to_all(json_text(json{{"cleared", true}, {"next", json::array()}}));
}

void Teaching::Session::note_labels(std::size_t frame, Labelled labelled) {
  if (labelled.version < cleared_version) return;
  const json news = {{"labels", frame},
                     {"of", labelled.version},
                     {"thorough", labelled.is_thorough},
                     {"uncertainty", labelled.uncertainty.mean}};
  const bool is_first = !labels.contains(frame);
  labels[frame] = std::move(labelled);
  ++num_unranked;
  server.send_to_all(json_text(news));
  // Once per model, when it has labelled all frames, and for the first frame of all.
  const auto model_of = [](const Labelled& one) { return std::pair(one.version, one.is_thorough); };
  const bool all = std::ranges::all_of(
      labels, [&, model = model_of(labels[frame])](const auto& one) { return model_of(one.second) == model; });
  if (!all && labels.size() > 1) return;
  // A ranking compares each frame with all taught frames, so it is not repeated for each of many frames that get their
  // first labels, or new labels of the same model.
  constexpr std::size_t kRankingsInAPass = 8;
  const bool is_last = is_first && labels.size() == project.num_frames();
  if (!is_last && num_unranked * kRankingsInAPass < labels.size()) return;
  num_unranked = 0;
  server.send_to_all(json_text(json{{"next", next_frames()}}));
}

Teaching::Teaching(Project& project, const LearnerOptions& learning, const web::WebOptions& web,
                   const std::string& train_command)
    : session_(std::make_unique<Session>(project, learning, web, train_command)) {}
Teaching::~Teaching() = default;

void Teaching::warn(std::vector<std::string> sentences) { session_->warnings = std::move(sentences); }

void Teaching::offer(std::vector<image::ClassInfo> classes) { session_->offered = std::move(classes); }

std::string Teaching::url() const { return session_->server.url(); }

void Teaching::watch(std::shared_ptr<recordings::FrameSource> source, const recordings::CaptureOptions& options) {
  session_->watch(std::move(source), options);
}

void Teaching::run(std::stop_token stop, const ProgressCallback& progress) {
  session_->project.write_truth();
  session_->server.run(std::move(stop));
  session_->carrier.finish(progress);
  session_->project.write_truth();
}

}  // namespace fernwood::teach
