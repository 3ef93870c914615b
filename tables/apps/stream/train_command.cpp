// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <iostream>
#include <memory>
#include <vector>

#include "apps/records/records_command.h"
#include "apps/stream/stream_command.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/report/records.h"
#include "fernwood/stream/train_stream.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/output_files.h"
#include "shell/ranks.h"

namespace fernwood::apps {

namespace {

/// Refuses an output among the files of a folder, all of which are read as records, in this run or a later one.
void refuse_within_data(const NamedPath& output, const std::filesystem::path& data) {
  const auto& [option, file] = output;
  FW_CHECK(file.empty() || !is_in_folder(file, data), Usage,
           option << " names a file in the folder of --data, " << file.string()
                  << ", where each file is read as records; name one in another folder");
}

struct StreamTrainArguments {
  TableArguments input;
  StreamArguments stream;
  stream::FolderOptions folder;
  stream::StreamWork work;
  std::filesystem::path out;
  bool json = false;

  void add_to(CLI::App& command) {
    input.add_to(command);
    command.get_option("--data")->description("Records: LIBSVM or CSV text, a folder of such files; -: standard input");
    add_table(command, folder);
    command.add_option("--out", out, "Model file to write")->required()->option_text("FILE");
    stream.add_to(command);
    add_table(command, work);
    add_table(command, work.checkpoint);
    add_json_flag(command, json);
  }
  void finish() {
    const std::filesystem::path& checkpoint = work.checkpoint.file;
    refuse_replaced_files({{"--checkpoint", checkpoint}}, {{"--data", input.data}});
    refuse_replaced_files({{"--checkpoint", checkpoint}}, {{"--out", out}});
    refuse_within_data({"--out", out}, input.data);
    refuse_within_data({"--checkpoint", checkpoint}, input.data);
    stream.finish();
    input.options();
    folder.check();
    work.check();
    choose_device(work.device);
  }
  CommandFiles files() const { return {.reads = {{"--data", input.data}}, .writes = {{"--out", out}}}; }
};

/// Shows the progress of the tree, and stops when the user interrupts.
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
    return ", " + percent(now.prequential.recent_accuracy(), 1) + " % right";
  }

  const stream::RecordSource* source_;
  ProgressBar bar_;
};

records::RecordForest grow(const StreamTrainArguments& arguments, Communicator& communicator,
                           stream::StreamReport& report) {
  const bool leads = communicator.rank() == 0;
  const NodeLocalRanks local_ranks = find_node_local_ranks(communicator);
  stream::StreamWork work = arguments.work;
  const stream::StreamOptions options = arguments.stream.finish();
  if (options.schedule != stream::Schedule::kForest)  // which refuses GPUs
    work.device = to_string(choose_device(work.device, local_ranks.rank).device);
  ThreadPool pool(local_ranks.threads(work.workers));
  records::TableOptions table_options = arguments.input.options();
  table_options.needs_class = true;
  if (options.predicts_targets()) table_options.labels = records::LabelKind::kTarget;
  table_options.memory_budget_bytes = work.memory_budget_bytes;
  stream::FolderOptions folder = arguments.folder;
  folder.should_stop = [] {
    throw_if_interrupted();
    return false;
  };
  std::unique_ptr<stream::RecordSource> source;
  if (leads) source = stream::open_record_source(arguments.input.data, table_options, folder, pool);
  ProgressReporter reporter(source.get());
  try {
    return stream::train_stream(source.get(), options, work, pool, communicator, std::ref(reporter), &report);
  } catch (const Error& failure) {
    const std::filesystem::path& checkpoint = work.checkpoint.file;
    if (failure.kind() != ErrorKind::kInterrupted || !leads || checkpoint.empty() ||
        !std::filesystem::exists(checkpoint))
      throw;
    throw Error(ErrorKind::kInterrupted, "interrupted; what was grown is kept in " + checkpoint.string() +
                                             ", and the same command with --resume continues");
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::kResource, "memory ran out; use a smaller --memory-budget or fewer workers");
  }
}

void run(const StreamTrainArguments& arguments, Communicator& communicator) {
  const std::filesystem::path& checkpoint = arguments.work.checkpoint.file;
  register_exit_message(communicator, checkpoint, "with --checkpoint FILE to go on from the next time");
  find_one_after_another(communicator, [&] {
    if (communicator.rank() == 0 && !checkpoint.empty()) check_writable(checkpoint, NamedBy::kFernwood);
    return true;
  });
  report::StreamTraining training{.report = {}, .processes = communicator.size(), .checkpoints = !checkpoint.empty()};
  const records::RecordForest tree = grow(arguments, communicator, training.report);
  if (communicator.rank() != 0) return;
  warn_each(texts_of(training.report.warnings));
  records::save_records(tree, arguments.out);
  if (arguments.json) {
    std::cout << report::stream_training_json(tree, training, arguments.out);
    return;
  }
  std::cout << report::stream_training_table(tree, training);
  print() << "model        " << arguments.out << " (" << format_bytes(std::filesystem::file_size(arguments.out))
          << ")\nnext         fernwood-tables evaluate --model " << shell_word(arguments.out) << " --data FILE\n";
}

}  // namespace

void add_stream_train(CLI::App& stream) {
  add_command<StreamTrainArguments>(
      stream,
      {.name = "train",
       .summary = "Train a tree on a stream of records, on one process or many",
       .example = "fernwood-tables stream train --data train.libsvm --out tree.fernwood\n"
                  "  mpirun -n 4 fernwood-tables stream train --data train.libsvm --out tree.fernwood --parallel "
                  "data-feature",
       .dependents = {{{"--samples-per-leaf"}, {"--schedule fresh"}},
                      {{"--batch"}, {"--schedule hoeffding", "--schedule adaptive"}},
                      {{"--grace-period"}, {"--schedule hoeffding", "--schedule adaptive", "--schedule forest"}},
                      {{"--tie"},
                       {"--failure-probability", "--schedule hoeffding", "--schedule adaptive", "--schedule forest"}},
                      {{"--drift-delta"}, {"--schedule adaptive", "--schedule forest"}},
                      {{"--switch-significance", "--drift-window"}, {"--schedule adaptive"}},
                      {{"--trees", "--subspace", "--warning-delta", "--seed"}, {"--schedule forest"}},
                      {{"--accuracy-window"},
                       {"--schedule fresh", "--schedule hoeffding", "--schedule adaptive", "--schedule forest"}},
                      {{"--poll-ms"}, {"--follow"}},
                      {{"--checkpoint-every"}, {"--checkpoint"}}},
       .finish = &StreamTrainArguments::finish,
       .files = &StreamTrainArguments::files,
       .run_rank = run});
}

}  // namespace fernwood::apps
