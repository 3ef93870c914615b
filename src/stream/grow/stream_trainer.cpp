// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <deque>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/stream/train_stream.h"
#include "stream/grow/stream_checkpoint.h"
#include "stream/grow/stream_rounds.h"

namespace fernwood::stream {

namespace {

/// Records that were handed over and not read yet. Copies read the same records again.
class FedSource : public RecordSource {
 public:
  void feed(records::RecordTable records) {
    FW_CHECK(num_fed_ == 0 || records.values.cols() == attributes_.size(), Data,
             "these records have " << records.values.cols() << " attributes, and those before have "
                                   << attributes_.size() << "; give records of the same kind");
    const bool goes_on = records.classes.size() >= classes_.size() &&
                         std::equal(classes_.begin(), classes_.end(), records.classes.begin());
    FW_CHECK(goes_on, Data, "the classes of these records do not begin with those of the records before");
    attributes_ = records.attributes;
    classes_ = records.classes;
    num_fed_ += records.values.rows();
    num_waiting_ += records.values.rows();
    if (records.values.rows() > 0) tables_.push_back(std::make_shared<const records::RecordTable>(std::move(records)));
  }
  std::uint64_t num_fed() const { return num_fed_; }
  std::uint64_t num_waiting() const { return num_waiting_; }
  void drop() {
    tables_.clear();
    num_waiting_ = 0, at_ = 0;
  }

  bool read(records::RecordTable& batch, std::size_t max_records) override {
    const std::size_t count = std::min<std::size_t>(max_records, num_waiting_), cols = attributes_.size();
    batch = {attributes_, {}, Array2<float>(count, cols), {}};
    for (std::size_t begin = 0; begin < count;) {
      const records::RecordTable& table = *tables_.front();
      const std::size_t part = std::min(count - begin, table.values.rows() - at_);
      std::copy_n(table.values.row(at_), part * cols, batch.values.row(begin));
      const auto labels = table.labels.begin() + static_cast<std::ptrdiff_t>(at_);
      batch.labels.insert(batch.labels.end(), labels, labels + static_cast<std::ptrdiff_t>(part));
      begin += part;
      at_ += part;
      if (at_ < table.values.rows()) continue;
      tables_.pop_front();
      at_ = 0;
    }
    num_waiting_ -= count;
    // Classes are known up to the last that came, as when they are read from a file.
    for (const std::int32_t label : batch.labels) num_classes_ = std::max(num_classes_, label + 1);
    const std::size_t known = std::min(static_cast<std::size_t>(num_classes_), classes_.size());
    batch.classes.assign(classes_.begin(), classes_.begin() + static_cast<std::ptrdiff_t>(known));
    return count > 0;
  }
  bool can_rewind() const override { return false; }
  void rewind() override { throw Error(ErrorKind::kUsage, name_ + ": can be read once only"); }
  const std::string& name() const override { return name_; }
  std::optional<double> fraction_read() const override { return {}; }

 private:
  std::string name_ = "the records";
  std::deque<std::shared_ptr<const records::RecordTable>> tables_;
  std::size_t at_ = 0;  ///< In the first table.
  std::uint64_t num_fed_ = 0, num_waiting_ = 0;
  std::int32_t num_classes_ = 0;  ///< Read so far.
  std::vector<std::string> attributes_, classes_;
};

}  // namespace

struct StreamTrainer::State {
  State(const StreamOptions& given, const StreamWork& given_work, int threads)
      : options(given),
        work(given_work),
        pool(threads),
        alone(make_lone_communicator()),
        growth(&source, options, {}, work, pool, *alone, silent),
        rounds(in_passes() ? nullptr : make_rounds(growth)) {}

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
  FedSource source;
  StreamGrowth growth;  ///< In passes nothing grows here: all is counted by tree().
  std::unique_ptr<StreamRounds> rounds;
  bool broken = false;  ///< A round was not completed.
};

StreamTrainer::StreamTrainer(const StreamOptions& options, const StreamWork& work, int threads) {
  options.check();
  FW_CHECK(threads >= 0 && threads <= 4096, Usage,
           "--workers is " << threads << "; give a number from 1 to 4096, or 0 for all cores");
  state_ = std::make_unique<State>(options, work, threads);
}
StreamTrainer::~StreamTrainer() = default;

void StreamTrainer::feed(records::RecordTable records) { state_->source.feed(std::move(records)); }

std::uint64_t StreamTrainer::num_records() const { return state_->source.num_fed(); }

void StreamTrainer::grow(const std::function<bool()>& may_go_on) {
  if (state_->in_passes()) return;
  FW_CHECK(!state_->broken, Usage, "the tree cannot grow on, because growing ended with an error; begin a new one");
  while (!state_->growth.leaves.empty() && state_->source.num_waiting() >= state_->rounds->wanted_records()) {
    if (may_go_on && !may_go_on()) return;
    state_->broken = true;  // until the round is complete
    state_->count_round();
    state_->broken = false;
  }
  if (state_->growth.leaves.empty()) state_->source.drop();  // nobody would read them
}

records::RecordForest StreamTrainer::tree(const StreamProgressCallback& progress) {
  FW_CHECK(num_records() > 0, Data, "the stream has no records; give at least one");
  const std::string described = growth_options_json(state_->options, {});
  FedSource rest = state_->source;
  StreamGrowth copy(&rest, state_->options, {}, state_->work, state_->pool, *state_->alone, progress);
  if (state_->growth.feeder.num_records() > 0)
    StreamCheckpoints(copy, described).restore(StreamCheckpoints(state_->growth, described).state());
  grow_to_the_end(copy, [&] {
    if (copy.is_stopping()) copy.stop();
  });
  return finish_growth(copy, described);
}

}  // namespace fernwood::stream
