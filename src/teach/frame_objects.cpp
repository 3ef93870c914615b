// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/frame_objects.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/report/objects.h"
#include "teach/fill.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

/// Lines between pixels of different objects, or of an object and none.
json outlines_of(const image::InstanceImage& numbers) {
  json lines = json::array();
  const auto number_at = [&](std::size_t y, std::size_t x) {  // before the first, indices wrap around
    return y < numbers.rows() && x < numbers.cols() ? numbers(y, x) : image::kNoInstance;
  };
  const auto add_lines = [&](std::size_t count, std::size_t length, const auto& is_edge, const auto& add) {
    for (std::size_t i = 0; i <= count; ++i)
      for (std::size_t end = 0; end < length;) {
        const std::size_t begin = end++;
        if (!is_edge(i, begin)) continue;
        while (end < length && is_edge(i, end)) ++end;
        add(i, begin, end);
      }
  };
  const auto add = [&](std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1) {
    for (const std::size_t number : {x0, y0, x1, y1}) lines.push_back(number);
  };
  add_lines(
      numbers.rows(), numbers.cols(),
      [&](std::size_t y, std::size_t x) { return number_at(y - 1, x) != number_at(y, x); },
      [&](std::size_t y, std::size_t begin, std::size_t end) { add(begin, y, end, y); });
  add_lines(
      numbers.cols(), numbers.rows(),
      [&](std::size_t x, std::size_t y) { return number_at(y, x - 1) != number_at(y, x); },
      [&](std::size_t x, std::size_t begin, std::size_t end) { add(x, begin, x, end); });
  return lines;
}

/// [object] [x, y]: its pixel nearest to the mean of its pixels, which may be outside of it.
std::vector<std::array<std::size_t, 2>> middles_of(const objects::FrameObjects& found) {
  struct Middle {
    std::size_t x = 0, y = 0, nearest = std::numeric_limits<std::size_t>::max();
    std::array<std::size_t, 2> pixel = {};
  };
  std::vector<Middle> middles(found.objects.size());
  const auto for_each_pixel = [&](const auto& visit) {
    for (std::size_t y = 0; y < found.numbers.rows(); ++y)
      for (std::size_t x = 0; x < found.numbers.cols(); ++x)
        if (found.numbers(y, x) != image::kNoInstance) visit(middles[found.numbers(y, x) - 1u], x, y);
  };
  for_each_pixel([](Middle& middle, std::size_t x, std::size_t y) { middle.x += x, middle.y += y; });
  for (std::size_t i = 0; i < middles.size(); ++i)
    middles[i].x /= found.objects[i].num_pixels, middles[i].y /= found.objects[i].num_pixels;
  for_each_pixel([](Middle& middle, std::size_t x, std::size_t y) {
    const std::size_t dx = x - middle.x, dy = y - middle.y,
                      distance = dx * dx + dy * dy;  // squares of negative ones wrap
    if (distance < middle.nearest) middle.nearest = distance, middle.pixel = {x, y};
  });
  std::vector<std::array<std::size_t, 2>> pixels;
  for (const Middle& middle : middles) pixels.push_back(middle.pixel);
  return pixels;
}

json runs_of(const Array2<std::uint8_t>& cuts) {
  json runs = json::array();
  for (const PixelRun& run : runs_where(cuts.rows(), cuts.cols(), [&](auto y, auto x) { return cuts(y, x) != 0; })) {
    runs.push_back(run.begin);
    runs.push_back(run.count);
  }
  return runs;
}

}  // namespace

std::function<objects::FrameObjects(const image::LabelImage& labels)> objects_finder(const Project& project,
                                                                                     std::size_t frame) {
  return [read_depth = project.depth_reader(frame), read_cuts = project.cuts_reader(frame),
          classes = image::ClassMap{project.class_infos(), {}, {}}](const image::LabelImage& labels) {
    ThreadPool pool(1);
    return objects::ObjectFinder(classes).find(read_depth(), labels, {}, pool, read_cuts());
  };
}

web::WebAnswer objects_answer(const Project& project, std::size_t frame, std::function<image::LabelImage()> labels) {
  FW_CHECK(project.frame(frame).has_depth, Usage,
           "the frames have no depth, by which objects are found; add frames with depth");
  return {.later = [find = objects_finder(project, frame), read_labels = std::move(labels),
                    read_cuts = project.cuts_reader(frame), name = project.frame(frame).name,
                    classes = image::ClassMap{project.class_infos(), {}, {}}] {
    const objects::FrameObjects found = find(read_labels());
    const report::ObjectsOfFrame objects = {found, classes, name};
    json answer = json::parse(report::objects_json(objects));
    answer["text"] = report::objects_text(objects);
    answer["middles"] = middles_of(found);
    answer["outlines"] = outlines_of(found.numbers);
    answer["cuts"] = runs_of(read_cuts());
    return web::WebAnswer{200, "application/json", json_text(answer)};
  }};
}

}  // namespace fernwood::teach
