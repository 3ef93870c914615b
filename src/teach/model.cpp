// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/model.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/text.h"
#include "fernwood/evaluate/explain.h"
#include "fernwood/formats/export_labels.h"
#include "forest/model_bytes.h"
#include "teach/advice.h"
#include "web/page.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxNext = 10;
constexpr int kSmoothingExtentPx = 80;  // docs/notes/benchmarks_features.md: the best for 640 x 480

predict::Smoothing smoothing(bool is_smooth) { return {.extent_px = is_smooth ? kSmoothingExtentPx : 0}; }

LearnerOptions smoothed(LearnerOptions options, bool is_smooth) {
  options.predict.smoothing = smoothing(is_smooth);
  return options;
}

/// Brighter where the forest is less certain.
web::WebAnswer uncertainty_answer(const Array2<std::uint8_t>& uncertainty) {
  Array2<image::Rgb> picture(uncertainty.rows(), uncertainty.cols());
  std::ranges::transform(uncertainty, picture.begin(), [](std::uint8_t value) {
    return image::Rgb{value, value, value};
  });
  return web::png_answer(picture);
}

}  // namespace

void Labels::learnt(LearntForest learnt, std::function<void()> then) {
  server_.post([this, learnt = std::move(learnt), then = std::move(then)] {
    if (learnt.version < cleared_version_) return;
    forest_ = learnt.forest;
    class_numbers_ = learnt.class_numbers;
    rename();
    server_.send_to_all(json_text(json{{"learnt", learnt.version}, {"thorough", learnt.is_thorough}}));
    then();
  });
}

void Labels::rename() {
  if (!forest_) return;
  std::vector<image::ClassInfo> classes = forest_->classes.classes;
  for (std::size_t c = 0; c < class_numbers_.size(); ++c) {
    if (class_numbers_[c] >= project_.classes().size()) continue;
    const TaughtClass& one = project_.classes()[class_numbers_[c]];
    classes[c].name = one.name;
    classes[c].color = one.color;
  }
  if (classes == forest_->classes.classes) return;
  auto named = std::make_shared<forest::Forest>(*forest_);
  named->classes.classes = std::move(classes);
  forest_ = std::move(named);
}

void Labels::labelled(const LearntLabels& found) {
  // Images are encoded on this thread: the server's thread must answer pages.
  Labelled labelled = {found.version,
                       found.is_thorough,
                       found.frame_uncertainty,
                       uncertainty_answer(found.uncertainty),
                       PackedLabels(found.labels),
                       found.class_numbers};
  server_.post([this, frame = found.frame, labelled = std::move(labelled)] { note(frame, labelled); });
}

void Labels::note(std::size_t frame, Labelled labelled) {
  if (labelled.version < cleared_version_) return;
  const json news = {{"labels", frame},
                     {"of", labelled.version},
                     {"thorough", labelled.is_thorough},
                     {"uncertainty", labelled.uncertainty.mean}};
  const bool is_first = !labels_.contains(frame);
  labels_[frame] = std::move(labelled);
  ++num_unranked_;
  server_.send_to_all(json_text(news));
  // Once per model, when it has labelled all frames, and for the first frame of all.
  const auto model_of = [](const Labelled& one) { return std::pair(one.version, one.is_thorough); };
  const bool all = std::ranges::all_of(
      labels_, [&, model = model_of(labels_[frame])](const auto& one) { return model_of(one.second) == model; });
  if (!all && labels_.size() > 1) return;
  // A ranking compares each frame with all taught frames, so it is not repeated for each of many frames that get their
  // first labels, or new labels of the same model.
  constexpr std::size_t kRankingsInAPass = 8;
  const bool is_last = is_first && labels_.size() == project_.num_frames();
  if (!is_last && num_unranked_ * kRankingsInAPass < labels_.size()) return;
  num_unranked_ = 0;
  tell_next();
}

void Labels::judged(HeldOutPredictions held_out) {
  server_.post(
      [this, held_out = std::move(held_out)] { judge_next(std::make_shared<CrossValidation>(held_out, project_)); });
}

void Labels::judge_next(const std::shared_ptr<CrossValidation>& validation) {
  if (auto step = validation->next_step())
    return server_.do_aside([this, validation, step = std::move(step)]() -> std::function<void()> {
      step();
      return [this, validation] { judge_next(validation); };
    });
  const auto report = validation->report();
  if (!report) return;
  json one = {{"version", report->version},
              {"pixel_accuracy", report->pixel_accuracy},
              {"class_accuracy", report->class_accuracy},
              {"classes", project_.class_numbers()},
              {"by_class", json::array()},
              {"suspects", json::array()}};
  for (const auto& accuracy : report->by_class) one["by_class"].push_back(accuracy ? json(*accuracy) : json());
  for (const SuspectStroke& stroke : report->suspects)
    one["suspects"].push_back({{"stroke", stroke.stroke}, {"frame", stroke.frame}, {"right", stroke.right}});
  // Pages chart all of them, and list suspect strokes of the newest only.
  if (!validations_.empty()) validations_.back()["suspects"] = json::array();
  validations_.push_back(one);
  server_.send_to_all(json_text(json{{"validation", std::move(one)}}));
}

void Labels::clear() {
  cleared_version_ = project_.version();
  if (labels_.empty() && !forest_ && validations_.empty()) return;
  labels_.clear();
  forest_.reset();
  validations_ = json::array();
  server_.send_to_all(json_text(json{{"cleared", true}, {"next", json::array()}}));
}

std::function<image::LabelImage()> Labels::prediction(std::size_t frame) const {
  const auto found = labels_.find(frame);
  FW_CHECK(found != labels_.end(), Usage,
           project_.frame(frame).name << ": no model has labelled this frame yet; draw two classes, and wait for it");
  const std::vector<std::uint16_t> live = project_.live_indices();
  std::vector<std::uint16_t> indices;
  for (const std::uint16_t number : found->second.class_numbers)
    indices.push_back(number < live.size() ? live[number] : image::kVoid);
  return [packed = found->second.packed, indices] {
    image::LabelImage predicted = packed.unpacked();
    for (std::uint16_t& label : predicted) label = label < indices.size() ? indices[label] : image::kVoid;
    return predicted;
  };
}

std::vector<std::size_t> Labels::ranked_frames() const {
  std::vector<FrameToTeach> frames;
  for (const auto& [frame, labelled] : labels_)
    frames.push_back({frame, project_.num_strokes(frame) > 0, labelled.uncertainty});
  return rank_frames(frames);
}

void Labels::tell_next() const { server_.send_to_all(json_text(json{{"next", next_frames()}})); }

json Labels::next_frames() const {
  std::vector<std::size_t> next = ranked_frames();
  std::erase_if(next, [this](std::size_t frame) { return project_.frame(frame).is_done; });
  next.resize(std::min(next.size(), kMaxNext));
  return next;
}

json Labels::facts_of(std::size_t frame) const {
  const auto found = labels_.find(frame);
  if (found == labels_.end()) return {{"labels_of", nullptr}, {"uncertainty", nullptr}};
  return {{"labels_of", found->second.version}, {"uncertainty", found->second.uncertainty.mean}};
}

web::WebAnswer Labels::picture(std::size_t frame, const std::string& what) const {
  const auto found = labels_.find(frame);
  if (found != labels_.end() && what == "uncertainty") return found->second.uncertainty_picture;
  if (found != labels_.end())
    return {.later = [read = prediction(frame), infos = project_.class_infos()] {
      return web::labels_answer(read(), infos);
    }};
  FW_CHECK(cleared_version_ > 0, Usage, "the frame has no labels yet");
  // A page may request labels that were removed meanwhile.
  const TaughtFrame& one = project_.frame(frame);
  return web::labels_answer(image::LabelImage(one.rows, one.cols, image::kVoid), {});
}

web::WebAnswer Labels::why(std::size_t frame, const std::string& path) const {
  return {.later = [read_frame = project_.frame_reader(frame), encoder = encoder_, path, frame, forest = forest_,
                    last = explained_] {
    image::Frame read = read_frame();
    const auto [x, y] = web::pixel_of(path, read.cols(), read.rows());
    FW_CHECK(forest, Usage, "nothing was learnt yet");
    if (last->frame != frame || last->forest != forest) {
      if (encoder) read.maps = encoder->encode(read);
      *last = {frame, forest, predict::prepare_for(*forest, read)};
    }
    return web::why_answer(evaluate::explain(*forest, last->prepared, x, y));
  }};
}

web::WebAnswer Labels::model() const {
  FW_CHECK(forest_, Usage, "nothing was learnt yet");
  return {.later = [forest = forest_] {
    TextOutput bytes;
    forest::write_forest(*forest, "the model", bytes);
    return web::WebAnswer{200, "application/octet-stream", std::move(bytes).str()};
  }};
}

std::function<image::LabelImage()> Labels::reader(const std::string& what, std::size_t frame,
                                                  const Truth& truth) const {
  FW_CHECK(what == "drawn" || what == "predicted" || what == "both", Usage,
           "labels are asked for as \"" << what << "\"; ask for drawn, predicted or both");
  std::function<image::LabelImage()> drawn, predicted;
  if (what != "predicted") drawn = truth.taught_reader(frame);
  if (what != "drawn" && labels_.contains(frame)) predicted = prediction(frame);
  if (!drawn || !predicted) return drawn ? drawn : predicted;
  return [drawn, predicted] {
    image::LabelImage found = drawn();
    fill_void(found, predicted());
    return found;
  };
}

web::WebAnswer Labels::exported(const std::string& what, const std::string& format, const Truth& truth) const {
  const auto frames = std::make_shared<ProjectFrames>();
  for (std::size_t frame = 0; frame < project_.num_frames(); ++frame) {
    if (auto labels = reader(what, frame, truth))
      frames->add(project_, frame, std::move(labels),
                  project_.has_instances(frame) ? objects_finder(project_, frame) : nullptr);
  }
  FW_CHECK(frames->num_frames > 0, Usage,
           (what == "drawn" ? "nothing is drawn yet" : "no frame has labels yet; draw two classes, and wait for them"));
  frames->has_labels = false;  // they are given to the export, which need not look them up by their colours
  frames->config.classes = project_.class_infos();
  frames->name = project_.folder().string();
  return {.later = [frames, format] {
    ThreadPool pool;
    const dataset::Dataset data = dataset::Dataset::from_memory(frames);
    const formats::LabelSource source = {{frames->config.classes, {}, {}},
                                         [&](std::size_t i) { return frames->labels(i); },
                                         [&](std::size_t i) { return frames->instances(i); }};
    if (!formats::is_one_file(format))
      return web::WebAnswer{200, "application/zip", formats::export_archive(data, source, format, pool)};
    const std::string type = format == "cvat" ? "application/xml" : "application/json";
    return web::WebAnswer{200, type, formats::export_text(data, source, format, pool)};
  }};
}

Model::Model(Project& project, Truth& truth, Labels& labels, web::WebServer& server, const LearnerOptions& options)
    : project_(project),
      truth_(truth),
      labels_(labels),
      server_(server),
      has_known_(options.known != nullptr),
      learner_(
          smoothed(options, project.is_smooth()),
          {.labelled = [this](const LearntLabels& found) { labels_.labelled(found); },
           .learnt = [this](const LearntForest& learnt) { labels_.learnt(learnt, [this] { truth_.write(); }); },
           .judged = [this](HeldOutPredictions held_out) { labels_.judged(std::move(held_out)); },
           .failed =
               [this](const std::string& sentence) {
                 const std::string news = ascii_json_text(json{{"problem", sentence}});
                 server_.post([this, news] {
                   server_.send_to_all(news);
                   truth_.write();
                 });
               },
           .working = [this](const std::string& activity) { server_.post([this, activity] { tell(activity); }); }}) {
  for (std::size_t frame = 0; frame < project_.num_frames(); ++frame)  // no page waits yet
    if (project_.num_strokes(frame) > 0) truth_.of(frame);
  prepare_request();
}

void Model::update() {
  if (std::exchange(is_preparing_, true)) return;
  server_.post([this] { prepare_request(); });
}

void Model::prepare_request() {
  for (std::size_t frame = 0; frame < project_.num_frames(); ++frame) {
    if (project_.num_strokes(frame) == 0 || truth_.has(frame)) continue;
    if (truth_.paint_aside(frame, [this] { prepare_request(); })) return;
    truth_.of(frame);
    return server_.post([this] { prepare_request(); });
  }
  is_preparing_ = false;
  TrainingRequest request;
  request.version = project_.version();
  if (note_needs())
    truth_.write();  // no training will do it
  else {
    std::tie(request.taught, request.taught_frames) = truth_.taught_frames(true);
    if (project_.is_carrying()) std::tie(request.drawn, request.drawn_frames) = truth_.taught_frames(false);
  }
  request.classes = project_.class_infos();
  request.class_numbers = project_.class_numbers();
  std::vector<std::function<image::Frame()>> all_frames;
  for (std::size_t frame = 0; frame < project_.num_frames(); ++frame)
    all_frames.push_back(project_.frame_reader(frame));
  std::set<std::size_t> seen;
  const auto add = [&](std::size_t frame) {
    if (frame < project_.num_frames() && seen.insert(frame).second) request.frames.push_back(frame);
  };
  for (const auto& view : views_) add(view.second);
  for (const std::size_t frame : labels_.ranked_frames()) add(frame);
  for (std::size_t frame = 0; frame < project_.num_frames(); ++frame) add(frame);
  request.frame = [all_frames](std::size_t frame) { return all_frames[frame](); };
  learner_.teach(std::move(request));
}

bool Model::note_needs() {
  const std::vector<std::uint16_t> numbers = project_.class_numbers();
  std::vector<std::size_t> num_frames(numbers.size());
  for (std::size_t frame = 0; frame < project_.num_frames(); ++frame) {
    if (project_.num_strokes(frame) == 0) continue;
    const std::vector<bool>& has = truth_.of(frame).classes;
    for (std::size_t c = 0; c < has.size(); ++c) num_frames[c] += has[c];
  }
  drawn_ = json::array();
  for (std::size_t c = 0; c < numbers.size(); ++c) drawn_.push_back({numbers[c], num_frames[c]});
  const auto num_drawn = std::ranges::count_if(num_frames, [](std::size_t count) { return count > 0; });
  needs_ = !project_.too_many_classes().empty() ? project_.too_many_classes()
           : num_drawn == 0                     ? "nothing is drawn; draw at least two classes, then the model learns"
           : num_drawn == 1                     ? "one class is drawn; draw a second one, then the model learns"
                                                : "";
  if (!needs_.empty() && !has_known_) labels_.clear();
  server_.send_to_all(json_text(json{{"needs", needs_}, {"drawn", drawn_}}));
  return !needs_.empty();
}

void Model::prioritize(int client) {
  if (const auto view = views_.find(client); view != views_.end()) learner_.prioritize(view->second);
}

void Model::smooth(bool is_smooth) {
  project_.smooth(is_smooth);
  learner_.set_smoothing(smoothing(is_smooth));
}

void Model::tell(const std::string& activity) {
  if (std::exchange(activity_, activity) != activity) server_.send_to_all(json_text(json{{"training", activity}}));
}

}  // namespace fernwood::teach
