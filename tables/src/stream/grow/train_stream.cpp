// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/train_stream.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "records/tables/row_format.h"
#include "stream/grow/stream_checkpoint.h"
#include "stream/grow/stream_rounds.h"
#include "stream/online/train_forest.h"

namespace fernwood::stream {

namespace {

constexpr int kFractionBits = 28;

/// Orders classes as tables do, not by first occurrence. @param seen  [class] Names in the order of leaf values.
void sort_classes(const std::vector<std::string>& seen, records::RecordForest& forest) {
  if (seen.empty()) return;
  const std::vector<std::int32_t> places = records::sorted_places(seen);
  forest.classes.resize(seen.size());
  for (std::size_t c = 0; c < seen.size(); ++c) forest.classes[static_cast<std::size_t>(places[c])] = seen[c];
  for (records::RecordTree& tree : forest.trees) {
    Array2<std::int32_t> sorted(tree.num_leaves(), seen.size());
    for (std::size_t leaf = 0; leaf < sorted.rows(); ++leaf)
      for (std::size_t c = 0; c < seen.size(); ++c)
        sorted(leaf, static_cast<std::size_t>(places[c])) = tree.leaf_values(leaf, c);
    tree.leaf_values = std::move(sorted);
  }
}

/// A forest of one tree that predicts the target.
records::RecordForest make_regressor(const StreamGrowth& growth) {
  records::RecordForest forest;
  const std::string& name = growth.loader.target();
  forest.targets = {name.empty() ? "target" : name};
  forest.link = records::Link::kIdentity;
  forest.float_sums = records::FloatSums{.base = {0}};
  forest.trees.push_back(growth.leaves.tree().finish(*growth.loader.layout().targets));
  return forest;
}

/// An error that all processes would find is thrown by one, while the others wait.
void check(const StreamOptions& options, const LeafSketchMaker& sketches, const StreamWork& work, int num_ranks) {
  options.check();
  const std::string of_sketches = "{} counts in bins, and sketches of the kind " + std::string(sketches.name);
  require_together(sketches.in_bins || options.leaf_prediction == LeafPrediction::kMajority,
                   of_sketches + " have none; use {}",
                   {{"leaf-prediction", to_string(options.leaf_prediction)}, {"leaf-prediction", "majority"}});
  work.check();
  require_together(sketches.in_bins || !options.predicts_targets(), of_sketches + " have none; use {}",
                   {{"task", "regression"}, {"task", "classification"}});
  divide_among_ranks(work.parallel, static_cast<std::size_t>(num_ranks));
  if (!work.checkpoint.file.empty()) check_writable(work.checkpoint.file, NamedBy::kFernwood);
}

/// Whether labels follow from those of the records before, and not from what a tree that is grown once has learnt.
bool seem_sorted(const StreamGrowth& growth) {
  const StreamReport& report = growth.report;
  const Prequential& told = report.prequential;
  if (growth.options.schedule == Schedule::kPasses || report.records < 20) return false;
  const bool of_targets = growth.options.predicts_targets();
  const double before = of_targets ? told.no_change : 1 - told.no_change;
  if (before == 0) return growth.leaves.empty();
  const bool has_runs =
      before * static_cast<double>(report.records - 1) < static_cast<double>(growth.loader.classes().size());
  return has_runs || (told.records > 0 && 2 * before < (of_targets ? told.errors.rmse : 1 - told.accuracy()));
}

std::string provenance_json(const BatchLoader& loader, Communicator& communicator) {
  Bytes bytes;
  Packer(bytes).put(loader.data_checksum());
  bytes = communicator.gather_all(bytes)[0];
  return json_text(nlohmann::json{{"records", loader.num_records()},
                                  {"attributes", loader.attributes().size()},
                                  {"checksum", to_hex(Unpacker(bytes).get<std::uint64_t>())}});
}

}  // namespace

void finish_model(const BatchLoader& loader, Communicator& communicator, const std::string& options_json,
                  records::RecordForest& forest) {
  forest.attributes = loader.attributes();
  sort_classes(loader.classes(), forest);
  forest.options_json = options_json;
  forest.provenance_json = provenance_json(loader, communicator);
}

std::string growth_options_json(const StreamOptions& options, const LeafSketchMaker& sketches) {
  nlohmann::json json = nlohmann::json::parse(to_json(options));
  json["sketch"] = sketches.name;
  return json_text(json);
}

records::RecordForest finish_growth(StreamGrowth& growth, const std::string& options_json) {
  FW_CHECK(growth.loader.num_records() > 0, Data, "the stream has no records; pass at least one");
  const BatchLoader& loader = growth.loader;
  StreamTree& tree = growth.leaves.tree();
  StreamReport& report = growth.report;
  growth.tests.share(growth.communicator, tree, loader.layout());
  growth.tests.renumber(Adaptation::end_alternates(growth.leaves), tree);
  report.prequential = growth.tests.prequential();
  report.prequential.no_change = loader.no_change();
  report.drift = growth.adaptation.counts();
  report.leaves_before_pruning = tree.num_leaves();
  growth.tests.cut_unused(tree);
  if (growth.options.prune)
    prune_by_mdl(tree, loader.attributes().size(), static_cast<std::size_t>(growth.options.bins) - 1);
  tree.check_leaves();
  report.leaves = tree.num_leaves();
  report.records = loader.num_records();
  add_warnings(report.warnings, "index", loader.index_notes());
  if (seem_sorted(growth))
    report.warnings.push_back(
        {"order",
         "records seem to be sorted: the label of the record before predicts one better than the tree, or as "
         "well; pass them in random order, or " +
             named_option("schedule", "passes")});
  records::RecordForest forest =
      growth.options.predicts_targets() ? make_regressor(growth) : growth.tests.make_forest(tree, kFractionBits);
  finish_model(loader, growth.communicator, options_json, forest);
  report.depth = tree.greatest_depth();
  return forest;
}

/// In each round, records are counted in open leaves, these are searched for splits, and the splits that are decided
/// are made. All processes do this; they differ in the records and attributes that they work on, and agree on
/// everything else.
bool grow_by_a_round(StreamGrowth& growth, StreamRounds& rounds) {
  std::vector<FoundSplit> found;
  if (!rounds.count(found)) return false;
  ++growth.report.rounds;
  if (growth.loader.stopped() || growth.round_records > 0) return true;  // the round is incomplete
  growth.leaves.split(std::move(found));
  if (growth.options.schedule != Schedule::kPasses) growth.tests.adopt(growth.leaves.tree());
  return true;
}

void grow_to_the_end(StreamGrowth& growth, const std::function<void()>& after_round) {
  const std::unique_ptr<StreamRounds> rounds = make_rounds(growth);
  while (!growth.leaves.empty() && grow_by_a_round(growth, *rounds))
    if (after_round) after_round();
}

records::RecordForest train_stream_with(const LeafSketchMaker& sketches, RecordSource* source,
                                        const StreamOptions& options, const StreamWork& work, ThreadPool& pool,
                                        Communicator& communicator, const StreamProgressCallback& progress,
                                        StreamReport* report) {
  OutputLock lock;
  if (communicator.rank() == 0) {
    check(options, sketches, work, communicator.size());
    if (!work.checkpoint.file.empty()) {
      if (!work.checkpoint.resume) check_checkpoint_file(work.checkpoint.file);
      lock = OutputLock(work.checkpoint.file);
    }
  }
  const std::string described = growth_options_json(options, sketches);
  check_alike(described + " " + to_string(work.parallel) + (work.checkpoint.resume ? " resume" : ""), communicator);
  if (options.schedule == Schedule::kForest)
    return train_forest(source, options, work, pool, communicator, progress, report, described);
  StreamGrowth growth(source, options, sketches, work, pool, communicator, progress);
  records::RecordForest forest;
  {
    const Stopwatch total(growth.report.times.total_s);
    StreamCheckpoints checkpoints(growth, described);
    if (work.checkpoint.resume) checkpoints.resume();
    grow_to_the_end(growth, [&] { checkpoints.save_or_stop(); });
    forest = finish_growth(growth, described);
  }
  if (report) *report = growth.report;
  return forest;
}

records::RecordForest train_stream(RecordSource* source, const StreamOptions& options, const StreamWork& work,
                                   ThreadPool& pool, Communicator& communicator, const StreamProgressCallback& progress,
                                   StreamReport* report) {
  return train_stream_with({}, source, options, work, pool, communicator, progress, report);
}

}  // namespace fernwood::stream
