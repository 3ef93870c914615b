// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/train/report.h"
#include "train/report_fields.h"

namespace fernwood::train {

namespace {

using Json = nlohmann::json;

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

std::filesystem::path train_report_path(const std::filesystem::path& model) { return model.string() + ".report.json"; }

TrainReport read_train_report(const std::filesystem::path& path, const forest::Forest& forest) {
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

}  // namespace fernwood::train
