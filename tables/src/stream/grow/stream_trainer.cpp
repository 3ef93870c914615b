// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <optional>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/stream/train_stream.h"
#include "stream/grow/stream_checkpoint.h"
#include "stream/grow/stream_rounds.h"
#include "stream/online/train_forest.h"
#include "stream/source/push_source.h"

namespace fernwood::stream {

struct StreamTrainer::State {
  State(const StreamOptions& given, const StreamWork& given_work)
      : options(given),
        work(given_work),
        pool(work.workers),
        alone(make_lone_communicator()),
        growth(&source, options, {}, work, pool, *alone, silent),
        rounds(in_passes() ? nullptr : make_rounds(growth)) {
    if (options.schedule == Schedule::kForest) forest.emplace(&source, options, work, pool, *alone, silent);
  }

  const BatchLoader& loader() const { return forest ? forest->loader : growth.loader; }

  bool in_passes() const { return options.schedule == Schedule::kPasses; }

  void count_round() {
    std::vector<FoundSplit> found;
    rounds->count(found);
    growth.leaves.split(std::move(found));
    ++growth.report.rounds;
  }

  const StreamOptions options;
  const StreamWork work;
  ThreadPool pool;
  const std::unique_ptr<Communicator> alone;
  const StreamProgressCallback silent;
  PushSource source;
  StreamGrowth growth;  ///< In passes nothing grows here: tree() counts all records.
  std::unique_ptr<StreamRounds> rounds;
  std::optional<ForestGrowth> forest;  ///< Schedule::kForest: grows instead.
  bool broken = false;                 ///< A round was not completed.
};

StreamTrainer::StreamTrainer(const StreamOptions& options, const StreamWork& work) {
  options.check();
  work.check();
  if (options.schedule == Schedule::kForest) check_forest_work(work);
  state_ = std::make_unique<State>(options, work);
}
StreamTrainer::~StreamTrainer() = default;

void StreamTrainer::feed(records::RecordTable records) {
  if (state_->options.predicts_targets()) state_->loader().check_targets(records, num_records());
  state_->source.feed(std::move(records));
}

std::uint64_t StreamTrainer::num_records() const { return state_->source.num_fed(); }

Prequential StreamTrainer::prequential() const {
  Prequential told = state_->forest ? state_->forest->forest.prequential() : state_->growth.tests.prequential();
  told.no_change = state_->loader().no_change();
  return told;
}

void StreamTrainer::grow(const std::function<bool()>& may_go_on) {
  const DefaultFloats floats;
  if (state_->in_passes()) return;
  FW_CHECK(!state_->broken, Usage, "the tree cannot grow on, because growing ended with an error; begin a new one");
  while (state_->forest && state_->source.num_waiting() >= kChunkRecords) {
    if (may_go_on && !may_go_on()) return;
    state_->broken = true;
    state_->forest->learn();
    state_->broken = false;
  }
  if (state_->forest) return;
  while (!state_->growth.leaves.empty() && state_->source.num_waiting() >= state_->rounds->wanted_records()) {
    if (may_go_on && !may_go_on()) return;
    state_->broken = true;  // until the round is complete
    state_->count_round();
    state_->broken = false;
  }
  if (state_->growth.leaves.empty()) state_->source.drop();  // no leaf would count them
}

records::RecordForest StreamTrainer::tree(const StreamProgressCallback& progress, StreamReport* report) {
  const DefaultFloats floats;
  FW_CHECK(num_records() > 0, Data, "the stream has no records; give at least one");
  const std::string described = growth_options_json(state_->options, {});
  PushSource rest = state_->source;
  if (state_->forest) {
    ForestGrowth copy(&rest, state_->options, state_->work, state_->pool, *state_->alone, progress);
    if (state_->forest->loader.num_records() > 0) copy.restore(state_->forest->state());
    while (copy.learn())
      if (copy.is_stopping()) copy.stop();
    records::RecordForest forest = copy.finish(described);
    if (report) *report = copy.report;
    return forest;
  }
  StreamGrowth copy(&rest, state_->options, {}, state_->work, state_->pool, *state_->alone, progress);
  if (state_->growth.loader.num_records() > 0)
    StreamCheckpoints(copy, described).restore(StreamCheckpoints(state_->growth, described).state());
  grow_to_the_end(copy, [&] {
    if (copy.is_stopping()) copy.stop();
  });
  records::RecordForest tree = finish_growth(copy, described);
  add_warnings(copy.report.warnings, "index", state_->growth.loader.index_notes());
  if (report) *report = copy.report;
  return tree;
}

}  // namespace fernwood::stream
