// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/choice_memory.h"

#include <nlohmann/json.hpp>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/text.h"

namespace fernwood::records {

using nlohmann::json;

namespace {

constexpr std::size_t kMostRemembered = 1000;

std::filesystem::path memory_path() {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / "strategies.json";
}

/// All that is remembered; an empty object when there is nothing that can be read.
json read_memory() {
  try {
    const std::filesystem::path path = memory_path();
    if (path.empty() || !std::filesystem::exists(path)) return json::object();
    const std::vector<std::uint8_t> bytes = read_file(path);
    json memory = json::parse(bytes.begin(), bytes.end(), nullptr, false);
    return memory.is_object() ? memory : json::object();
  } catch (const Error&) {
    return json::object();
  }
}

std::string text_at(const json& choice, const char* key) {
  const auto found = choice.find(key);
  return found != choice.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string checksum_of(const RecordForest& forest) {
  std::string sums =
      to_string(forest.link) + std::to_string(forest.classes.size()) + " " + std::to_string(forest.attributes.size());
  for (const RecordTree& tree : forest.trees) {
    sums += to_hex(checksum(tree.nodes.data(), tree.nodes.size() * sizeof(RecordNode)));
    sums += to_hex(checksum(tree.leaf_values.data(), tree.leaf_values.size() * sizeof(std::int32_t)));
  }
  return to_hex(checksum(sums.data(), sums.size()));
}

}  // namespace

std::string choice_key(const StrategyRequest& request, int batch_class) {
  return checksum_of(request.model->forest) + "|" + device_name(request.device) + "|" +
         std::to_string(ThreadPool(request.threads).num_threads()) + "|" + std::to_string(batch_class) + "|" +
         build_info().version;
}

bool recall_choice(const std::string& key, const StrategyRequest& request, TuningReport& report) {
  const json memory = read_memory();
  const auto found = memory.find(key);
  if (found == memory.end() || !found->is_object()) return false;
  const std::string name = text_at(*found, "strategy"), values = text_at(*found, "values");
  for (const Strategy& strategy : strategy_table())
    for (const Values each : kValues)
      if (strategy.info.name == name && to_string(each) == values &&
          obstacle_of(strategy, *request.model, each, request.device).empty()) {
        report.strategy = name;
        report.values = each;
        report.device = request.device;
        report.remembered = true;
        return true;
      }
  return false;
}

void remember_choice(const std::string& key, const TuningReport& report) {
  const std::filesystem::path path = memory_path();
  if (path.empty()) return;
  json memory = read_memory();
  if (memory.size() >= kMostRemembered) memory = json::object();
  memory[key] = {{"strategy", report.strategy}, {"values", to_string(report.values)}};
  try {
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    write_file_atomically(path, [&](std::ostream& out) { out << memory.dump(1) << "\n"; });
  } catch (const Error&) {
    // The next run tunes again.
  }
}

}  // namespace fernwood::records
