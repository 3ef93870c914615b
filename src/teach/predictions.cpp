// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// What becomes of a model's labels: strokes, where the teacher accepts them, and files for other tools.
#include <algorithm>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/formats/export_labels.h"
#include "teach/events.h"
#include "teach/session.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

constexpr int kSmoothingExtentPx = 80;  // docs/notes/benchmarks_features.md: the best for 640 x 480

/// The index among live classes of the class that a class became, kVoid if it was deleted.
std::uint16_t live_index(const Project& project, const std::vector<std::uint16_t>& live, std::uint16_t number) {
  if (number < project.classes().size()) number = project.merged_class(number);
  const auto found = std::ranges::find(live, number);
  return found == live.end() ? image::kVoid : static_cast<std::uint16_t>(found - live.begin());
}

}  // namespace

std::function<image::LabelImage()> Teaching::Session::prediction(std::size_t frame) const {
  const auto found = labels.find(frame);
  FW_CHECK(found != labels.end(), Usage,
           project.frame_name(frame) << ": no model has labelled this frame yet; draw two classes, and wait for it");
  const std::vector<std::uint16_t> live = class_numbers();
  std::vector<std::uint16_t> indices;
  for (const std::uint16_t number : found->second.class_numbers) indices.push_back(live_index(project, live, number));
  return [packed = found->second.packed, indices] {
    image::LabelImage predicted = packed.unpacked();
    for (std::uint16_t& label : predicted) label = label < indices.size() ? indices[label] : image::kVoid;
    return predicted;
  };
}

json Teaching::Session::draw_labels(std::size_t frame, image::LabelImage found, const std::string& request_id) {
  const image::LabelImage drawn = truth_of(frame).labels->unpacked();  // strokes take precedence
  for (std::size_t i = 0; i < found.size(); ++i)
    if (drawn.data()[i] != image::kVoid) found.data()[i] = image::kVoid;
  const auto num_void = std::ranges::count(found, image::kVoid);
  const std::size_t num_pixels = found.size() - static_cast<std::size_t>(num_void);
  FW_CHECK(num_pixels > 0, Usage, "there is no label to accept that was not drawn already; choose another place");
  const std::uint64_t stroke = project.add_stroke(frame, labels_stroke(found, class_numbers()), request_id);
  truths.erase(frame);
  say_truth(frame);
  schedule_update();
  return {{"stroke", stroke}, {"pixels", num_pixels}};
}

json Teaching::Session::accept_labels(const Request& request) {
  const JsonField& message = request.message;
  const std::size_t frame = frame_of(message);
  const std::string request_id = request_id_of(message);
  if (const auto done = project.find_request(request_id)) return {{"stroke", *done}};
  image::LabelImage found = prediction(frame)();
  if (message.has("class")) {
    const auto number = static_cast<std::uint16_t>(message.at("class").whole(0, image::kVoid - 1));
    const std::uint16_t wanted = live_index(project, class_numbers(), number);
    std::ranges::replace_if(
        found, [&](std::uint16_t label) { return label != wanted; }, image::kVoid);
  }
  const bool is_filled = message.has("turn");
  if (is_filled || message.has("brush") || message.has("polygon") || message.has("region")) {
    Stroke area = is_filled ? fill_area(frame, message) : area_of(message);
    area.class_id = 0;
    area.check(found.rows(), found.cols());
    check_painting_work(area, frame);
    image::LabelImage marked(found.rows(), found.cols(), image::kVoid);
    paint(area, marked);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (marked.data()[i] == image::kVoid) found.data()[i] = image::kVoid;
  }
  return draw_labels(frame, std::move(found), request_id);
}

json Teaching::Session::mark_done(const Request& request) {
  const JsonField& message = request.message;
  const std::size_t frame = frame_of(message);
  const bool is_done = message.at("is_done").flag();
  project.mark_done(frame, is_done);
  server.send_to_all(json_text(json{{"marked", frame}, {"is_done", is_done}, {"version", project.version()}}));
  server.send_to_all(json_text(json{{"next", next_frames()}}));
  return json::object();
}

json Teaching::Session::smooth(const Request& request) {
  const auto& [client, message] = request;
  is_smooth = message.at("is_smooth").flag();
  if (const auto view = views.find(client); view != views.end()) learner.prioritize(view->second);
  learner.set_smoothing({.extent_px = is_smooth ? kSmoothingExtentPx : 0});
  server.send_to_all(json_text(json{{"smooth", is_smooth}}));
  return json::object();
}

web::WebAnswer Teaching::Session::get_labels_export(const std::string& what, const std::string& format) {
  FW_CHECK(what == "drawn" || what == "predicted" || what == "both", Usage,
           "labels to export are \"" << what << "\"; ask for drawn, predicted or both");
  const auto frames = std::make_shared<ProjectFrames>();
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) {
    std::function<image::LabelImage()> drawn, predicted;
    if (what != "predicted" && (project.num_strokes(frame) > 0 || project.num_carried(frame) > 0))
      drawn = taught_reader(frame);
    if (what != "drawn" && labels.contains(frame)) predicted = prediction(frame);
    if (!drawn && !predicted) continue;
    frames->add(project, frame, [drawn, predicted] {
      image::LabelImage found = drawn ? drawn() : predicted();
      if (drawn && predicted) fill_void(found, predicted());
      return found;
    });
  }
  FW_CHECK(frames->num_frames > 0, Usage,
           (what == "drawn" ? "nothing is drawn yet" : "no frame has labels yet; draw two classes, and wait for them"));
  frames->has_labels = false;  // they are given to the export, which need not look them up by their colours
  frames->config.classes = class_infos();
  frames->name = project.folder().string();
  return {.later = [frames, format] {
    ThreadPool pool;
    const dataset::Dataset data = dataset::Dataset::from_memory(frames);
    const formats::LabelSource source = {{frames->config.classes, {}, {}},
                                         [&](std::size_t i) { return frames->labels(i); }};
    if (!formats::is_one_file(format))
      return web::WebAnswer{200, "application/zip", formats::export_archive(data, source, format, pool)};
    const std::string type = format == "cvat" ? "application/xml" : "application/json";
    return web::WebAnswer{200, type, formats::export_text(data, source, format, pool)};
  }};
}

}  // namespace fernwood::teach
