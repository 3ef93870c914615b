// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "evaluate/format.h"
#include "fernwood/evaluate/verify.h"

namespace fernwood::evaluate {

namespace {

using Json = nlohmann::ordered_json;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string counted(std::size_t count, const std::string& what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

/// What is said of a way; `is_first` marks the one that the others are compared with.
std::string verdict(const WayResult& way, bool is_first) {
  if (way.first)
    return counted(way.num_different, "pixel") + (way.num_different == 1 ? " differs" : " differ") +
           ", first in frame " + way.first->frame + " at (" + std::to_string(way.first->x) + ", " +
           std::to_string(way.first->y) + "): " + way.first->values;
  return is_first ? "what the others are compared with" : "identical";
}

}  // namespace

std::string verify_table(const VerifyReport& report, bool color) {
  const auto paint = [&](const std::string& text, const char* code) {
    return color ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  };
  std::string text;
  for (const auto& [key, value] : {std::pair{"model", report.model}, std::pair{"data set", report.dataset}})
    if (!value.empty()) text += paint(padded(key, 10), "2") + value + "\n";
  text += paint(padded("frames", 10), "2") + grouped(report.num_frames) + ", " + counted(report.num_pixels, "pixel") +
          "\n\n" + paint(padded("device", 10) + padded("layout", 12) + "labels and probabilities", "1") + "\n";
  for (const WayResult& way : report.ways) {
    const bool is_first = &way == &report.ways.front();
    text += padded(way.device, 10) + padded(way.layout, 12) +
            paint(verdict(way, is_first), way.first  ? "31"
                                          : is_first ? "2"
                                                     : "32") +
            "\n";
  }
  if (!report.missing.empty()) text += "\n";
  for (const std::string& sentence : report.missing) text += paint(sentence, "33") + "\n";
  if (report.ways.size() == 1) text += paint("there was nothing to compare with", "33") + "\n";
  return text;
}

std::string verify_json(const VerifyReport& report) {
  Json json = {{"schema_version", 1},         {"model", report.model},       {"dataset", report.dataset},
               {"frames", report.num_frames}, {"pixels", report.num_pixels}, {"identical", report.identical()},
               {"ways", Json::array()},       {"missing", report.missing}};
  for (const WayResult& way : report.ways) {
    Json first;
    if (way.first)
      first = {{"frame", way.first->frame}, {"x", way.first->x}, {"y", way.first->y}, {"values", way.first->values}};
    json["ways"].push_back({{"device", way.device},
                            {"layout", way.layout},
                            {"different_pixels", way.num_different},
                            {"first_difference", first}});
  }
  return json.dump(2) + "\n";
}

}  // namespace fernwood::evaluate
