// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/evaluate/explain.h"
#include "forest/model_bytes.h"
#include "teach/page.h"
#include "teach/session.h"

namespace fernwood::teach {

web::WebAnswer Teaching::Session::get(const std::string& path) {
  const std::string start = "/frames/";
  const std::string address = path.substr(0, path.find('?'));
  if (const auto file = web::file_answer(kPageFiles, address)) return *file;
  if (const auto file = web::map_viewer_file(address)) return *file;
  if (address.starts_with("/map/")) return get_map(address);
  if (address.starts_with("/camera/")) return camera.get(address);
  if (address.starts_with("/export/")) return get_export(address.substr(8));
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

web::WebAnswer Teaching::Session::get_frame(std::size_t frame, const std::string& what) {
  project.frame_name(frame);  // throws if it does not exist
  if (what == "truth")
    return {.later = [read = drawn_reader(frame), infos = class_infos()] { return web::labels_answer(read(), infos); }};
  if (what == "carried")
    return {.later = [read = project.carried_reader(frame), infos = class_infos()] {
      return web::labels_answer(read(), infos);
    }};
  if (what == "suggested") {
    FW_CHECK(suggested.contains(frame), Usage, "nothing is suggested for the frame");
    return {.later = [labels = suggested.at(frame), infos = class_infos()] {
      return web::labels_answer(labels.unpacked(), infos);
    }};
  }
  if (what == "labels" || what == "uncertainty") {
    const auto found = labels.find(frame);
    if (found != labels.end())
      return what == "labels" ? found->second.labels_picture : found->second.uncertainty_picture;
    FW_CHECK(cleared_version > 0, Usage, "the frame has no labels yet");
    // A page may request labels that were removed meanwhile.
    return web::labels_answer(image::LabelImage(project.frame_rows(frame), project.frame_cols(frame), image::kVoid),
                              {});
  }
  return {.later = [read_frame = project.frame_reader(frame), what] {
    const image::Frame read = read_frame();
    if (what == "color" && !read.color.empty()) return web::picture_answer(read.color);
    if (what == "depth" && !read.depth_mm.empty()) return web::picture_answer(dataset::colorize_depth(read.depth_mm));
    throw Error(ErrorKind::kUsage, "the frame has no picture of that name");
  }};
}

web::WebAnswer Teaching::Session::explain(std::size_t frame, const std::string& path) {
  project.frame_name(frame);  // throws if it does not exist
  return {.later = [read_frame = project.frame_reader(frame), path, frame, forest = forest, last = explained] {
    const image::Frame read = read_frame();
    const auto [x, y] = web::pixel_of(path, read.cols(), read.rows());
    FW_CHECK(forest, Usage, "nothing was learnt yet");
    if (last->frame != frame || last->forest != forest) *last = {frame, forest, predict::prepare_for(*forest, read)};
    return web::why_answer(evaluate::explain(*forest, last->prepared, x, y));
  }};
}

web::WebAnswer Teaching::Session::get_export(const std::string& what) {
  if (what == "model") {
    FW_CHECK(forest, Usage, "nothing was learnt yet");
    return {.later = [forest = forest] {
      TextOutput bytes;
      forest::write_forest(*forest, "the model", bytes);
      return web::WebAnswer{200, "application/octet-stream", std::move(bytes).str()};
    }};
  }
  const std::size_t slash = what.find('/');
  if (slash == std::string::npos) return get_labels_export("drawn", what);
  return get_labels_export(what.substr(0, slash), what.substr(slash + 1));
}

}  // namespace fernwood::teach
