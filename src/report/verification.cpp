// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/evaluation.h"
#include "fernwood/report/format.h"
#include "report/json.h"
#include "report/text_table.h"

namespace fernwood::report {

using evaluate::VerifyReport, evaluate::WayResult;

namespace {

/// What is said of a way; `is_first` marks the one that the others are compared with.
TextCell verdict(const WayResult& way, bool is_first) {
  if (way.first)
    return {counted(way.num_different, "pixel") + (way.num_different == 1 ? " differs" : " differ") +
                ", first in frame " + way.first->frame + " at (" + std::to_string(way.first->x) + ", " +
                std::to_string(way.first->y) + "): " + way.first->values,
            "31"};
  if (is_first) return {"what the others are compared with", "2"};
  return {"identical", "32"};
}

}  // namespace

std::string verification_table(const VerifyReport& report, bool color) {
  constexpr std::size_t kLongestVerdict = 500;  // with names of frames, which are not cut
  const Painter painter{color};
  TextTable table({left("device", 9), left("layout", 11), left("labels and probabilities", kLongestVerdict)}, painter);
  for (const WayResult& way : report.ways)
    table.row({way.device, way.layout, verdict(way, &way == &report.ways.front())});
  if (!report.missing.empty()) table.line("");
  for (const std::string& sentence : report.missing) table.line(painter.paint(sentence, "33"));
  if (report.ways.size() == 1) table.line(painter.paint("there was nothing to compare with", "33"));
  return facts({{"model", report.model},
                {"data set", report.dataset},
                {"frames", format_count(report.num_frames) + ", " + counted(report.num_pixels, "pixel")}},
               10, painter) +
         "\n" + table.text();
}

std::string verification_json(const VerifyReport& report) {
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
  return dump(json);
}

}  // namespace fernwood::report
