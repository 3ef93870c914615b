// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/train/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace {

using Json = nlohmann::json;

Json to_json(const StageSeconds& stages) {
  return {{"probe", stages.probe},         {"respond", stages.respond}, {"bin", stages.bin},
          {"aggregate", stages.aggregate}, {"score", stages.score},     {"split", stages.split}};
}

double rate_per_core(std::uint64_t responses, double seconds, int threads) {
  return seconds > 0 && threads > 0 ? static_cast<double>(responses) / seconds / threads : 0;
}

/// Reports of the same level of all trees, added up.
std::vector<LevelReport> add_trees(const std::vector<LevelReport>& levels) {
  std::vector<LevelReport> sums;
  for (const LevelReport& level : levels) {
    sums.resize(std::max(sums.size(), static_cast<std::size_t>(level.level) + 1));
    LevelReport& sum = sums[static_cast<std::size_t>(level.level)];
    sum.level = level.level;
    sum.nodes += level.nodes;
    sum.samples += level.samples;
    sum.responses += level.responses;
    sum.seconds += level.seconds;
    sum.stages += level.stages;
  }
  return sums;
}

std::string stage_row(const char* name, const LevelReport& level, int threads) {
  const StageSeconds& s = level.stages;
  return format_text("%5s %9zu %10zu %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %9.1f\n", name, level.nodes,
                     level.samples, level.seconds, s.probe / threads, s.respond / threads, s.bin / threads,
                     s.aggregate / threads, s.score / threads, s.split / threads,
                     rate_per_core(level.responses, level.seconds, threads) / 1e6);
}

}  // namespace

std::string train_report_table(const TrainReport& report, const Forest& forest) {
  std::string text = format_text("%-6s %10s %10s %7s %10s\n", "tree", "nodes", "leaves", "depth", "seconds");
  for (std::size_t k = 0; k < forest.trees.size(); ++k) {
    double seconds = 0;
    for (const LevelReport& level : report.levels)
      if (static_cast<std::size_t>(level.tree) == k) seconds += level.seconds;
    text += format_text("%-6zu %10zu %10zu %7d %10.1f\n", k + 1, forest.trees[k].nodes.size(),
                        forest.trees[k].num_leaves(), forest.trees[k].depth(), seconds);
  }
  text += format_text("\nframes  %zu (%zu kept in memory, %s)\n", report.frames, report.frames_kept,
                      format_bytes(report.frame_bytes).c_str());
  text += format_text("samples %llu\n", static_cast<unsigned long long>(report.samples));
  text += format_text(
      "time    %.1f s: loading %.1f, sampling %.1f, growing %.1f on %d thread%s (%.0f million responses a second "
      "and thread, %s)\n",
      report.seconds_loading + report.seconds_sampling + report.seconds_growing, report.seconds_loading,
      report.seconds_sampling, report.seconds_growing, report.threads, report.threads == 1 ? "" : "s",
      rate_per_core(report.responses(), report.seconds_growing, report.threads) / 1e6, report.instruction_set.c_str());
  return text;
}

std::string stage_table(const TrainReport& report) {
  std::string text = format_text("%5s %9s %10s %8s %8s %8s %8s %8s %8s %8s %9s\n", "level", "nodes", "samples",
                                 "seconds", "probe", "respond", "bin", "aggreg.", "score", "split", "M/s/core");
  LevelReport total;
  for (const LevelReport& level : add_trees(report.levels)) {
    text += stage_row(std::to_string(level.level).c_str(), level, report.threads);
    total.nodes += level.nodes;
    total.samples += level.samples;
    total.responses += level.responses;
    total.seconds += level.seconds;
    total.stages += level.stages;
  }
  return text + stage_row("all", total, report.threads);
}

std::string train_report_json(const TrainReport& report, const Forest& forest) {
  Json json = {
      {"schema_version", 1},
      {"seconds_loading", report.seconds_loading},
      {"seconds_sampling", report.seconds_sampling},
      {"seconds_growing", report.seconds_growing},
      {"samples", report.samples},
      {"responses", report.responses()},
      {"responses_per_second_and_thread", rate_per_core(report.responses(), report.seconds_growing, report.threads)},
      {"frames", report.frames},
      {"frames_kept", report.frames_kept},
      {"frames_decoded", report.frames_decoded},
      {"frame_bytes", report.frame_bytes},
      {"threads", report.threads},
      {"device", report.device},
      {"instruction_set", report.instruction_set},
      {"stage_thread_seconds", to_json(report.stages())},
      {"warnings", report.warnings},
      {"options", Json::parse(forest.options_json)},
      {"provenance", Json::parse(forest.provenance_json)},
      {"levels", Json::array()},
      {"trees", Json::array()}};
  for (const LevelReport& level : report.levels)
    json["levels"].push_back({{"tree", level.tree},
                              {"level", level.level},
                              {"nodes", level.nodes},
                              {"samples", level.samples},
                              {"responses", level.responses},
                              {"seconds", level.seconds},
                              {"stage_thread_seconds", to_json(level.stages)}});
  for (const Tree& tree : forest.trees)
    json["trees"].push_back({{"nodes", tree.nodes.size()}, {"leaves", tree.num_leaves()}, {"depth", tree.depth()}});
  return json.dump(2) + "\n";
}

}  // namespace fernwood
