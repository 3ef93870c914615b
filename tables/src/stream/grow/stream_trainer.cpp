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
  /// Whether the first round has been read, on which bins depend.
  bool has_begun() const { return growth.loader.num_records() > 0; }

  /// Tests and learns the waiting records, which do not fill a round yet.
  void learn_ahead() {
    if (growth.num_ahead == source.num_waiting()) return;
    rounds->begin();
    source.visit(growth.num_ahead, [&](const records::RecordTable& table, std::size_t first) {
      growth.tests.test(table, first, growth.leaves.tree());
    });
    growth.num_ahead = source.num_waiting();
  }

  /// The state without what was learnt, which may have classes that are not counted yet.
  Bytes counted(const std::string& described) {
    TestThenTrain learnt(options, work);
    learnt.reset(growth.loader.layout());
    std::swap(learnt, growth.tests);
    Bytes state = StreamCheckpoints(growth, described).state();
    std::swap(learnt, growth.tests);
    return state;
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

  /// What would have grown if the stream had ended within the first round.
  struct Preview {
    explicit Preview(State& state)
        : source(state.source), growth(&source, state.options, {}, state.work, state.pool, *state.alone, state.silent) {
      grow_to_the_end(growth);
    }

    PushSource source;
    StreamGrowth growth;
  };
  std::unique_ptr<Preview> preview;  ///< Of all records so far, once it is needed.
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
  state_->preview.reset();
}

void StreamTrainer::feed_more(records::RecordTable records) {
  const PushSource& source = state_->source;
  FW_CHECK(num_records() > 0 && records.values.cols() == source.num_attributes(), Usage,
           "records of " << records.values.cols() << " attributes follow those of " << source.num_attributes()
                         << "; pass records of the same kind");
  for (const std::int32_t label : records.labels)
    FW_CHECK(label >= 0 && static_cast<std::size_t>(label) < source.num_classes(), Usage,
             "the label " << label << " is none of " << source.num_classes() << " classes; name new classes by feed()");
  if (state_->options.predicts_targets()) state_->loader().check_targets(records, num_records());
  state_->source.add(std::move(records));
  state_->preview.reset();
}

Array2<double> StreamTrainer::predict(const records::RecordView& records) {
  const DefaultFloats floats;
  FW_CHECK(predicts_at_once(), Usage,
           named_option("schedule", to_string(state_->options.schedule))
               << " predicts by the tree of the records so far; use tree()");
  FW_CHECK(num_records() > 0, Data, "the stream has no records; pass at least one");
  if (!state_->has_begun() && !state_->preview) state_->preview = std::make_unique<State::Preview>(*state_);
  const StreamGrowth& growth = state_->has_begun() ? state_->growth : state_->preview->growth;
  Array2<double> predicted(records.num_records, growth.tests.num_predicted());
  std::vector<float> values(records.num_attributes);
  for (std::size_t i = 0; i < records.num_records; ++i) {
    for (std::size_t a = 0; a < values.size(); ++a) values[a] = records.at(i, a);
    growth.tests.predict(values.data(), growth.leaves.tree(), predicted.row(i));
  }
  return predicted;
}

bool StreamTrainer::predicts_at_once() const {
  return state_->options.schedule == Schedule::kHoeffding || state_->options.schedule == Schedule::kAdaptive;
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
    grow_by_a_round(state_->growth, *state_->rounds);
    state_->broken = false;
  }
  if (state_->growth.leaves.empty())
    state_->source.drop();  // no leaf would count them
  else if (predicts_at_once() && state_->has_begun())
    state_->learn_ahead();
}

records::RecordForest StreamTrainer::tree(const StreamProgressCallback& progress, StreamReport* report) {
  const DefaultFloats floats;
  FW_CHECK(num_records() > 0, Data, "the stream has no records; pass at least one");
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
  if (state_->growth.loader.num_records() > 0) StreamCheckpoints(copy, described).restore(state_->counted(described));
  copy.tests = state_->growth.tests, copy.num_ahead = state_->growth.num_ahead;
  grow_to_the_end(copy, [&] {
    if (copy.is_stopping()) copy.stop();
  });
  records::RecordForest tree = finish_growth(copy, described);
  add_warnings(copy.report.warnings, "index", state_->growth.loader.index_notes());
  if (report) *report = copy.report;
  return tree;
}

}  // namespace fernwood::stream
