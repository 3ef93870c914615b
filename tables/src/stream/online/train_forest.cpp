// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/online/train_forest.h"

#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"
#include "stream/grow/stream_checkpoint.h"
#include "stream/grow/stream_rounds.h"

namespace fernwood::stream {

ForestGrowth::ForestGrowth(RecordSource* source, const StreamOptions& stream_options, const StreamWork& stream_work,
                           ThreadPool& pool, Communicator& ranks, const StreamProgressCallback& callback)
    : options(stream_options),
      work(stream_work),
      communicator(ranks),
      progress(callback),
      // All processes receive all records.
      loader(source, options, false, {.attribute_parts = static_cast<std::size_t>(ranks.size())}, pool, communicator),
      forest(options, work, pool, communicator) {
  check_forest_work(work);
}

void check_forest_work(const StreamWork& work) {
  if (work.device != "cpu" && work.device != "auto")
    throw OptionError("device", work.device,
                      OptionSentence{"{} has trees that are too small for a GPU; use cpu", {{"schedule", "forest"}}});
}

bool ForestGrowth::learn() {
  records::RecordTable chunk;
  const std::uint64_t before = loader.num_records();
  {
    const Stopwatch reading(report.times.read_s);
    if (!loader.read(kChunkRecords, chunk)) return false;
    loader.review();
  }
  const Stopwatch learning(report.times.update_s);
  forest.test_and_learn(chunk, before, loader.layout());
  report.updates += chunk.values.rows() * static_cast<std::uint64_t>(options.trees);
  ++report.rounds;
  const std::size_t budget_bytes =
      work.memory_budget_bytes > 0 ? work.memory_budget_bytes : platform::available_memory_bytes() + forest.bytes();
  FW_CHECK(forest.bytes() <= budget_bytes, Resource,
           "the leaves of the forest take " << format_bytes(forest.bytes()) << ", and " << format_bytes(budget_bytes)
                                            << " are allowed; use a larger " << named_option("memory-budget")
                                            << ", fewer " << named_option("bins") << " or a smaller "
                                            << named_option("max-depth"));
  report_progress();
  return true;
}

void ForestGrowth::report_progress() {
  if (!progress || communicator.rank() != 0) return;
  StreamProgress now;
  now.records = loader.num_records();
  now.leaves = now.open_leaves = forest.num_leaves();
  now.depth = forest.depth();
  now.prequential = forest.prequential();
  try {
    progress(now);
  } catch (...) {
    stop_reason = std::current_exception();
    loader.request_stop();
  }
}

void ForestGrowth::stop() const {
  if (stop_reason) std::rethrow_exception(stop_reason);
  throw Error(ErrorKind::kInterrupted, "interrupted");
}

Bytes ForestGrowth::state() {
  Bytes state;
  Packer packer(state);
  loader.pack(packer);
  forest.pack(packer);
  return state;
}

void ForestGrowth::restore(const Bytes& state) {
  Unpacker unpacker(state);
  loader.unpack(unpacker);
  forest.unpack(unpacker, loader.layout());
  FW_CHECK(unpacker.place() == state.size(), Model, "it has unexpected data at its end");
}

records::RecordForest ForestGrowth::finish(const std::string& options_json) {
  FW_CHECK(loader.num_records() > 0, Data, "the stream has no records; pass at least one");
  forest.gather();
  report.prequential = forest.prequential();
  report.prequential.no_change = loader.no_change();
  report.drift = forest.drift();
  report.importances = forest.importances();
  report.leaves = report.leaves_before_pruning = forest.num_leaves();
  report.depth = forest.depth();
  report.records = loader.num_records();
  add_warnings(report.warnings, "index", loader.index_notes());
  records::RecordForest model = forest.make_forest();
  if (options.predicts_targets()) model.targets = {loader.target().empty() ? "target" : loader.target()};
  finish_model(loader, communicator, options_json, model);
  return model;
}

records::RecordForest train_forest(RecordSource* source, const StreamOptions& options, const StreamWork& work,
                                   ThreadPool& pool, Communicator& communicator, const StreamProgressCallback& progress,
                                   StreamReport* report, const std::string& options_json) {
  ForestGrowth growth(source, options, work, pool, communicator, progress);
  const StreamCheckpointOptions& checkpoint = work.checkpoint;
  records::RecordForest model;
  {
    const Stopwatch total(growth.report.times.total_s);
    if (checkpoint.resume &&
        resume_state(checkpoint.file, options_json, communicator, [&](const Bytes& state) { growth.restore(state); }))
      growth.loader.begin_again();
    double saved_at_s = seconds_now();
    for (bool goes_on = true; goes_on;) {
      goes_on = growth.learn();
      const BetweenRounds now = decide_between_rounds(checkpoint, growth.is_stopping(), saved_at_s, communicator);
      if (now.saves) {
        const Stopwatch saving(growth.report.times.checkpoint_s);
        const Bytes state = growth.state();
        if (communicator.rank() == 0) save_stream_checkpoint(state, options_json, checkpoint.file);
        communicator.gather_all({});  // no process continues or ends before the file is written
        saved_at_s = seconds_now();
      }
      if (now.stops) growth.stop();
    }
    model = growth.finish(options_json);
  }
  if (report) *report = growth.report;
  return model;
}

}  // namespace fernwood::stream
