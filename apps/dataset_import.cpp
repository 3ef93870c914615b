// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/commands.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/formats/import.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace fs = std::filesystem;

namespace {

struct ImportNyuArguments {
  formats::ImportNyuOptions options;
  int threads = 0;

  void add_to(CLI::App& command) {
    command.add_option("--labeled", options.labeled_mat, "nyu_depth_v2_labeled.mat")->required()->option_text("FILE");
    command.add_option("--splits", options.splits_mat, "splits.mat")->required()->option_text("FILE");
    command.add_option("--out", options.out, "Folder for train/ and test/")->required()->option_text("DIR");
    add_table(command, options);
    add_threads_option(command, threads);
  }
};

void run(const ImportNyuArguments& arguments) {
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  formats::import_nyu(arguments.options, pool, bar.counter("importing"));
  bar.clear();
  print() << "NYU Depth v2 is in " << arguments.options.out << "\nnext    fernwood dataset check --data "
          << shell_word(arguments.options.out / "train") << "\n";
}

struct ImportArguments {
  const formats::ImportFormat* format = nullptr;
  formats::ImportOptions options;
  fs::path out;
  bool dry_run = false;
  int threads = 0;

  void add_to(CLI::App& command) {
    command.add_option("in", options.in, std::string(format->reads))->required()->option_text("PATH");
    command.add_option("--out", out, "New folder for the data set")->option_text("DIR");
    std::vector<std::string> names = names_of_options(formats::ImportOptions::table());
    std::erase_if(names, [&](const std::string& name) { return !format->has(name); });
    add_rows(command, options, names);
    command.add_flag("--dry-run", dry_run, "Read everything and report it, without writing");
    add_threads_option(command, threads);
  }
  void finish() {
    options.stop = interrupt_token();
    FW_CHECK(dry_run || !out.empty(), Usage,
             "--out is missing; name the folder to write, or use --dry-run to see what would be written");
  }
};

void tell_plan(const formats::ImportPlan& plan) {
  std::map<std::string, std::size_t> splits;
  std::size_t num_labelled = 0, num_depth = 0;
  for (const formats::ImportedFrame& frame : plan.frames) {
    ++splits[frame.split];
    num_labelled += frame.has_labels() ? 1 : 0;
    num_depth += frame.has_depth() ? 1 : 0;
  }
  print() << plan.frames.size() << (plan.frames.size() == 1 ? " frame" : " frames");
  if (splits.size() > 1 || !splits.contains(""))
    print() << " (" << join(splits, ", ", [](const auto& split) {
      return (split.first.empty() ? "no split" : split.first) + " " + std::to_string(split.second);
    }) << ")";
  print() << ", " << num_labelled << " with labels, " << num_depth << " with depth\n";
  if (!plan.config.classes.empty())
    print() << plan.config.classes.size() << " classes: "
            << join(std::span(plan.config.classes).first(std::min<std::size_t>(plan.config.classes.size(), 40)), ", ",
                    [](const image::ClassInfo& info) { return info.name; })
            << (plan.config.classes.size() > 40 ? " ..." : "") << "\n";
  if (const std::string cameras = formats::camera_text(plan); !cameras.empty())
    print() << "camera: " << cameras << "\n";
}

void run(const ImportArguments& arguments) {
  const formats::ImportPlan plan = formats::plan_import(std::string(arguments.format->name), arguments.options);
  ThreadPool pool(arguments.threads);
  tell_plan(plan);
  ProgressBar bar;
  if (arguments.dry_run)
    formats::check_import(plan, pool, bar.counter("reading"));
  else
    formats::write_import(plan, arguments.out, pool, bar.counter("importing"));
  bar.clear();
  for (const std::string& note : plan.all_notes()) print() << "note: " << note << "\n";
  if (arguments.dry_run) return;
  print() << "written to " << arguments.out << "\nnext    fernwood dataset check --data "
          << shell_word(formats::folder_to_open(plan, arguments.out)) << "\n";
}

}  // namespace

void add_dataset_import(CLI::App& parent) {
  CLI::App* import = parent.add_subcommand("import", "Import labels and data sets of other programs")->fallthrough();
  import->require_subcommand(1);
  import->footer("\nExample:\n  fernwood dataset import coco annotations.json --images pictures --out rooms");
  for (const formats::ImportFormat& format : formats::import_formats()) {
    const auto arguments = std::make_shared<ImportArguments>();
    arguments->format = &format;
    const std::string name(format.name);
    add_command<ImportArguments>(
        *import,
        {.name = name,
         .summary = std::string(format.summary),
         .example = "fernwood dataset import " + name + " " + std::string(format.example) + " --out rooms",
         .finish = &ImportArguments::finish,
         .run = run},
        arguments);
  }
  add_command<ImportNyuArguments>(
      *import,
      {.name = "nyu",
       .summary = "NYU Depth v2, the labelled part",
       .example = "fernwood dataset import nyu --labeled nyu_depth_v2_labeled.mat --splits splits.mat --out nyu",
       .run = run});
}

namespace {

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
                .summary = "Split a data set into train, test and val, keeping groups together and classes alike",
                .example = "fernwood dataset split --data rooms --test 0.2 --out split",
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
