// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "fernwood/records/table_reader.h"
#include "lab/commands.h"
#include "lab/records/one_tree_study.h"
#include "lab/records/timing.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::lab {

namespace {

struct OneTreeArguments {
  OneTreeOptions options;
  std::vector<std::filesystem::path> data;
  bool json = false;

  void add_to(CLI::App& command) {
    command.add_option("--data", data, "Tables (UCI image segmentation); without: records like those")
        ->option_text("FILE...");
    apps::add_table(command, options);
    apps::add_table(command, options.timing, {"threads"});
    apps::add_json_flag(command, json);
  }
};

/// All records of the files, which must have the same attributes and classes.
records::RecordTable read_all(const std::vector<std::filesystem::path>& files, ThreadPool& pool) {
  if (files.empty()) return segment_like_table();
  records::TableOptions options;
  options.needs_class = true;
  records::RecordTable all = records::read_table(files[0], options, pool);
  options.attributes = all.attributes;
  options.classes = all.classes;
  for (std::size_t i = 1; i < files.size(); ++i) {
    const records::RecordTable more = records::read_table(files[i], options, pool);
    Array2<float> values(all.values.rows() + more.values.rows(), all.values.cols());
    std::copy(more.values.begin(), more.values.end(), std::copy(all.values.begin(), all.values.end(), values.begin()));
    all.values = std::move(values);
    all.labels.insert(all.labels.end(), more.labels.begin(), more.labels.end());
  }
  return all;
}

void run(const OneTreeArguments& arguments) {
  arguments.options.timing.check();
  check_options(OneTreeOptions::table(), arguments.options);
  arguments.options.timing.chosen_device();
  ThreadPool pool;
  const records::RecordTable table = read_all(arguments.data, pool);
  apps::ProgressBar bar;
  const OneTreeStudy study = run_one_tree_study(table, arguments.options, pool, bar.counter("timing"));
  bar.clear();
  if (arguments.json)
    std::cout << apps::json_result(one_tree_study_json(study));
  else
    std::cout << one_tree_study_text(study);
}

constexpr std::array kOneTreeRows = {
    option<&OneTreeOptions::leaves>("leaves", "Leaves of the tree").in(at_least(2)),
};

}  // namespace

OptionTable<OneTreeOptions> OneTreeOptions::table() { return kOneTreeRows; }

void add_one_tree_command(CLI::App& bench) {
  apps::add_command<OneTreeArguments>(
      bench, {.name = "one-tree",
              .summary = "One tree on 65,536 records, by one core and a device: table 1 of J. Spencer's paper",
              .example = "fernwood-lab one-tree --data segment.train.libsvm segment.test.libsvm --device cuda",
              .run = run});
}

}  // namespace fernwood::lab
