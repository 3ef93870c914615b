// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// A training as JSON, written and read by one list of its fields.

#include <algorithm>
#include <concepts>
#include <limits>
#include <type_traits>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "report/json.h"
#include "report/training.h"

namespace fernwood::report {

using train::GpuReport, train::LevelReport, train::OutOfBagReport, train::StageSeconds, train::TrainReport;

namespace {

constexpr const char* kGpuKey = "gpu";
constexpr const char* kLevelsKey = "levels";
constexpr const char* kStageSecondsKey = "stage_seconds";
constexpr const char* kOptionsKey = "options";
constexpr const char* kProvenanceKey = "provenance";

// visit_fields() calls visit(key, member) for each plain member.

/// T or const T.
template <typename Owner, typename T>
concept Holds = std::same_as<std::remove_const_t<Owner>, T>;

void visit_fields(Holds<StageSeconds> auto& stages, const auto& visit) {
  visit("probe", stages.probe);
  visit("respond", stages.respond);
  visit("bin", stages.bin);
  visit("aggregate", stages.aggregate);
  visit("score", stages.score);
  visit("split", stages.split);
}

/// All but the seconds of the stages of growing, and the stage and fold.
void visit_fields(Holds<LevelReport> auto& level, const auto& visit) {
  visit("tree", level.tree);
  visit("level", level.level);
  visit("nodes", level.nodes);
  visit("samples", level.samples);
  visit("responses", level.responses);
  visit("seconds", level.seconds);
}

void visit_fields(Holds<GpuReport> auto& gpu, const auto& visit) {
  visit("name", gpu.name);
  visit("frame_slots", gpu.frame_slots);
  visit("hits", gpu.hits);
  visit("misses", gpu.misses);
  visit("uploaded_bytes", gpu.uploaded_bytes);
  visit("memory_bytes", gpu.memory_bytes);
  visit("response_bytes", gpu.response_bytes);
}

/// All but the GPU, the levels and what is out of bag.
void visit_fields(Holds<TrainReport> auto& report, const auto& visit) {
  visit("seconds_loading", report.seconds_loading);
  visit("seconds_sampling", report.seconds_sampling);
  visit("seconds_growing", report.seconds_growing);
  visit("seconds_context", report.seconds_context);
  visit("seconds_out_of_bag", report.seconds_out_of_bag);
  visit("samples", report.samples);
  visit("frames", report.frames);
  visit("frames_kept", report.frames_kept);
  visit("frames_decoded", report.frames_decoded);
  visit("frame_bytes", report.frame_bytes);
  visit("threads", report.threads);
  visit("device", report.device);
  visit("device_note", report.device_note);
  visit("instruction_set", report.instruction_set);
  visit("warnings", report.warnings);
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
  json["fold"] = or_null(level.fold);
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
          {"rise", or_null(report.rise)}};
}

constexpr int kMostLevels = 65;  // of TrainOptions::max_depth, and the root's

/// That a number is none of a report; told as damage, with what JSON itself finds.
struct BadNumber {
  const char* key;
};

template <typename Number>
requires std::is_arithmetic_v<Number>
void read_field(const Json& json, const char* key, Number& number) {
  // Whole numbers up to this are exact as a double.
  constexpr double kMost = std::is_same_v<Number, int> ? std::numeric_limits<int>::max() : 9e15;
  const double value = json.at(key).get<double>();
  if (!(value >= 0 && value <= kMost)) throw BadNumber{key};
  number = static_cast<Number>(value);
}

void read_field(const Json& json, const char* key, auto& text) { json.at(key).get_to(text); }

void read_fields(const Json& json, auto& owner) {
  visit_fields(owner, [&](const char* key, auto& field) { read_field(json, key, field); });
}

TrainReport report_from(const Json& json) {
  TrainReport report;
  read_fields(json, report);
  if (!json.at(kGpuKey).is_null()) read_fields(json.at(kGpuKey), report.gpu);
  for (const Json& item : json.at(kLevelsKey).get_ref<const Json::array_t&>()) {
    LevelReport& level = report.levels.emplace_back();
    read_fields(item, level);
    read_fields(item.at(kStageSecondsKey), level.stages);
    if (level.level >= kMostLevels) throw BadNumber{"level"};
    // Reports of earlier versions do not tell trees of stages apart.
    if (item.contains("stage")) read_field(item, "stage", level.stage);
    if (item.contains("fold") && !item.at("fold").is_null()) read_field(item, "fold", level.fold.emplace());
  }
  return report;
}

bool tells_of(const Json& json, const forest::Forest& forest) {
  return json.at(kOptionsKey) == Json::parse(forest.options_json) &&
         json.at(kProvenanceKey) == Json::parse(forest.provenance_json);
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw Error(ErrorKind::kData,
              path.string() + ": is no whole report of fernwood train (" + problem + "); train again, or remove it");
}

}  // namespace

std::string training_json(const TrainReport& report, const forest::Forest& forest) {
  Json json = fields_json(report);
  json["schema_version"] = 1;
  json["responses"] = report.responses();
  json["responses_per_second"] = rate(report.responses(), report.seconds_growing);
  json["responses_per_second_and_thread"] =
      report.on_gpu() ? Json() : Json(rate_per_thread(report, report.responses(), report.seconds_growing));
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
  return dump(json);
}

std::filesystem::path training_json_path(const std::filesystem::path& model) { return model.string() + ".report.json"; }

TrainReport read_training_json(const std::filesystem::path& path, const forest::Forest& forest) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  try {
    const Json json = Json::parse(bytes.begin(), bytes.end());
    const TrainReport report = report_from(json);
    FW_CHECK(tells_of(json, forest), Data,
             path.string() << ": tells of another training than the model's, whose options or data differ; train "
                              "again, or remove it");
    return report;
  } catch (const Json::parse_error& error) {
    fail(path, "it is not JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception&) {
    fail(path, "a value is missing or of another kind");
  } catch (const BadNumber& bad) {
    fail(path, std::string(bad.key) + " is out of its range");
  }
}

}  // namespace fernwood::report
