// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/train/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "fernwood/core/text.h"
#include "fernwood/forest/summary.h"
#include "train/report_fields.h"

namespace fernwood::train {

namespace {

using Json = nlohmann::json;

double rate(std::uint64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

double rate_per_thread(std::uint64_t responses, double seconds, int threads) {
  return threads > 0 ? rate(responses, seconds) / threads : 0;
}

/// Short times would be lost in one decimal.
std::string seconds_text(double seconds) { return format_text(seconds < 9.995 ? "%.2f" : "%.1f", seconds); }

struct StageColumn {
  const char* name;
  double StageSeconds::*stage;
};
constexpr StageColumn kCpuStages[] = {{"probe", &StageSeconds::probe}, {"respond", &StageSeconds::respond},
                                      {"bin", &StageSeconds::bin},     {"aggreg.", &StageSeconds::aggregate},
                                      {"score", &StageSeconds::score}, {"split", &StageSeconds::split}};
/// Bins are found while counting.
constexpr StageColumn kGpuStages[] = {{"probe", &StageSeconds::probe},
                                      {"respond", &StageSeconds::respond},
                                      {"aggreg.", &StageSeconds::aggregate},
                                      {"score", &StageSeconds::score},
                                      {"split", &StageSeconds::split}};

std::span<const StageColumn> stage_columns(const TrainReport& report) {
  if (report.on_gpu()) return kGpuStages;
  return kCpuStages;
}

void add(LevelReport& sum, const LevelReport& level) {
  sum.nodes += level.nodes;
  sum.samples += level.samples;
  sum.responses += level.responses;
  sum.seconds += level.seconds;
  sum.stages += level.stages;
}

std::string stage_header(const TrainReport& report) {
  std::string text = format_text("%5s %9s %10s %8s", "level", "nodes", "samples", "seconds");
  for (const StageColumn& column : stage_columns(report)) text += format_text(" %8s", column.name);
  return text + (report.on_gpu() ? format_text(" %6s %8s\n", "busy", "G/s") : format_text(" %9s\n", "M/s/core"));
}

std::string stage_row(const std::string& name, const LevelReport& level, const TrainReport& report) {
  const bool gpu = report.on_gpu();
  const int decimals = gpu ? 3 : 2;
  std::string text =
      format_text("%5s %9zu %10zu %8.*f", name.c_str(), level.nodes, level.samples, decimals, level.seconds);
  for (const StageColumn& column : stage_columns(report))
    text += format_text(" %8.*f", decimals, wall_seconds(level.stages.*column.stage, report));
  if (!gpu)
    return text + format_text(" %9.1f\n", rate_per_thread(level.responses, level.seconds, report.threads) / 1e6);
  const double busy = level.seconds > 0 ? level.stages.sum() / level.seconds : 0;
  return text + format_text(" %4.0f %% %8.1f\n", 100 * busy, rate(level.responses, level.seconds) / 1e9);
}

/// Seconds of growing a tree that is kept, those since a resume.
double seconds_of(const TrainReport& report, std::size_t stage, std::size_t tree) {
  double seconds = 0;
  for (const LevelReport& level : report.levels)
    if (!level.fold && static_cast<std::size_t>(level.stage) == stage && static_cast<std::size_t>(level.tree) == tree)
      seconds += level.seconds;
  return seconds;
}

/// The forests that a next stage is trained with and that are not kept.
struct CrossFitting {
  int forests = 0, trees = 0;
  double seconds = 0;  ///< Of growing, those since a resume.
};

/// Nothing unless there are stages.
std::optional<CrossFitting> cross_fitting(const TrainReport& report, const forest::Forest& forest) {
  if (forest.num_stages() == 1) return std::nullopt;
  const Json options = Json::parse(forest.options_json);
  CrossFitting sum;
  sum.forests = static_cast<int>(forest.num_stages() - 1) * options.value("folds", 0);
  sum.trees = sum.forests * options.value("trees", 0);
  for (const LevelReport& level : report.levels)
    if (level.fold) sum.seconds += level.seconds;
  return sum;
}

/// A row for each tree that is kept, "stage.tree" where there are stages, and one for what cross-fitting took.
std::string tree_rows(const TrainReport& report, const forest::Forest& forest) {
  std::string text = format_text("%-6s %10s %10s %7s %10s\n", "tree", "nodes", "leaves", "depth", "seconds");
  for (std::size_t s = 0; s < forest.num_stages(); ++s)
    for (std::size_t k = 0; k < forest.stage(s).size(); ++k) {
      const forest::Tree& tree = forest.stage(s)[k];
      const std::string name = (forest.num_stages() > 1 ? std::to_string(s + 1) + "." : "") + std::to_string(k + 1);
      text += format_text("%-6s %10zu %10zu %7d %10s\n", name.c_str(), tree.nodes.size(), tree.num_leaves(),
                          tree.depth(), seconds_text(seconds_of(report, s, k)).c_str());
    }
  if (const auto folds = cross_fitting(report, forest))
    text += format_text("%d forests for cross-fitting: %d trees, %s s\n", folds->forests, folds->trees,
                        seconds_text(folds->seconds).c_str());
  return text;
}

/// Accuracy out of bag, and whether it kept trees from being added.
std::string out_of_bag_lines(const TrainReport& report, const forest::Forest& forest) {
  if (report.out_of_bag.empty() || report.out_of_bag.back().pixels == 0) return "";
  const OutOfBagReport& last = report.out_of_bag.back();
  const std::string text =
      format_text("out of bag  %.1f %% pixel, %.1f %% class accuracy over %zu pixels that trees had not seen\n",
                  100 * last.accuracy.pixel, 100 * last.accuracy.class_average, last.pixels);
  const Json options = Json::parse(forest.options_json);
  const int most = options.value("trees", 0);
  if (forest.trees.size() >= static_cast<std::size_t>(most)) return text;
  return text +
         format_text("stopped     after %zu of at most %d trees: the last %d raised that by less than 0.1 points\n",
                     forest.trees.size(), most, options.value("stop_when_flat", 0));
}

/// Which device, its memory and image cache.
std::string device_lines(const TrainReport& report) {
  if (!report.on_gpu()) {
    const std::string why = report.device_note.empty() ? "" : "device  on the CPU: " + report.device_note + "\n";
    return why + format_text("speed   %.0f million responses a second and thread, %d thread%s, %s\n",
                             rate_per_thread(report.responses(), report.seconds_growing, report.threads) / 1e6,
                             report.threads, report.threads == 1 ? "" : "s", report.instruction_set.c_str());
  }
  const GpuReport& gpu = report.gpu;
  const std::size_t held = std::min(gpu.frame_slots, report.frames);
  return format_text("device  %s, %s; %s of its memory taken\n", report.device.c_str(), gpu.name.c_str(),
                     format_bytes(gpu.memory_bytes).c_str()) +
         format_text("cache   %zu of %zu frames held on the GPU, %.1f %% found there, %s brought to it\n", held,
                     report.frames, 100 * gpu.hit_rate(), format_bytes(gpu.uploaded_bytes).c_str()) +
         format_text("speed   %.1f thousand million responses a second, GPU busy for %.0f %% of growing\n",
                     rate(report.responses(), report.seconds_growing) / 1e9, 100 * gpu_busy_share(report));
}

Json fields_json(const auto& owner) {
  Json json;
  visit_fields(owner, [&](const char* key, const auto& field) { json[key] = field; });
  return json;
}

Json gpu_json(const TrainReport& report) {
  if (!report.on_gpu()) return nullptr;
  Json json = fields_json(report.gpu);
  json["hit_rate"] = report.gpu.hit_rate();
  json["busy_share"] = gpu_busy_share(report);
  return json;
}

Json level_json(const LevelReport& level) {
  Json json = fields_json(level);
  json[kStageSecondsKey] = fields_json(level.stages);
  json["stage"] = level.stage;
  json["fold"] = level.fold ? Json(*level.fold) : Json();
  return json;
}

Json trees_json(const TrainReport& report, const forest::Forest& forest) {
  Json json = Json::array();
  for (std::size_t s = 0; s < forest.num_stages(); ++s)
    for (std::size_t k = 0; k < forest.stage(s).size(); ++k) {
      const forest::Tree& tree = forest.stage(s)[k];
      json.push_back({{"stage", s},
                      {"nodes", tree.nodes.size()},
                      {"leaves", tree.num_leaves()},
                      {"depth", tree.depth()},
                      {"seconds", seconds_of(report, s, k)}});
    }
  return json;
}

Json cross_fitting_json(const TrainReport& report, const forest::Forest& forest) {
  const std::optional<CrossFitting> folds = cross_fitting(report, forest);
  if (!folds) return nullptr;
  return {{"forests", folds->forests}, {"trees", folds->trees}, {"seconds", folds->seconds}};
}

Json out_of_bag_json(const OutOfBagReport& report) {
  return {{"tree", report.tree},
          {"pixel_accuracy", report.accuracy.pixel},
          {"class_accuracy", report.accuracy.class_average},
          {"pixels", report.pixels},
          {"rise", report.rise ? Json(*report.rise) : Json()}};
}

Json per_thread_json(const TrainReport& report) {
  if (report.on_gpu()) return nullptr;
  return rate_per_thread(report.responses(), report.seconds_growing, report.threads);
}

}  // namespace

std::vector<LevelReport> add_trees(const std::vector<LevelReport>& levels) {
  std::vector<LevelReport> sums;
  for (const LevelReport& level : levels) {
    const auto at = static_cast<std::size_t>(level.level);
    sums.resize(std::max(sums.size(), at + 1));
    sums[at].level = level.level;
    add(sums[at], level);
  }
  return sums;
}

double wall_seconds(double stage_seconds, const TrainReport& report) {
  return stage_seconds / (report.on_gpu() ? 1 : std::max(1, report.threads));
}

double gpu_busy_share(const TrainReport& report) {
  return report.on_gpu() && report.seconds_growing > 0 ? report.stages().sum() / report.seconds_growing : 0;
}

std::string train_report_table(const TrainReport& report, const forest::Forest& forest) {
  const double seconds = report.seconds_loading + report.seconds_sampling + report.seconds_growing +
                         report.seconds_context + report.seconds_out_of_bag;
  std::string judging = forest.context_stages.empty() ? "" : ", context " + seconds_text(report.seconds_context);
  if (!report.out_of_bag.empty()) judging += ", out of bag " + seconds_text(report.seconds_out_of_bag);
  return tree_rows(report, forest) +
         format_text("\nframes  %zu (%zu kept in memory, %s)\n", report.frames, report.frames_kept,
                     format_bytes(report.frame_bytes).c_str()) +
         format_text("samples %llu\n", static_cast<unsigned long long>(report.samples)) +
         format_text("time    %s s: loading %s, sampling %s, growing %s%s\n", seconds_text(seconds).c_str(),
                     seconds_text(report.seconds_loading).c_str(), seconds_text(report.seconds_sampling).c_str(),
                     seconds_text(report.seconds_growing).c_str(), judging.c_str()) +
         (forest.leaves.class_weights.empty() ? "" : "weights " + forest::class_weights_text(forest) + "\n") +
         device_lines(report) + out_of_bag_lines(report, forest);
}

std::string stage_table(const TrainReport& report) {
  std::string text = stage_header(report);
  LevelReport total;
  for (const LevelReport& level : add_trees(report.levels)) {
    text += stage_row(std::to_string(level.level), level, report);
    add(total, level);
  }
  return text + stage_row("all", total, report);
}

std::string train_report_json(const TrainReport& report, const forest::Forest& forest) {
  Json json = fields_json(report);
  json["schema_version"] = 1;
  json["responses"] = report.responses();
  json["responses_per_second"] = rate(report.responses(), report.seconds_growing);
  json["responses_per_second_and_thread"] = per_thread_json(report);
  json["stage_clock"] = report.on_gpu() ? "gpu" : "threads";
  json[kGpuKey] = gpu_json(report);
  json[kStageSecondsKey] = fields_json(report.stages());
  json[kOptionsKey] = Json::parse(forest.options_json);
  json[kProvenanceKey] = Json::parse(forest.provenance_json);
  json["class_weights"] = forest.leaves.class_weights.empty() ? Json() : Json(forest.leaves.class_weights);
  json[kLevelsKey] = Json::array();
  for (const LevelReport& level : report.levels) json[kLevelsKey].push_back(level_json(level));
  json["trees"] = trees_json(report, forest);
  json["cross_fitting"] = cross_fitting_json(report, forest);
  json["out_of_bag"] = Json::array();
  for (const OutOfBagReport& after_tree : report.out_of_bag) json["out_of_bag"].push_back(out_of_bag_json(after_tree));
  return json.dump(2) + "\n";
}

}  // namespace fernwood::train
