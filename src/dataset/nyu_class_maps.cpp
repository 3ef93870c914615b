// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/nyu_class_maps.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>

#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

/// A line of labels.csv: label, name, class4, class13, class40.
using LabelRow = std::array<std::string_view, 5>;

std::vector<LabelRow> label_rows() {
  std::vector<LabelRow> rows;
  std::string_view rest = kNyuLabelsCsv.substr(kNyuLabelsCsv.find('\n') + 1);  // after the heading
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    std::string_view line = rest.substr(0, end);
    for (std::string_view& cell : rows.emplace_back()) {
      cell = line.substr(0, line.find(','));
      line.remove_prefix(std::min(cell.size() + 1, line.size()));
    }
    rest.remove_prefix(end + 1);
  }
  return rows;
}

std::vector<image::ClassInfo> parse_classes(std::string_view text) {
  std::vector<image::ClassInfo> classes;
  const toml::table table = toml::parse(text);
  for (const toml::node& entry : *table["classes"].as_array()) {
    const toml::table& info = *entry.as_table();
    const auto part = [&](std::size_t i) { return static_cast<std::uint8_t>(info["color"][i].value_or(0)); };
    classes.push_back({info["name"].value_or(std::string()), {part(0), part(1), part(2)}});
  }
  return classes;
}

struct Source {
  int num_classes;
  std::size_t csv_column;
  const std::string_view* toml;
};
constexpr std::array<Source, 3> kSources = {
    {{4, 2, &kNyuClasses4Toml}, {13, 3, &kNyuClasses13Toml}, {40, 4, &kNyuClasses40Toml}}};

}  // namespace

std::vector<std::string> nyu_class_counts() {
  std::vector<std::string> counts;
  for (const Source& source : kSources) counts.push_back(std::to_string(source.num_classes));
  return counts;
}

NyuClasses nyu_classes(int num_classes) {
  const Source& source = kSources[find_name("classes", std::to_string(num_classes), nyu_class_counts())];
  NyuClasses result{parse_classes(*source.toml), *source.toml, {}};
  std::unordered_map<std::string_view, std::uint16_t> index_of;
  for (const image::ClassInfo& info : result.classes)
    index_of.emplace(info.name, static_cast<std::uint16_t>(index_of.size()));
  for (const LabelRow& row : label_rows()) result.class_of_label.emplace(row[1], index_of.at(row[source.csv_column]));
  return result;
}

std::vector<std::string> nyu_label_names() {
  std::vector<std::string> names;
  for (const LabelRow& row : label_rows()) names.emplace_back(row[1]);
  return names;
}

}  // namespace fernwood::dataset
