// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/import.h"

#include <map>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

/// What all commands have that write a new folder.
struct ArrangeArguments {
  fs::path out;
  int threads = 0;

  void add_to(CLI::App& command) {
    command.add_option("--out", out, "New folder; files are linked, not copied")->required()->option_text("DIR");
    add_threads_option(command, threads);
  }
};

dataset::Dataset open(const DatasetArguments& arguments) {
  dataset::Dataset data = open_with_known_truth(arguments.data, arguments.options(false), "train");
  warn_of_other_splits(arguments.data, data);
  return data;
}

/// @param arguments  With plan(pool), what is to be written.
template <typename Arguments>
void write_arranged(const Arguments& arguments) {
  ThreadPool pool(arguments.threads);
  const formats::ImportPlan plan = arguments.plan(pool);
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

struct SplitArguments : ArrangeArguments {
  DatasetArguments dataset;
  formats::SplitOptions split;

  void add_to(CLI::App& command) {
    ArrangeArguments::add_to(command);
    dataset.add_to(command);
    add_table(command, split);
  }
  formats::ImportPlan plan(ThreadPool& pool) const {
    split.check();  // before anything is read
    return formats::plan_split(open(dataset), split, pool);
  }
};

struct SampleArguments : ArrangeArguments {
  DatasetArguments dataset;
  std::size_t frames = 0;

  void add_to(CLI::App& command) {
    ArrangeArguments::add_to(command);
    dataset.add_to(command);
    command.add_option("--frames", frames, "How many")->required()->option_text("N")->check(check_not_negative);
  }
  formats::ImportPlan plan(ThreadPool& pool) const { return formats::plan_sample(open(dataset), frames, pool); }
};

struct MergeArguments : ArrangeArguments {
  std::vector<fs::path> folders;

  void add_to(CLI::App& command) {
    ArrangeArguments::add_to(command);
    command.add_option("folders", folders, "Folders of frames")->required()->option_text("DIR...");
  }
  formats::ImportPlan plan(ThreadPool& pool) const {
    dataset::DatasetOptions options;
    options.needs_truth = false;
    std::vector<dataset::Dataset> all;
    for (const fs::path& folder : folders) {
      all.push_back(open_with_known_truth(folder, options, "train"));
      warn_of_other_splits(folder, all.back());
    }
    return formats::plan_merge(all, pool);
  }
};

struct RemapArguments : ArrangeArguments {
  DatasetArguments dataset;
  fs::path table;

  void add_to(CLI::App& command) {
    ArrangeArguments::add_to(command);
    dataset.add_to(command);
    command
        .add_option("--map", table, "Old and new names: lines \"sofa, seat\" (\"sofa,\" for void), or a JSON object")
        ->required()
        ->option_text("FILE");
  }
  formats::ImportPlan plan(ThreadPool& pool) const {
    return formats::plan_remap(open(dataset), formats::read_class_table(table), pool);
  }
};

}  // namespace

void add_dataset_arrange(CLI::App& dataset) {
  add_command<SplitArguments>(
      dataset, {.name = "split",
                .summary = "Part a data set into train, test and val, by groups and alike in their classes",
                .example = "fernwood dataset split --data rooms --test 0.2 --out parted",
                .run = write_arranged});
  add_command<SampleArguments>(dataset, {.name = "sample",
                                         .summary = "Take some frames, evenly spread",
                                         .example = "fernwood dataset sample --data rooms --frames 40 --out some",
                                         .run = write_arranged});
  add_command<MergeArguments>(dataset,
                              {.name = "merge",
                               .summary = "Put the frames of several folders into one; classes of one name are one",
                               .example = "fernwood dataset merge kitchen/train office/train --out both",
                               .run = write_arranged});
  add_command<RemapArguments>(dataset, {.name = "remap",
                                        .summary = "Rename and merge classes",
                                        .example = "fernwood dataset remap --data rooms --map seats.csv --out seats",
                                        .run = write_arranged});
}

}  // namespace fernwood::apps
