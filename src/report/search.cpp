// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/search.h"

#include <nlohmann/json.hpp>

#include "fernwood/core/text.h"
#include "fernwood/report/format.h"

namespace fernwood::report {

std::string search_table(const search::ForestSearch& found, bool) {
  const auto line = [&](const char* name, const search::HeldOut& held) {
    return format_text("%-10s %5.1f / %5.1f   %6.2f ms a frame\n", name, 100 * held.accuracy.pixel,
                       100 * held.accuracy.class_average, held.frame_ms);
  };
  std::string text = line("winner", found.winner) + line("defaults", found.defaults);
  text += format_text("race loss %.4f (%.4f to %.4f), %zu trials, %zu trainings, %zu saved, %.1f s\n", found.race.loss,
                      found.race.loss_low, found.race.loss_high, found.race.trials.size(), found.race.units,
                      found.race.units_saved, found.race.seconds);
  return text + search::winner_config(found);
}

std::string search_json(const search::ForestSearch& found) {
  return nlohmann::json{{"schema", 1}, {"data", found.data_folder}}.dump(2) + "\n";
}

std::string search_page(const search::ForestSearch& found) { return search_table(found, false); }

}  // namespace fernwood::report
