// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/model.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/json_text.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

constexpr int kSmoothingExtentPx = 80;  // docs/notes/benchmarks_features.md: the best for 640 x 480

}  // namespace

Model::Model(Project& project, Truth& truth, Labels& labels, web::WebServer& server, const LearnerOptions& options)
    : project_(project),
      truth_(truth),
      labels_(labels),
      server_(server),
      has_known_(options.known != nullptr),
      learner_(options,
               {.labelled = [this](const LearntLabels& found) { labels_.labelled(found); },
                .learnt =
                    [this](std::uint64_t version, bool is_thorough, std::shared_ptr<const forest::Forest> forest) {
                      labels_.learnt(version, is_thorough, std::move(forest), [this] { truth_.write(); });
                    },
                .judged = [this](HeldOutPredictions held_out) { labels_.judged(std::move(held_out)); },
                .failed =
                    [this](const std::string& sentence) {
                      const std::string news = ascii_json_text(json{{"problem", sentence}});
                      server_.post([this, news] {
                        server_.send_to_all(news);
                        truth_.write();
                      });
                    }}) {
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
  is_smooth_ = is_smooth;
  learner_.set_smoothing({.extent_px = is_smooth ? kSmoothingExtentPx : 0});
}

}  // namespace fernwood::teach
