// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/machine.h"
#include "fernwood/core/text.h"
#include "lab/records/timing.h"
#include "lab/stream/stream_scaling_study.h"
#include "lab/stream/stream_study.h"
#include "shell/console.h"

namespace fernwood::lab {

namespace {

constexpr std::array kVersions = {"sequential", "OpenMP, 4 threads", "MPI, 4 processes", "CUDA"};

std::string who(const WaysTime& way) {
  if (way.processes) return std::to_string(way.ranks) + " processes";
  if (way.ranks > 1) return std::to_string(way.ranks) + " ranks";
  return std::to_string(way.workers) + (way.workers == 1 ? " worker" : " workers");
}

std::string published_rows(const PublishedVersions& published) {
  std::string text;
  for (std::size_t i = 0; i < kVersions.size(); ++i)
    text += format_text("  Ding and Zhang, %-18s %10.3f   accuracy %.1f %%\n", kVersions[i], published.seconds[i],
                        100 * published.accuracy[i]);
  return text;
}

std::string ways_table(const StreamScalingSet& set) {
  std::string text = "\n" + set.name + ": " + format_count(set.records) + " records of " +
                     std::to_string(set.attributes) +
                     format_text(" attributes; %zu leaves, depth %d\naccuracy %.2f %% of ", set.leaves, set.depth,
                                 100 * set.accuracy) +
                     format_count(set.test_records) +
                     format_text(" others; exact tree %.2f, majority %.2f\ntree %s by all ways\n", 100 * set.exact,
                                 100 * set.majority, set.hash.c_str());
  text += format_text("%-36s %10s %9s %9s %9s %9s %11s %9s\n", "  seconds", "total", "read", "navigate", "update",
                      "merge", "communicate", "gain");
  if (set.published) text += published_rows(*set.published);
  for (const WaysTime& way : set.ways) {
    const stream::StreamTimes& t = way.times;
    text += format_text("  %-18s %-15s %10.3f %9.4f %9.4f %9.4f %9.4f %11.4f %9.4f\n", way.parallel.c_str(),
                        who(way).c_str(), t.total_s, t.read_s, t.navigate_s, t.update_s, t.merge_s, t.communicate_s,
                        t.gain_s);
  }
  return text;
}

std::string scale_table(const char* title, const std::vector<ScalePoint>& points) {
  if (points.empty()) return "";
  std::string text =
      std::string("\n") + title + ", data-feature; seconds\n" + format_text("%12s %12s", "records", "attributes");
  for (const int workers : kScaleWorkers)
    text += format_text(" %10s", (std::to_string(workers) + (workers == 1 ? " worker" : " workers")).c_str());
  text += "\n";
  for (const ScalePoint& point : points) {
    text += format_text("%12s %12zu", format_count(point.records).c_str(), point.attributes);
    for (const double seconds : point.seconds) text += format_text(" %10.3f", seconds);
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json to_json(const StreamScalingSet& set) {
  nlohmann::ordered_json ways = nlohmann::ordered_json::array();
  for (const WaysTime& way : set.ways)
    ways.push_back({{"parallel", way.parallel},
                    {"workers", way.workers},
                    {"ranks", way.ranks},
                    {"processes", way.processes},
                    {"seconds", times_json(way.times)}});
  return {{"name", set.name},
          {"records", set.records},
          {"attributes", set.attributes},
          {"test_records", set.test_records},
          {"leaves", set.leaves},
          {"depth", set.depth},
          {"accuracy", set.accuracy},
          {"exact", set.exact},
          {"majority", set.majority},
          {"tree", set.hash},
          {"ways", ways}};
}

nlohmann::ordered_json to_json(const std::vector<ScalePoint>& points) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ScalePoint& point : points)
    json.push_back({{"records", point.records},
                    {"attributes", point.attributes},
                    {"workers", kScaleWorkers},
                    {"seconds", point.seconds}});
  return json;
}

}  // namespace

std::string stream_scaling_study_text(const StreamScalingStudy& study) {
  const Device device = device_of(study.options.work);
  std::string text = to_string(device) + ", " + device_name(device) +
                     format_text(
                         "; 64 leaves, depth 9, 32 records in a leaf that is split, 64 bins, entropy, least "
                         "gain 0.001; median of %d %s\n",
                         study.options.repeats, study.options.repeats == 1 ? "run" : "runs");
  for (const StreamScalingSet& set : study.sets) text += ways_table(set);
  return text + scale_table("By records", study.by_records) + scale_table("By attributes", study.by_attributes) +
         "\nThe exact tree splits the leaf that gains most first, a stream's tree level by level. Ding and Zhang's "
         "generated records\nare of another seed. Ranks are threads of this process that exchange messages as "
         "processes "
         "do.\n";
}

nlohmann::ordered_json stream_scaling_study_json(const StreamScalingStudy& study) {
  nlohmann::ordered_json sets = nlohmann::ordered_json::array();
  for (const StreamScalingSet& set : study.sets) sets.push_back(to_json(set));
  return {{"benchmark", "stream-scaling"},
          {"device", to_string(device_of(study.options.work))},
          {"repeats", study.options.repeats},
          {"seed", study.options.seed},
          {"sets", sets},
          {"by_records", to_json(study.by_records)},
          {"by_attributes", to_json(study.by_attributes)}};
}

}  // namespace fernwood::lab
