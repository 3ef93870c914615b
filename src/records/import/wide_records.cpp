// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/wide_records.h"

#include <algorithm>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "records/import/source_model.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kMostRanks = std::size_t{1} << 24;  ///< Floats tell apart.
constexpr std::size_t kRankedAtOnce = 4096;               ///< Records.

std::vector<std::vector<double>> thresholds_of(const SourceModel& model, const ErrorContext& place) {
  std::vector<std::vector<double>> thresholds(model.num_attributes);
  for (const SourceTree& tree : model.trees)
    for (const SourceNode& node : tree.nodes)
      if (!node.is_leaf() && node.attribute < thresholds.size())
        thresholds[node.attribute].push_back(node.wide_threshold);
  for (std::vector<double>& of_one : thresholds) {
    std::ranges::sort(of_one);
    of_one.erase(std::unique(of_one.begin(), of_one.end()), of_one.end());
    FW_CHECK(of_one.size() < kMostRanks, Model,
             place.file << ": has " << of_one.size() << " thresholds of an attribute; fewer than " << kMostRanks
                        << " are possible");
  }
  return thresholds;
}

/// Thresholds below a value, without branches. @param value  No NaN.
std::size_t count_below(const std::vector<double>& thresholds, double value) {
  const double* first = thresholds.data();
  std::size_t left = thresholds.size();
  while (left > 1) {
    const std::size_t half = left / 2;
    first += first[half - 1] < value ? half : 0;
    left -= half;
  }
  return static_cast<std::size_t>(first - thresholds.data()) + (left == 1 && *first < value ? 1 : 0);
}

}  // namespace

WideForest import_wide_text(std::string_view text, const std::string& name, const ImportOptions& options) {
  const DefaultFloats floats;
  const ErrorContext place = {name, "; the model is damaged or of a version that is not known: save it again", "model"};
  SourceModel model = read_lightgbm(text, place);
  WideForest wide;
  wide.thresholds = thresholds_of(model, place);
  for (SourceTree& tree : model.trees)
    for (SourceNode& node : tree.nodes) {
      if (node.is_leaf() || node.attribute >= wide.thresholds.size()) continue;  // the latter is refused below
      const std::vector<double>& known = wide.thresholds[node.attribute];
      const auto found = std::ranges::lower_bound(known, node.wide_threshold);
      node.test = {static_cast<float>(found - known.begin()), false};
    }
  wide.forest = finish_import(model, ModelSource::kLightgbm, checksum(text.data(), text.size()), options, place);
  return wide;
}

void rank_records(const WideForest& wide, const WideView& records, ThreadPool& pool, float* ranks) {
  const DefaultFloats floats;
  FW_CHECK(records.num_attributes == wide.thresholds.size(), Data,
           "the records have " << records.num_attributes << " attributes, and the model asks for "
                               << wide.thresholds.size() << "; give records of the same kind");
  const std::size_t num_blocks = (records.num_records + kRankedAtOnce - 1) / kRankedAtOnce;
  const auto rank_block = [&](std::size_t block, int) {
    const std::size_t begin = block * kRankedAtOnce, end = std::min(begin + kRankedAtOnce, records.num_records);
    for (std::size_t a = 0; a < records.num_attributes; ++a) {
      const double* column = records.data + static_cast<std::ptrdiff_t>(a) * records.attribute_step;
      float* const out = ranks + a * records.num_records;
      for (std::size_t i = begin; i < end; ++i) {
        const double value = column[static_cast<std::ptrdiff_t>(i) * records.record_step];
        out[i] = value != value ? not_a_number() : static_cast<float>(count_below(wide.thresholds[a], value));
      }
    }
  };
  if (num_blocks == 1)
    rank_block(0, 0);
  else
    pool.for_each(num_blocks, rank_block);
}

}  // namespace fernwood::records
