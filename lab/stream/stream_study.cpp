// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/stream_study.h"

#include <algorithm>
#include <memory>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/model_format.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/train_records.h"
#include "lab/records/timing.h"
#include "shell/interrupt.h"
#include "stream/grow/stream_rounds.h"

namespace fernwood::lab {

namespace fs = std::filesystem;

namespace {

fs::path part_of_pair(const fs::path& folder, const std::string& name, const char* part) {
  return folder / (name + "." + part + ".libsvm");
}

}  // namespace

void check_study_folder(const fs::path& folder) {
  std::error_code ignored;
  FW_CHECK(fs::is_directory(folder, ignored), Runtime,
           folder.string() << " is not a folder; use one with files NAME.train.libsvm and NAME.test.libsvm");
}

bool has_pair(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  return fs::exists(part_of_pair(folder, name, "train"), ignored) &&
         fs::exists(part_of_pair(folder, name, "test"), ignored);
}

RecordPair read_pair(const fs::path& folder, const std::string& name) {
  ThreadPool pool;
  records::TableOptions options;
  options.needs_class = true;
  RecordPair pair{name, records::read_table(part_of_pair(folder, name, "train"), options, pool), {}};
  options.attributes = pair.train.attributes;
  options.classes = pair.train.classes;
  pair.test = records::read_table(part_of_pair(folder, name, "test"), options, pool);
  return pair;
}

records::RecordTable picked_records(const records::RecordTable& table, std::span<const std::size_t> numbers) {
  const std::size_t width = table.values.cols();
  records::RecordTable picked{table.attributes, table.classes, Array2<float>(numbers.size(), width), {}};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::copy_n(table.values.row(numbers[i]), width, picked.values.row(i));
    picked.labels.push_back(table.labels[numbers[i]]);
  }
  return picked;
}

double accuracy_on(const records::RecordForest& forest, const records::RecordTable& test) {
  const std::vector<std::int32_t> found = serial_classes(forest, test.view());
  std::size_t right = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    // Classes of a stream are in their order of appearance, so names are compared.
    const std::string& expected = test.classes[static_cast<std::size_t>(test.labels[i])];
    right += forest.classes[static_cast<std::size_t>(found[i])] == expected;
  }
  return static_cast<double>(right) / static_cast<double>(found.size());
}

double majority_accuracy(const records::RecordTable& train, const records::RecordTable& test) {
  std::vector<std::size_t> counts(train.classes.size());
  for (const std::int32_t label : train.labels) ++counts[static_cast<std::size_t>(label)];
  const auto most = static_cast<std::int32_t>(std::ranges::max_element(counts) - counts.begin());
  return static_cast<double>(std::ranges::count(test.labels, most)) / static_cast<double>(test.labels.size());
}

GrownTree grow_tree(const records::RecordTable& table, const stream::StreamOptions& options,
                    const stream::StreamWork& work, int workers, int ranks, const stream::LeafSketchMaker& sketches) {
  GrownTree grown;
  run_as_ranks(ranks, [&](Communicator& communicator) {
    ThreadPool pool(workers);
    std::unique_ptr<stream::RecordSource> source;
    if (communicator.rank() == 0) source = stream::make_table_source("records in memory", table);
    stream::StreamReport report;
    records::RecordForest forest = stream::train_stream_with(
        sketches, source.get(), options, work, pool, communicator,
        [](const stream::StreamProgress&) { apps::throw_if_interrupted(); }, &report);
    if (communicator.rank() == 0) grown = {std::move(forest), report};
  });
  return grown;
}

GrownTree median_tree(std::vector<GrownTree> trees) {
  std::ranges::sort(trees, {}, [](const GrownTree& tree) { return tree.report.times.total_s; });
  return std::move(trees[trees.size() / 2]);
}

GrownTree grow_median_tree(const records::RecordTable& table, const stream::StreamOptions& options,
                           const stream::StreamWork& work, int workers, int repeats) {
  std::vector<GrownTree> trees;
  for (int run = 0; run < repeats; ++run) trees.push_back(grow_tree(table, options, work, workers));
  return median_tree(std::move(trees));
}

records::RecordForest exact_tree(const records::RecordTable& table, const stream::StreamOptions& limits, int workers) {
  ThreadPool pool(workers);
  records::RecordTrainOptions options;
  options.trees = 1;
  options.max_depth = limits.max_depth;
  options.max_leaves = limits.max_leaves;
  options.min_samples = limits.min_samples;
  options.min_leaf_samples = limits.min_leaf_samples;
  options.criterion = limits.criterion;
  return records::train_records(table, options, pool, [](std::size_t, std::size_t) { apps::throw_if_interrupted(); });
}

std::string tree_hash(const records::RecordForest& forest) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "tree.fernwood";
  records::save_records(forest, file);
  return model_checksum(file);
}

nlohmann::ordered_json times_json(const stream::StreamTimes& times) {
  return {{"total", times.total_s},   {"read", times.read_s},   {"navigate", times.navigate_s},
          {"update", times.update_s}, {"merge", times.merge_s}, {"communicate", times.communicate_s},
          {"gain", times.gain_s}};
}

}  // namespace fernwood::lab
