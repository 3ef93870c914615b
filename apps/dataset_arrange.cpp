// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/import.h"

#include <iostream>
#include <map>
#include <memory>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

struct ArrangeArguments {
  DatasetArguments dataset;
  std::vector<fs::path> folders;
  formats::SplitOptions split;
  std::size_t frames = 0;
  fs::path table, out;
  int threads = 0;
};
using Arguments = std::shared_ptr<ArrangeArguments>;

dataset::Dataset open(const ArrangeArguments& arguments) {
  dataset::Dataset data = open_with_known_truth(arguments.dataset.data, arguments.dataset.options(false), "train");
  warn_of_other_splits(arguments.dataset.data, data);
  return data;
}

void write(const ArrangeArguments& arguments, const formats::ImportPlan& plan, ThreadPool& pool) {
  ProgressBar bar;
  formats::write_import(plan, arguments.out, pool, bar.counter("writing"));
  bar.clear();
  for (const std::string& note : plan.notes) print() << "note: " << note << "\n";
  std::map<std::string, std::size_t> splits;
  for (const formats::ImportedFrame& frame : plan.frames) ++splits[frame.split];
  for (const auto& [split, count] : splits)
    print() << count << (count == 1 ? " frame: " : " frames: ")
            << (split.empty() ? arguments.out : arguments.out / split) << "\n";
}

/// Adds a command that writes a new folder.
template <typename Plan>
CLI::App* add_command(CLI::App& dataset, const Arguments& arguments, const char* name, const char* summary,
                      const std::string& example, Plan plan) {
  CLI::App* command = dataset.add_subcommand(name, summary)->fallthrough();
  command->add_option("--out", arguments->out, "New folder; files are linked, not copied")
      ->required()
      ->option_text("DIR");
  add_threads_option(*command, arguments->threads);
  command->footer("\nExample:\n  fernwood dataset " + example);
  command->callback([arguments, plan] {
    ThreadPool pool(arguments->threads);
    write(*arguments, plan(*arguments, pool), pool);
  });
  return command;
}

void add_split(CLI::App& dataset) {
  const auto arguments = std::make_shared<ArrangeArguments>();
  CLI::App* command = add_command(
      dataset, arguments, "split", "Part a data set into train, test and val, by groups and alike in their classes",
      "split --data rooms --test 0.2 --out parted", [](const ArrangeArguments& given, ThreadPool& pool) {
        given.split.check();  // before anything is read
        return formats::plan_split(open(given), given.split, pool);
      });
  arguments->dataset.add_to(*command);
  add_table(*command, arguments->split);
}

void add_sample(CLI::App& dataset) {
  const auto arguments = std::make_shared<ArrangeArguments>();
  CLI::App* command =
      add_command(dataset, arguments, "sample", "Take some frames, evenly spread",
                  "sample --data rooms --frames 40 --out some", [](const ArrangeArguments& given, ThreadPool& pool) {
                    return formats::plan_sample(open(given), given.frames, pool);
                  });
  arguments->dataset.add_to(*command);
  command->add_option("--frames", arguments->frames, "How many")
      ->required()
      ->option_text("N")
      ->check(check_not_negative);
}

void add_merge(CLI::App& dataset) {
  const auto arguments = std::make_shared<ArrangeArguments>();
  CLI::App* command = add_command(
      dataset, arguments, "merge", "Put the frames of several folders into one; classes of one name are one",
      "merge kitchen/train office/train --out both", [](const ArrangeArguments& given, ThreadPool& pool) {
        dataset::DatasetOptions options;
        options.needs_truth = false;
        std::vector<dataset::Dataset> all;
        for (const fs::path& folder : given.folders) {
          all.push_back(open_with_known_truth(folder, options, "train"));
          warn_of_other_splits(folder, all.back());
        }
        return formats::plan_merge(all, pool);
      });
  command->add_option("folders", arguments->folders, "Folders of frames")->required()->option_text("DIR...");
}

void add_remap(CLI::App& dataset) {
  const auto arguments = std::make_shared<ArrangeArguments>();
  CLI::App* command = add_command(
      dataset, arguments, "remap", "Rename and merge classes", "remap --data rooms --map seats.csv --out seats",
      [](const ArrangeArguments& given, ThreadPool& pool) {
        return formats::plan_remap(open(given), formats::read_class_table(given.table), pool);
      });
  arguments->dataset.add_to(*command);
  command
      ->add_option("--map", arguments->table,
                   "Old and new names: lines \"sofa, seat\" (\"sofa,\" for void), or a JSON object")
      ->required()
      ->option_text("FILE");
}

}  // namespace

void add_dataset_arrange(CLI::App& dataset) {
  add_split(dataset);
  add_sample(dataset);
  add_merge(dataset);
  add_remap(dataset);
}

}  // namespace fernwood::apps
