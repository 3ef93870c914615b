// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <iostream>
#include <memory>

#include "apps/records/records_command.h"
#include "apps/shell/console.h"
#include "apps/shell/interrupt.h"
#include "apps/shell/options.h"
#include "apps/shell/ranks.h"
#include "apps/stream/stream_command.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/output_lock.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/report/format.h"
#include "fernwood/report/records.h"
#include "fernwood/stream/train_stream.h"

namespace fernwood::apps {

namespace {

struct StreamTrainArguments {
  TableArguments table;
  StreamArguments stream;
  stream::FolderOptions folder;
  std::filesystem::path out, checkpoint;
  std::string parallel = "data-feature", device = "cpu", memory_budget;
  double checkpoint_every_s = 10;
  int workers = 0, accuracy_window = 10000;
  bool resume = false, json = false;
};

stream::StreamWork finish_work(const StreamTrainArguments& arguments) {
  stream::StreamWork work;
  work.parallel = parse_name("--parallel", arguments.parallel, stream::kParallels);
  work.device = choose_device(arguments.device).device;
  work.memory_budget_bytes =
      arguments.memory_budget.empty() ? 0 : parse_bytes(arguments.memory_budget, "memory-budget");
  work.checkpoint = arguments.checkpoint;
  work.checkpoint_every_s = arguments.checkpoint_every_s;
  work.resume = arguments.resume;
  require_option(arguments.accuracy_window >= 1, "accuracy-window", arguments.accuracy_window,
                 "give a number of records from 1 on");
  work.accuracy_window = static_cast<std::uint64_t>(arguments.accuracy_window);
  FW_CHECK(!work.resume || !work.checkpoint.empty(), Usage,
           "--resume needs the file to go on from; give --checkpoint FILE, too");
  require_option(arguments.workers >= 0 && arguments.workers <= 4096, "workers", arguments.workers,
                 "give a number from 1 to 4096, or 0 for all cores");
  require_option(work.checkpoint_every_s >= 0, "checkpoint-every", work.checkpoint_every_s, "give seconds from 0 on");
  return work;
}

/// Shows how far the tree is, and stops when the user asks to.
class ProgressReporter {
 public:
  explicit ProgressReporter(const stream::RecordSource* source) : source_(source) {}

  void operator()(const stream::StreamProgress& now) {
    throw_if_interrupted();
    const double read = source_ ? source_->fraction_read().value_or(0) : 0;
    if (now.fraction < 0)
      bar_.show(now.leaves > 1 ? "growing" : "reading",
                format_count(now.records) + " records, " + format_count(now.leaves) + " leaves" + accuracy_text(now),
                read);
    else
      bar_.show("growing", "level " + std::to_string(now.depth) + ", " + format_count(now.leaves) + " leaves",
                now.fraction);
  }

 private:
  static std::string accuracy_text(const stream::StreamProgress& now) {
    if (now.prequential.recent_records == 0) return "";
    if (now.prequential.recent_errors != stream::PrequentialErrors())
      return format_text(", RMSE %.4g", now.prequential.recent_errors.rmse);
    return ", " + report::percent(now.prequential.recent_accuracy(), 1) + " % right";
  }

  const stream::RecordSource* source_;
  ProgressBar bar_;
};

/// Checks the arguments, and keeps other runs from the output of the first process, which writes it.
OutputLock check(const StreamTrainArguments& arguments, bool writes) {
  refuse_same_file("--out", arguments.out, "--data", arguments.table.data);
  refuse_same_file("--checkpoint", arguments.checkpoint, "--data", arguments.table.data);
  refuse_same_file("--checkpoint", arguments.checkpoint, "--out", arguments.out);
  arguments.stream.finish();
  const stream::StreamWork work = finish_work(arguments);
  if (!writes) return {};
  check_writable(arguments.out, NamedBy::kUser);
  if (!work.checkpoint.empty()) check_writable(work.checkpoint, NamedBy::kFernwood);
  return OutputLock(arguments.out);
}

/// Ends the program as a failure wants it, which one process tells.
[[noreturn]] void fail(const Error& failure, const stream::StreamWork& work, Communicator& communicator) {
  if (failure.kind() == ErrorKind::kInterrupted && communicator.rank() == 0 && !work.checkpoint.empty() &&
      std::filesystem::exists(work.checkpoint))
    throw Error(ErrorKind::kInterrupted, "interrupted; what was grown is kept in " + work.checkpoint.string() +
                                             ", and the same command with --resume goes on");
  end_all(failure, communicator);
}

records::RecordForest grow(const StreamTrainArguments& arguments, Communicator& communicator,
                           stream::StreamReport& report) {
  const bool leads = communicator.rank() == 0;
  const NodeLocalRanks local_ranks = find_node_local_ranks(communicator);
  stream::StreamWork work = finish_work(arguments);
  work.device = choose_device(arguments.device, local_ranks.rank).device;
  ThreadPool pool(local_ranks.threads(arguments.workers));
  records::TableOptions table_options = arguments.table.options();
  table_options.needs_class = true;
  const stream::StreamOptions options = arguments.stream.finish();
  if (options.predicts_targets()) table_options.labels = records::LabelKind::kTarget;
  table_options.memory_budget_bytes = work.memory_budget_bytes;
  stream::FolderOptions folder = arguments.folder;
  folder.should_stop = [] {
    throw_if_interrupted();
    return false;
  };
  std::unique_ptr<stream::RecordSource> source;
  if (leads) source = stream::open_record_source(arguments.table.data, table_options, folder, pool);
  ProgressReporter reporter(source.get());
  try {
    return stream::train_stream(source.get(), options, work, pool, communicator, std::ref(reporter), &report);
  } catch (const Error& failure) {
    fail(failure, work, communicator);
  } catch (const std::bad_alloc&) {  // the others must be told of this, too
    fail(Error(ErrorKind::kResource, "memory ran out; give a smaller --memory-budget or fewer workers"), work,
         communicator);
  } catch (const std::exception& failure) {
    fail(Error(ErrorKind::kRuntime, std::string("unexpected: ") + failure.what() + "; please report this"), work,
         communicator);
  }
}

void run(const StreamTrainArguments& arguments, Communicator& communicator) {
  register_exit_message(communicator, arguments.checkpoint, "with --checkpoint FILE to go on from the next time");
  const OutputLock lock =
      find_one_after_another(communicator, [&] { return check(arguments, communicator.rank() == 0); });
  report::StreamTraining training{
      .report = {}, .processes = communicator.size(), .checkpoints = !arguments.checkpoint.empty()};
  const records::RecordForest tree = grow(arguments, communicator, training.report);
  if (communicator.rank() != 0) return;
  records::save_records(tree, arguments.out);
  if (arguments.json) {
    std::cout << report::stream_training_json(tree, training, arguments.out);
    return;
  }
  std::cout << report::stream_training_table(tree, training) << "model        " << shown(arguments.out) << " ("
            << format_bytes(std::filesystem::file_size(arguments.out))
            << ")\nnext         fernwood stream evaluate --model " << shell_word(arguments.out) << " --data FILE\n";
}

void add_options(CLI::App& command, StreamTrainArguments& arguments) {
  arguments.table.add_to(command);
  command.get_option("--data")->description("Records: LIBSVM or CSV text, a folder of such files; -: standard input");
  command.add_flag("--follow", arguments.folder.follow,
                   "Wait for more files in the folder, until one is called \"end\"");
  command.add_option("--out", arguments.out, "Model file to write")->required()->option_text("FILE");
  arguments.stream.add_to(command);
  command
      .add_option("-j,--workers", arguments.workers,
                  "Threads per process; 0: all cores, with mpirun this process's share")
      ->option_text("N (0)");
  command
      .add_option("--parallel", arguments.parallel,
                  "Parallelisation across workers: " + list_names(names_of(stream::kParallels)))
      ->option_text("NAME (data-feature)");
  command.add_option("--device", arguments.device, "Device for counting records: cpu, cuda, cuda:N or auto")
      ->option_text("NAME (cpu)");
  command
      .add_option("--memory-budget", arguments.memory_budget,
                  "Memory limit for the histograms of open leaves, such as 4GiB")
      ->option_text("SIZE (what is free)");
  command
      .add_option("--accuracy-window", arguments.accuracy_window,
                  "Records of the last rounds by which recent prequential accuracy is told")
      ->option_text("N (10000)");
  command.add_option("--checkpoint", arguments.checkpoint, "File for the checkpoint")->option_text("FILE");
  command
      .add_option("--checkpoint-every", arguments.checkpoint_every_s,
                  "Minimum interval between checkpoints, in seconds; they are written between rounds")
      ->option_text("S (10)");
  command.add_flag("--resume", arguments.resume, "Resume from the checkpoint, with any number of workers");
  add_json_flag(command, arguments.json);
}

}  // namespace

void add_stream_train(CLI::App& stream) {
  auto arguments = std::make_shared<StreamTrainArguments>();
  CLI::App* command =
      stream.add_subcommand("train", "Train a tree on a stream of records, on one process or many")->fallthrough();
  add_options(*command, *arguments);
  command->footer(
      "\nExample:\n  fernwood stream train --data train.libsvm --out tree.fernwood\n"
      "  mpirun -n 4 fernwood stream train --data train.libsvm --out tree.fernwood --parallel data-feature");
  command->callback(
      [arguments] { work_on_ranks("cpu", [&](Communicator& communicator) { run(*arguments, communicator); }); });
}

}  // namespace fernwood::apps
