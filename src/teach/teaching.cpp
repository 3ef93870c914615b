// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/teaching.h"

#include <algorithm>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "teach/fill.h"
#include "teach/teaching_parts.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;
using What = ProjectChange::What;

json color_json(image::Rgb color) { return {color.r, color.g, color.b}; }

/// White where a fill at the pixel of a path "?turn=20&x=3&y=4" would draw; black everywhere if it would fail.
web::WebAnswer fill_answer(const image::Frame& frame, const std::string& path) {
  const auto [x, y] = web::pixel_of(path, frame.cols(), frame.rows());
  const auto turn = web::number_between(path, "turn=", "&");
  FW_CHECK(turn, Usage, "a fill needs the degrees by which it may bend; ask for fill?turn=20&x=COLUMN&y=ROW");
  Array2<image::Rgb> picture(frame.rows(), frame.cols());
  std::vector<PixelRun> runs;
  try {
    runs = fill_region(frame, {static_cast<std::size_t>(x), static_cast<std::size_t>(y), static_cast<double>(*turn)});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
  }
  for (const PixelRun& run : runs) std::fill_n(picture.begin() + run.begin, run.count, image::Rgb{255, 255, 255});
  return web::png_answer(picture);
}

/// PNG: depth in millimetres is 256 times red plus green.
web::WebAnswer millimetres_answer(const Array2<std::uint16_t>& depth_mm) {
  Array2<image::Rgb> picture(depth_mm.rows(), depth_mm.cols());
  std::ranges::transform(depth_mm, picture.begin(), [](std::uint16_t depth) {
    return image::Rgb{static_cast<std::uint8_t>(depth >> 8), static_cast<std::uint8_t>(depth), 0};
  });
  return web::png_answer(picture);
}

}  // namespace

TeachingParts::TeachingParts(Project& taught, const LearnerOptions& learning, const web::WebOptions& web,
                             std::string command)
    : project(taught),
      train_command(std::move(command)),
      truth(project, server),
      labels(project, server, learning.encoder),
      suggestions(project, truth, server),
      carrying(project, server,
               [this](bool has_changed) {
                 if (has_changed) update();
                 truth.write();
               }),
      map(project, truth, server),
      messages(*this),
      server(web, {.get = [this](const std::string& path) { return get(path); },
                   .opened = [this](int client) { opened(client); },
                   .on_message = [this](int client, const std::string& text) { messages.receive(client, text); },
                   .closed =
                       [this](int client) {
                         model.forget(client);
                         messages.forget(client);
                         map.forget(client);
                       }}),
      model(project, truth, labels, server, learning) {
  project.follow([this](const ProjectChange& change) {
    if (change.what == What::kSetting) return;
    if (change.what == What::kFrame) tell_all({{"kept", frame_json(change.frame)}, {"version", project.version()}});
    if (change.what == What::kClassList || change.what == What::kClassNames || change.what == What::kClasses) {
      json news = classes_json();
      news["version"] = project.version();
      tell_all(news);
    }
    if (change.what == What::kClasses) suggestions.clear();
    truth.follow(change);
    if (change.what == What::kClassNames) {
      labels.rename();
      carrying.go_on();
      truth.write();  // no training will do it
    } else if (change.what != What::kClassList) {
      update();
    }
  });
  server.post([this] { carrying.go_on(); });
}

void TeachingParts::update() {
  carrying.go_on();
  model.update();
}

void TeachingParts::opened(int client) {
  model.show(client, 0);
  json frames = json::array(), names = json::array();
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) frames.push_back(frame_json(frame));
  for (const image::ClassInfo& one : offered) names.push_back({{"name", one.name}, {"color", color_json(one.color)}});
  json all = {{"folder", full_path(project.folder()).filename().string()},
              {"version", project.version()},
              {"train_command", train_command},
              {"source", source},
              {"frames", std::move(frames)},
              {"validations", labels.validations()},
              {"frames_to_validate", kFramesToJudge},
              {"next", labels.next_frames()},
              {"warnings", warnings},
              {"offered", std::move(names)}};
  all.update(model.facts());
  all.update(classes_json());
  server.send(client, json_text(json{{"project", all}}));
  if (!trouble.empty()) server.send(client, ascii_json_text(json{{"trouble", trouble}}));
}

json TeachingParts::frame_json(std::size_t frame) const {
  const TaughtFrame& one = project.frame(frame);
  json facts = {{"name", one.name},
                {"strokes", project.num_strokes(frame)},
                {"has_depth", one.has_depth},
                {"is_done", one.is_done},
                {"carried", share_carried(one)},
                {"is_carrying", project.is_carrying(frame)},
                {"room", one.pose ? json(one.pose->room) : json(nullptr)}};
  facts.update(labels.facts_of(frame));
  return facts;
}

json TeachingParts::classes_json() const {
  json classes = json::array(), gone = json::array();
  for (const TaughtClass& one : project.classes()) {
    json facts = {{"class", one.number}, {"name", one.name}, {"color", color_json(one.color)}};
    if (one.is_live()) {
      facts["locked"] = one.is_locked;
      classes.push_back(std::move(facts));
    } else {  // it can be restored
      facts["into"] = one.merged_into ? json(*one.merged_into) : json(nullptr);
      gone.push_back(std::move(facts));
    }
  }
  return {{"classes", std::move(classes)}, {"gone", std::move(gone)}, {"next_color", color_json(project.free_color())}};
}

web::WebAnswer TeachingParts::get(const std::string& path) {
  const std::string address = path.substr(0, path.find('?'));
  if (const auto file = web::file_answer(kPageFiles, address)) return *file;
  if (const auto file = web::map_viewer_file(address)) return *file;
  if (address.starts_with("/map/")) return map.get(address);
  if (address.starts_with("/camera/")) return camera.get(address);
  if (address == "/export/model") return labels.model();
  if (const std::string start = "/export/"; address.starts_with(start)) {
    const std::string what = address.substr(start.size());
    const std::size_t slash = what.find('/');
    if (slash == std::string::npos) return labels.exported("drawn", what, truth);
    return labels.exported(what.substr(0, slash), what.substr(slash + 1), truth);
  }
  if (const std::string start = "/frames/"; address.starts_with(start)) {
    const std::size_t slash = address.find('/', start.size());
    const std::string number = address.substr(start.size(), slash - start.size());
    const bool is_number = !number.empty() && number.size() < 9 &&
                           std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && slash != std::string::npos) return get_frame(std::stoul(number), address.substr(slash + 1), path);
  }
  throw Error(ErrorKind::kUsage, "there is nothing at " + path.substr(0, 100));
}

web::WebAnswer TeachingParts::get_frame(std::size_t frame, const std::string& what, const std::string& path) {
  project.frame(frame);  // throws if it does not exist
  if (what == "why") return labels.why(frame, path);
  if (what == "labels" || what == "uncertainty") return labels.picture(frame, what);
  std::function<image::LabelImage()> read;
  if (what == "objects") {
    const std::size_t query = path.find("?of=");
    if (query != std::string::npos) read = labels.reader(path.substr(query + 4), frame, truth);
    return objects_answer(project, frame, read ? std::move(read) : truth.drawn_reader(frame));
  }
  if (what == "truth") read = truth.drawn_reader(frame);
  if (what == "carried") read = project.carried_reader(frame);
  if (what == "suggested") read = [packed = suggestions.of(frame)] { return packed.unpacked(); };
  if (read) return {.later = [read, infos = project.class_infos()] { return web::labels_answer(read(), infos); }};
  return {.later = [read_frame = project.frame_reader(frame), what, path] {
    const image::Frame found = read_frame();
    if (what == "fill") return fill_answer(found, path);
    if (what == "color" && !found.color.empty()) return web::picture_answer(found.color);
    if (what == "millimetres" && !found.depth_mm.empty()) return millimetres_answer(found.depth_mm);
    if (what == "depth" && !found.depth_mm.empty()) return web::picture_answer(dataset::colorize_depth(found.depth_mm));
    throw Error(ErrorKind::kUsage, "the frame has no image of that name");
  }};
}

Teaching::Teaching(Project& project, const LearnerOptions& learning, const web::WebOptions& web,
                   const std::string& train_command)
    : parts_(std::make_unique<TeachingParts>(project, learning, web, train_command)) {}
Teaching::~Teaching() { parts_->project.follow({}); }

void Teaching::warn(std::vector<std::string> sentences) { parts_->warnings = std::move(sentences); }

void Teaching::offer(std::vector<image::ClassInfo> classes) { parts_->offered = std::move(classes); }

std::string Teaching::url() const { return parts_->server.url(); }

void Teaching::watch(std::shared_ptr<recordings::FrameSource> source, const recordings::CaptureOptions& options) {
  TeachingParts& all = *parts_;
  all.source = source->name();
  const auto seen = [&all](recordings::CapturedFrame frame) {
    all.server.post([&all, frame = std::move(frame)]() mutable {
      all.tell_all({{"camera", all.camera.take(std::move(frame))}});
    });
  };
  const auto troubled = [&all](const std::string& sentence) {
    all.server.post([&all, sentence] {
      all.trouble = sentence;
      all.server.send_to_all(ascii_json_text(json{{"trouble", sentence}}));
    });
  };
  all.watching = capture_camera(std::move(source), options, {seen, troubled});
}

void Teaching::run(std::stop_token stop, const ProgressCallback& progress) {
  parts_->project.write_truth();
  parts_->server.run(std::move(stop));
  parts_->carrying.finish(progress);
  parts_->project.write_truth();
}

}  // namespace fernwood::teach
