// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/shell/console.h"
#include "apps/shell/json_result.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/records/table_reader.h"
#include "lab/commands.h"
#include "lab/records/one_tree_study.h"
#include "lab/records/timing.h"

namespace fernwood::lab {

namespace {

struct OneTreeArguments {
  OneTreeOptions options;
  std::vector<std::filesystem::path> data;
  std::string device = "auto";
  bool json = false;
};

/// All records of the files, which have the same attributes and classes.
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

void run(OneTreeArguments arguments) {
  require_option(arguments.options.repeat >= 1, "repeat", arguments.options.repeat, "give 1 or more");
  require_option(arguments.options.leaves >= 2, "leaves", arguments.options.leaves, "give 2 or more");
  arguments.options.device = choose_device(arguments.device).device;
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

}  // namespace

void add_one_tree_command(CLI::App& bench) {
  auto arguments = std::make_shared<OneTreeArguments>();
  CLI::App* command =
      bench.add_subcommand("one-tree", "One tree on 65,536 records: table 1 of J. Spencer's paper")->fallthrough();
  command->add_option("--data", arguments->data, "Tables (UCI image segmentation); without: records like those")
      ->option_text("FILE...");
  command->add_option("--leaves", arguments->options.leaves, "Leaves of the tree")->option_text("N (16)");
  command->add_option("--repeat", arguments->options.repeat, "Runs of each")->option_text("N (500)");
  command->add_option("--device", arguments->device, "cpu, cuda, cuda:N or auto: beside one core of the CPU")
      ->option_text("NAME (auto)");
  command->add_flag("--compile", arguments->options.with_compiled, "Also strategies that compile the tree first");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood-lab one-tree --data segment.train.libsvm segment.test.libsvm --device cuda");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::lab
