// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "evaluate/explain_words.h"

namespace fernwood::evaluate {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json region_json(const SeenRegion& region, const image::ChannelLayout& channels) {
  Json json = {{"channel", channels.name(region.channel)}};
  const auto side = [&](std::int32_t forest::RegionSpan::*member) {
    return region.span ? Json((*region.span).*member) : Json();
  };
  json["x"] = side(&forest::RegionSpan::x0);
  json["y"] = side(&forest::RegionSpan::y0);
  json["width"] = side(&forest::RegionSpan::width);
  json["height"] = side(&forest::RegionSpan::height);
  json["inside"] = region.inside;
  json["mean"] = or_null(region.mean);
  return json;
}

Json test_json(const SeenTest& test, const image::ChannelLayout& channels) {
  const std::string reason = unknown_reason(test);
  return {{"node", test.node},
          {"a", region_json(test.a, channels)},
          {"b", test.b ? region_json(*test.b, channels) : Json()},
          {"response", or_null(test.response)},
          {"unknown", reason.empty() ? Json() : Json(reason)},
          {"threshold", test.threshold},
          {"side", test.right ? "right" : "left"},
          {"samples", test.counts}};
}

Json tree_json(const SeenTree& tree, const image::ChannelLayout& channels) {
  Json path = Json::array();
  for (const SeenTest& test : tree.path) path.push_back(test_json(test, channels));
  return {{"path", std::move(path)},
          {"node", tree.node},
          {"leaf", tree.leaf},
          {"samples", tree.counts},
          {"probabilities", tree.probabilities}};
}

}  // namespace

std::string explanation_json(const PixelExplanation& pixel) {
  Json json = {{"schema_version", 1}, {"model", pixel.model}, {"frame", pixel.frame}, {"x", pixel.x}, {"y", pixel.y}};
  json["depth_mm"] = pixel.depth_mm && *pixel.depth_mm > 0 ? Json(*pixel.depth_mm) : Json();
  json["class"] = pixel.label == image::kVoid ? Json() : Json(label_name(pixel));
  json["classes"] = Json::array();
  for (const image::ClassInfo& info : pixel.classes.classes) json["classes"].push_back(info.name);
  json["probabilities"] = pixel.probabilities;
  json["trees"] = Json::array();
  for (const SeenTree& tree : pixel.trees) json["trees"].push_back(tree_json(tree, pixel.channels));
  // File names need not be UTF-8, JSON must be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fernwood::evaluate
