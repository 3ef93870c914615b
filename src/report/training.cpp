// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/evaluation.h"

#include <algorithm>

#include "core/json_text.h"
#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/text.h"

namespace fernwood::report {

using train::GpuReport, train::LevelReport, train::OutOfBagReport, train::StageSeconds, train::TrainReport;

namespace {

double rate(std::uint64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

/// Assumes that all ranks have as many threads as this one.
double rate_per_thread(const TrainReport& report, std::uint64_t responses, double seconds) {
  const double threads = static_cast<double>(std::max<std::size_t>(1, report.ranks.size())) * report.threads;
  return threads > 0 ? rate(responses, seconds) / threads : 0;
}

/// Seconds of growing a tree that is kept, since a resume.
double seconds_of(const TrainReport& report, std::size_t stage, std::size_t tree) {
  double seconds = 0;
  for (const LevelReport& level : report.levels)
    if (!level.fold && static_cast<std::size_t>(level.stage) == stage && static_cast<std::size_t>(level.tree) == tree)
      seconds += level.seconds;
  return seconds;
}

/// Short times need two decimals.
std::string seconds_text(double seconds) { return fixed(seconds, seconds < 9.995 ? 2 : 1); }

/// The stages that a device's clock distinguishes: on a GPU, bins are found while counting.
std::vector<train::StageName> stages_of(const TrainReport& report) {
  std::vector<train::StageName> stages(std::begin(train::kStageNames), std::end(train::kStageNames));
  if (report.on_gpu()) std::erase_if(stages, [](const auto& stage) { return stage.seconds == &StageSeconds::bin; });
  return stages;
}

void add_stage_row(TextTable& table, const std::string& name, const LevelReport& level, const TrainReport& report) {
  const bool gpu = report.on_gpu();
  const int decimals = gpu ? 3 : 2;
  std::vector<TextCell> cells = {name, std::to_string(level.nodes), std::to_string(level.samples),
                                 fixed(level.seconds, decimals)};
  for (const train::StageName& stage : stages_of(report))
    cells.emplace_back(fixed(wall_seconds(level.stages.*stage.seconds, report), decimals));
  if (gpu) {
    cells.emplace_back(fixed(level.seconds > 0 ? 100 * level.stages.sum() / level.seconds : 0, 0) + " %");
    cells.emplace_back(fixed(rate(level.responses, level.seconds) / 1e9, 1));
  } else {
    cells.emplace_back(fixed(rate_per_thread(report, level.responses, level.seconds) / 1e6, 1));
  }
  table.row(cells);
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

/// The forests used to train a next stage and not kept, with the seconds of growing since a resume. Null without
/// context stages.
Json cross_fitting_json(const TrainReport& report, const forest::Forest& forest) {
  if (forest.num_stages() == 1) return nullptr;
  const Json options = Json::parse(forest.options_json);
  const int forests = static_cast<int>(forest.num_stages() - 1) * options.value("folds", 0);
  double seconds = 0;
  for (const LevelReport& level : report.levels)
    if (level.fold) seconds += level.seconds;
  return {{"forests", forests}, {"trees", forests * options.value("trees", 0)}, {"seconds", seconds}};
}

/// A row for each tree that is kept, "stage.tree" for context stages, and one for the time of cross-fitting.
std::string tree_rows(const TrainReport& report, const forest::Forest& forest) {
  TextTable table({left("tree", 6), right("nodes", 10), right("leaves", 10), right("depth", 7), right("seconds", 10)});
  const Json trees = trees_json(report, forest);
  std::size_t first = 0;
  for (std::size_t stage = 0; stage < forest.num_stages(); first += forest.stage(stage++).size())
    add_first_and_last(table, forest.stage(stage).size(), "trees", [&](std::size_t k) {
      const Json& tree = trees[first + k];
      table.row({(forest.num_stages() > 1 ? std::to_string(stage + 1) + "." : "") + std::to_string(k + 1),
                 json_text(tree["nodes"]), json_text(tree["leaves"]), json_text(tree["depth"]),
                 seconds_text(tree["seconds"])});
    });
  if (const Json folds = cross_fitting_json(report, forest); !folds.is_null())
    table.line(json_text(folds["forests"]) + " forests for cross-fitting: " + json_text(folds["trees"]) + " trees, " +
               seconds_text(folds["seconds"]) + " s");
  return table.text();
}

/// Out-of-bag accuracy, and whether it stopped the addition of trees.
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
                     forest.labelling_trees().size(), most, options.value("early_stopping_rounds", 0));
}

std::string way_of_counts(const train::GpuLinks& links) {
  if (!links.asked()) return "";
  return "; GPUs added up their counts " +
         (links.by.empty() ? "through memory of the machines (" + links.problem + ")" : "by " + links.by);
}

std::string rank_lines(const TrainReport& report) {
  if (report.ranks.empty()) return "";
  const auto [least, most] = std::ranges::minmax(report.ranks, {}, &train::RankReport::waiting_share);
  std::uint64_t sent = 0;
  for (const train::RankReport& rank : report.ranks) sent += rank.bytes_sent;
  return facts({{"ranks", format_text("%zu, which divided %s; each exchanged for %.1f to %.1f %% of the time, ",
                                      report.ranks.size(), report.parallel.c_str(), 100 * least.waiting_share(),
                                      100 * most.waiting_share()) +
                              format_bytes(sent) + " in all" + way_of_counts(report.gpu_links)}},
               8);
}

std::string device_lines(const TrainReport& report) {
  if (!report.on_gpu())
    return facts(
        {{"device", report.device_note.empty() ? "" : "on the CPU: " + report.device_note},
         {"speed", format_text("%.0f million responses per second and thread, ",
                               rate_per_thread(report, report.responses(), report.seconds_growing) / 1e6) +
                       counted(static_cast<std::uint64_t>(report.threads), "thread") + ", " + report.instruction_set}},
        8);
  const GpuReport& gpu = report.gpu;
  const std::string held = format_text("%zu of %zu frames held on the GPU, %.1f %% found there, ",
                                       std::min(gpu.frame_slots, report.frames), report.frames, 100 * gpu.hit_rate());
  return facts(
      {{"device", report.device + ", " + gpu.name + "; " + format_bytes(gpu.memory_bytes) + " of its memory taken"},
       {"cache", held + format_bytes(gpu.uploaded_bytes) + " brought to it"},
       {"speed", format_text("%.1f G responses per second, GPU busy for %.0f %% of growing",
                             rate(report.responses(), report.seconds_growing) / 1e9, 100 * gpu_busy_share(report))}},
      8);
}

Json stages_json(const StageSeconds& stages) {
  Json json;
  for (const train::StageName& stage : train::kStageNames) json[stage.key] = stages.*stage.seconds;
  return json;
}

Json gpu_json(const TrainReport& report) {
  if (!report.on_gpu()) return nullptr;
  const GpuReport& gpu = report.gpu;
  return {{"name", gpu.name},
          {"frame_slots", gpu.frame_slots},
          {"hits", gpu.hits},
          {"misses", gpu.misses},
          {"uploaded_bytes", gpu.uploaded_bytes},
          {"memory_bytes", gpu.memory_bytes},
          {"response_bytes", gpu.response_bytes},
          {"hit_rate", gpu.hit_rate()},
          {"busy_share", gpu_busy_share(report)}};
}

Json level_json(const LevelReport& level) {
  return {{"tree", level.tree},
          {"level", level.level},
          {"nodes", level.nodes},
          {"samples", level.samples},
          {"responses", level.responses},
          {"seconds", level.seconds},
          {"stage_seconds", stages_json(level.stages)},
          {"stage", level.stage},
          {"fold", or_null(level.fold)}};
}

Json links_json(const train::GpuLinks& links) {
  if (!links.asked()) return nullptr;
  return {{"by", or_null(links.by)}, {"problem", or_null(links.problem)}};
}

Json ranks_json(const TrainReport& report) {
  if (report.ranks.empty()) return nullptr;
  Json json = Json::array();
  for (const train::RankReport& rank : report.ranks)
    json.push_back({{"seconds", rank.seconds},
                    {"seconds_exchanging", rank.seconds_exchanging},
                    {"waiting_share", rank.waiting_share()},
                    {"bytes_sent", rank.bytes_sent}});
  return json;
}

Json out_of_bag_json(const OutOfBagReport& report) {
  return {{"tree", report.tree},
          {"pixel_accuracy", report.accuracy.pixel},
          {"class_accuracy", report.accuracy.class_average},
          {"pixels", report.pixels},
          {"rise", or_null(report.rise)}};
}

constexpr std::size_t kScoresWidth = 44;

std::vector<TextCell> scores_row(const std::string& name, const tune::LabelScores& scores) {
  return {name, percent(scores.pixel), percent(scores.class_average), percent(scores.mean_iou)};
}

Json scores_json(const tune::LabelScores& scores) {
  return {{"pixel_accuracy", scores.pixel}, {"class_accuracy", scores.class_average}, {"mean_iou", scores.mean_iou}};
}

Json weighed_json(const tune::WeighedLabels& labels) {
  return {{"weights", or_null(labels.weights)},
          {"before", scores_json(labels.before)},
          {"after", scores_json(labels.after)}};
}

/// The metric on held-out frames with and without the weights, and the weights.
std::string optimized_lines(const tune::OptimizeReport& optimized, const forest::Forest& forest) {
  TextTable table({left("labels of the " + counted(optimized.frames_left_out, "frame") + " left out", kScoresWidth),
                   right("pixel %", 8), right("class %", 8), right("IoU %", 8)});
  const std::string smooth = "--smooth " + std::to_string(optimized.smooth_px);
  table.row(scores_row("equal weights", optimized.plain.before));
  table.row(scores_row("weights", optimized.plain.after));
  table.row(scores_row("equal weights, " + smooth, optimized.smoothed.before));
  table.row(scores_row("weights, " + smooth, optimized.smoothed.after));
  const auto weights = [&](const tune::WeighedLabels& labels) {
    return labels.weights.empty() ? "equal: others gained nothing"
                                  : named_numbers(forest.classes.names(), labels.weights);
  };
  return "\n" + table.text() +
         facts({{"weights", weights(optimized.plain)}, {"smoothed", weights(optimized.smoothed)}}, 9);
}

Json optimized_json(const tune::OptimizeReport& optimized) {
  return {{"goal", to_string(optimized.goal)},
          {"frames", optimized.frames},
          {"frames_left_out", optimized.frames_left_out},
          {"pixels", optimized.pixels},
          {"seconds_growing", optimized.seconds_growing},
          {"seconds_choosing", optimized.seconds_choosing},
          {"plain", weighed_json(optimized.plain)},
          {"smoothed", weighed_json(optimized.smoothed)},
          {"smooth", optimized.smooth_px}};
}

}  // namespace

std::string training_table(const TrainReport& report, const forest::Forest& forest,
                           const tune::OptimizeReport* optimized) {
  const double seconds = report.seconds_loading + report.seconds_sampling + report.seconds_growing +
                         report.seconds_context + report.seconds_out_of_bag +
                         (optimized ? optimized->seconds_growing + optimized->seconds_choosing : 0);
  std::string time = seconds_text(seconds) + " s: loading " + seconds_text(report.seconds_loading) + ", sampling " +
                     seconds_text(report.seconds_sampling) + ", growing " + seconds_text(report.seconds_growing);
  if (forest.num_stages() > 1) time += ", context " + seconds_text(report.seconds_context);
  if (optimized) time += ", class weights " + seconds_text(optimized->seconds_growing + optimized->seconds_choosing);
  if (!report.out_of_bag.empty()) time += ", out of bag " + seconds_text(report.seconds_out_of_bag);
  return tree_rows(report, forest) + "\n" +
         facts({{"frames", format_text("%zu (%zu kept in memory, ", report.frames, report.frames_kept) +
                               format_bytes(report.frame_bytes) + ")"},
                {"samples", std::to_string(report.samples)},
                {"time", time},
                {"weights", named_numbers(forest.classes.names(), forest.leaves.class_weights)}},
               8) +
         (report.cameras.empty() ? "" : facts({{"camera", report.cameras}}, 8)) + device_lines(report) +
         rank_lines(report) + out_of_bag_lines(report, forest) + (optimized ? optimized_lines(*optimized, forest) : "");
}

std::string stage_table(const TrainReport& report) {
  std::vector<TextColumn> columns = {right("level", 5), right("nodes", 9), right("samples", 10), right("seconds", 8)};
  for (const train::StageName& stage : stages_of(report)) columns.push_back(right(stage.column, 8));
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
  return format_text("feature response       %.1f G per second: %.0f %% of the %.0f for which this GPU's\n",
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

std::string training_json(const TrainReport& report, const forest::Forest& forest,
                          const tune::OptimizeReport* optimized) {
  const double per_thread = rate_per_thread(report, report.responses(), report.seconds_growing);
  Json json = {{"seconds_loading", report.seconds_loading},
               {"seconds_sampling", report.seconds_sampling},
               {"seconds_growing", report.seconds_growing},
               {"seconds_context", report.seconds_context},
               {"seconds_out_of_bag", report.seconds_out_of_bag},
               {"samples", report.samples},
               {"frames", report.frames},
               {"frames_kept", report.frames_kept},
               {"frames_decoded", report.frames_decoded},
               {"frame_bytes", report.frame_bytes},
               {"threads", report.threads},
               {"device", report.device},
               {"device_note", report.device_note},
               {"cameras", report.cameras},
               {"instruction_set", report.instruction_set},
               {"warnings", texts_of(report.warnings)},
               {"schema_version", 1},
               {"responses", report.responses()},
               {"responses_per_second", rate(report.responses(), report.seconds_growing)},
               {"responses_per_second_and_thread", report.on_gpu() ? Json() : Json(per_thread)},
               {"stage_clock", report.on_gpu() ? "gpu" : "threads"},
               {"gpu", gpu_json(report)},
               {"stage_seconds", stages_json(report.stages())},
               {"options", Json::parse(forest.options_json)},
               {"provenance", Json::parse(forest.provenance_json)},
               {"class_weights", or_null(forest.leaves.class_weights)},
               {"levels", Json::array()},
               {"trees", trees_json(report, forest)},
               {"cross_fitting", cross_fitting_json(report, forest)},
               {"optimized", optimized ? optimized_json(*optimized) : Json()},
               {"parallel", report.parallel.empty() ? Json() : Json(report.parallel)},
               {"gpu_links", links_json(report.gpu_links)},
               {"ranks", ranks_json(report)},
               {"out_of_bag", Json::array()}};
  for (const LevelReport& level : report.levels) json["levels"].push_back(level_json(level));
  for (const OutOfBagReport& after_tree : report.out_of_bag) json["out_of_bag"].push_back(out_of_bag_json(after_tree));
  return dump(json);
}

}  // namespace fernwood::report
