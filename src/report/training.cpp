// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/training.h"

#include <algorithm>
#include <span>

#include "fernwood/core/text.h"
#include "fernwood/report/format.h"
#include "report/json.h"
#include "report/model.h"
#include "report/text_table.h"

namespace fernwood::report {

using train::GpuReport, train::LevelReport, train::OutOfBagReport, train::StageSeconds, train::TrainReport;

namespace {

/// Short times would be lost in one decimal.
std::string seconds_text(double seconds) { return fixed(seconds, seconds < 9.995 ? 2 : 1); }

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

void add_stage_row(TextTable& table, const std::string& name, const LevelReport& level, const TrainReport& report) {
  const bool gpu = report.on_gpu();
  const int decimals = gpu ? 3 : 2;
  std::vector<TextCell> cells = {name, std::to_string(level.nodes), std::to_string(level.samples),
                                 fixed(level.seconds, decimals)};
  for (const StageColumn& column : stage_columns(report))
    cells.emplace_back(fixed(wall_seconds(level.stages.*column.stage, report), decimals));
  if (gpu) {
    cells.emplace_back(fixed(level.seconds > 0 ? 100 * level.stages.sum() / level.seconds : 0, 0) + " %");
    cells.emplace_back(fixed(rate(level.responses, level.seconds) / 1e9, 1));
  } else {
    cells.emplace_back(fixed(rate_per_thread(report, level.responses, level.seconds) / 1e6, 1));
  }
  table.row(cells);
}

/// A row for each tree that is kept, "stage.tree" where there are stages, and one for what cross-fitting took.
std::string tree_rows(const TrainReport& report, const forest::Forest& forest) {
  TextTable table({left("tree", 6), right("nodes", 10), right("leaves", 10), right("depth", 7), right("seconds", 10)});
  for (std::size_t s = 0; s < forest.num_stages(); ++s)
    for (std::size_t k = 0; k < forest.stage(s).size(); ++k) {
      const forest::Tree& tree = forest.stage(s)[k];
      table.row({(forest.num_stages() > 1 ? std::to_string(s + 1) + "." : "") + std::to_string(k + 1),
                 std::to_string(tree.nodes.size()), std::to_string(tree.num_leaves()), std::to_string(tree.depth()),
                 seconds_text(seconds_of(report, s, k))});
    }
  if (const auto folds = cross_fitting(report, forest))
    table.line(format_text("%d forests for cross-fitting: %d trees, %s s", folds->forests, folds->trees,
                           seconds_text(folds->seconds).c_str()));
  return table.text();
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
  if (forest.labelling_trees().size() >= static_cast<std::size_t>(most)) return text;
  return text +
         format_text("stopped     after %zu of at most %d trees: the last %d raised that by less than 0.1 points\n",
                     forest.labelling_trees().size(), most, options.value("stop_when_flat", 0));
}

/// Which device, its memory and image cache.
std::string device_lines(const TrainReport& report) {
  if (!report.on_gpu())
    return facts(
        {{"device", report.device_note.empty() ? "" : "on the CPU: " + report.device_note},
         {"speed", format_text("%.0f million responses a second and thread, ",
                               rate_per_thread(report, report.responses(), report.seconds_growing) / 1e6) +
                       counted(static_cast<std::uint64_t>(report.threads), "thread") + ", " + report.instruction_set}},
        8);
  const GpuReport& gpu = report.gpu;
  const std::string held = format_text("%zu of %zu frames held on the GPU, %.1f %% found there, ",
                                       std::min(gpu.frame_slots, report.frames), report.frames, 100 * gpu.hit_rate());
  return facts(
      {{"device", report.device + ", " + gpu.name + "; " + format_bytes(gpu.memory_bytes) + " of its memory taken"},
       {"cache", held + format_bytes(gpu.uploaded_bytes) + " brought to it"},
       {"speed", format_text("%.1f G responses a second, GPU busy for %.0f %% of growing",
                             rate(report.responses(), report.seconds_growing) / 1e9, 100 * gpu_busy_share(report))}},
      8);
}

}  // namespace

double seconds_of(const TrainReport& report, std::size_t stage, std::size_t tree) {
  double seconds = 0;
  for (const LevelReport& level : report.levels)
    if (!level.fold && static_cast<std::size_t>(level.stage) == stage && static_cast<std::size_t>(level.tree) == tree)
      seconds += level.seconds;
  return seconds;
}

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

std::string training_table(const TrainReport& report, const forest::Forest& forest) {
  const double seconds = report.seconds_loading + report.seconds_sampling + report.seconds_growing +
                         report.seconds_context + report.seconds_out_of_bag;
  std::string time = seconds_text(seconds) + " s: loading " + seconds_text(report.seconds_loading) + ", sampling " +
                     seconds_text(report.seconds_sampling) + ", growing " + seconds_text(report.seconds_growing);
  if (forest.num_stages() > 1) time += ", context " + seconds_text(report.seconds_context);
  if (!report.out_of_bag.empty()) time += ", out of bag " + seconds_text(report.seconds_out_of_bag);
  return tree_rows(report, forest) + "\n" +
         facts({{"frames", format_text("%zu (%zu kept in memory, ", report.frames, report.frames_kept) +
                               format_bytes(report.frame_bytes) + ")"},
                {"samples", std::to_string(report.samples)},
                {"time", time},
                {"weights", class_weights_text(forest)}},
               8) +
         device_lines(report) + out_of_bag_lines(report, forest);
}

std::string stage_table(const TrainReport& report) {
  std::vector<TextColumn> columns = {right("level", 5), right("nodes", 9), right("samples", 10), right("seconds", 8)};
  for (const StageColumn& column : stage_columns(report)) columns.push_back(right(column.name, 8));
  if (report.on_gpu()) columns.push_back(right("busy", 6));
  columns.push_back(report.on_gpu() ? right("G/s", 8) : right("M/s/core", 9));
  TextTable table(columns);
  for (const LevelReport& level : train::add_trees(report.levels))
    add_stage_row(table, std::to_string(level.level), level, report);
  add_stage_row(table, "all", train::add_levels(report.levels), report);
  return table.text();
}

std::string roofline_text(const train::GpuRoofline& r) {
  const auto percent = [](double a, double b) { return b > 0 ? 100 * a / b : 0; };
  return format_text("feature response       %.1f G a second: %.0f %% of the %.0f for which this GPU's\n",
                     r.responses_per_second / 1e9, percent(r.responses_per_second, r.random_limit),
                     r.random_limit / 1e9) +
         format_text("                       shared memory can be read at random (%.0f without bank conflicts);\n",
                     r.response_limit / 1e9) +
         format_text("                       writes %.2f TB/s, %.0f %% of the %.2f TB/s that a copy moves\n",
                     r.respond_bytes_per_second / 1e12, percent(r.respond_bytes_per_second, r.copy_bytes_per_second),
                     r.copy_bytes_per_second / 1e12) +
         format_text("histogram aggregation  reads %.2f TB/s, %.0f %% of the %.2f TB/s that a copy moves\n",
                     r.aggregate_bytes_per_second / 1e12,
                     percent(r.aggregate_bytes_per_second, r.copy_bytes_per_second), r.copy_bytes_per_second / 1e12);
}

}  // namespace fernwood::report
