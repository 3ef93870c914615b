// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/stream_accuracy_study.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "lab/records/timing.h"
#include "lab/stream/stream_study.h"
#include "lab/stream/value_sketches.h"

namespace fernwood::lab {

namespace {

constexpr PublishedSet kPublished[] = {
    {"shuttle", 25600, 50, {8, .9946, 0}, {7, .9956, 0}, 3.0313, 3.4871, 33.545},
    {"letter", 12800, 30, {7, .3068, 0}, {6, .3124, 0}, 12.386, 12.890, 20.607},
    {"skin", 25600, 50, {8, .9301, .9929}, {7, .9802, .9899}, 1.8844, 2.2405, 21.826},
    {"eeg-eye-state", 12800, 50, {7, .7183, .7371}, {6, .5656, .7211}, .47445, .91115, 102.979},
    {"page-blocks", 3200, 50, {5, .8720, 0}, {4, .8720, 0}, .33094, .59793, 15.444},
    {"svmguide1", 3200, 50, {5, .95125, .69425}, {4, .9462, .6917}, .14735, .39894, 5.055}};

constexpr std::array kDepths = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 20};
constexpr std::array kWorkers = {1, 2, 4};
constexpr std::array kSamples = {50, 100, 200, 400};
constexpr int kDeep = 20, kThesisWorkers = 2;
constexpr std::size_t kStepsOfSet = 4;

stream::StreamOptions limits(int depth) {
  stream::StreamOptions options;
  options.max_depth = depth;
  return options;
}

stream::StreamOptions fresh_options(int depth, int samples_per_leaf) {
  stream::StreamOptions options = limits(depth);
  options.schedule = stream::Schedule::kFresh;
  options.samples_per_leaf = samples_per_leaf;
  return options;
}

// Trains trees on the records of one data set. No thread pool exists meanwhile: it would limit the threads of the
// trees' own pools.
class SetStudy {
 public:
  SetStudy(const PublishedSet& published, RecordPair pair, const StreamAccuracyOptions& options)
      : published_(published), pair_(std::move(pair)), options_(options), work_(options.work) {
    for (int order = 0; order < options.repeats; ++order) used_.push_back(drawn(order, published.train_records));
  }

  OrderAccuracy accuracy(int samples_per_leaf, int depth) const {
    OrderAccuracy row{samples_per_leaf, depth, {}, {}, {}, {}};
    row.fresh =
        over_orders([&](const records::RecordTable& t) { return streamed(t, fresh_options(depth, samples_per_leaf)); });
    row.passes = over_orders([&](const records::RecordTable& t) { return streamed(t, limits(depth)); });
    row.exact = over_orders([&](const records::RecordTable& t) { return exact(t, depth); });
    if (!device_of(work_).is_cpu()) return row;  // histograms of Ben-Haim are counted only on the CPU
    stream::StreamOptions options = fresh_options(depth, samples_per_leaf);
    options.bins = published_.bins;
    row.ben_haim = over_orders([&](const records::RecordTable& t) {
      return accuracy_on(grow_tree(t, options, work_, kThesisWorkers, 1, ben_haim_leaf_sketches()).forest, pair_.test);
    });
    return row;
  }

  std::vector<DepthAccuracy> curve() const {
    const records::RecordTable table = drawn(0, pair_.train.labels.size());
    std::vector<DepthAccuracy> points;
    for (const int depth : kDepths)
      points.push_back({depth, streamed(table, fresh_options(depth, 100)), streamed(table, fresh_options(depth, 200)),
                        streamed(table, limits(depth)), exact(table, depth)});
    return points;
  }

  void time_training(StreamAccuracySet& set) const {
    const int depth = published_.of_100.depth;
    set.fresh = timed(used_[0], fresh_options(depth, 100));
    set.passes = timed(used_[0], limits(depth));
    set.whole = timed(pair_.train, limits(depth));
    set.deep = timed(pair_.train, limits(kDeep));
  }

  void time_work(StreamAccuracySet& set) const {
    // The whole file, so that a large number of samples for each leaf does not exhaust the stream.
    const records::RecordTable table = drawn(0, pair_.train.labels.size());
    stream::StreamWork work = work_;
    work.parallel = stream::Parallel::kData;
    const auto timed = [&](int workers, int samples_per_leaf) {
      const stream::StreamOptions options = fresh_options(published_.of_100.depth, samples_per_leaf);
      return WorkTime{workers, samples_per_leaf,
                      grow_median_tree(table, options, work, workers, options_.repeats).report};
    };
    for (const int workers : kWorkers) set.by_workers.push_back(timed(workers, 100));
    for (const int samples : kSamples) set.by_samples.push_back(timed(1, samples));
  }

  StreamAccuracySet facts() const {
    StreamAccuracySet set;
    set.published = &published_;
    set.train_records = pair_.train.labels.size();
    set.used_records = used_[0].labels.size();
    set.test_records = pair_.test.labels.size();
    set.majority = majority_accuracy(pair_.train, pair_.test);
    return set;
  }

 private:
  /// At most `most_records` records, in one of the random orders.
  records::RecordTable drawn(int order, std::size_t most_records) const {
    std::vector<std::size_t> numbers =
        drawn_order(pair_.train.labels.size(), options_.seed, static_cast<std::uint32_t>(order));
    numbers.resize(std::min(numbers.size(), most_records));
    return picked_records(pair_.train, numbers);
  }

  double streamed(const records::RecordTable& table, const stream::StreamOptions& options) const {
    return accuracy_on(grow_tree(table, options, work_, work_.workers).forest, pair_.test);
  }
  double exact(const records::RecordTable& table, int depth) const {
    return accuracy_on(exact_tree(table, limits(depth), work_.workers), pair_.test);
  }
  TimedTree timed(const records::RecordTable& table, const stream::StreamOptions& options) const {
    const GrownTree grown = grow_median_tree(table, options, work_, work_.workers, options_.repeats);
    return {grown.report, accuracy_on(grown.forest, pair_.test)};
  }

  template <typename Accuracy>
  OrderSpread over_orders(const Accuracy& accuracy) const {
    std::vector<double> found;
    for (const records::RecordTable& table : used_) found.push_back(accuracy(table));
    const RunTimes summary = summarize_times(found);
    return {summary.mean, summary.deviation};
  }

  const PublishedSet& published_;
  const RecordPair pair_;
  const StreamAccuracyOptions& options_;
  const stream::StreamWork& work_;
  std::vector<records::RecordTable> used_;  ///< [order] As many records as in the thesis.
};

}  // namespace

std::span<const PublishedSet> published_sets() { return kPublished; }

StreamAccuracyStudy run_stream_accuracy_study(const StreamAccuracyOptions& options, const ProgressCallback& progress) {
  check_study_folder(options.data);
  StreamAccuracyStudy study{options, ThreadPool(options.work.workers).num_threads(), {}, {}};
  std::vector<const PublishedSet*> there;
  for (const PublishedSet& set : kPublished)
    has_pair(options.data, set.name) ? there.push_back(&set) : study.missing.push_back(set.name);
  FW_CHECK(!there.empty(), Data,
           options.data.string() << " has none of the sets; put files there such as " << kPublished[0].name
                                 << ".train.libsvm and " << kPublished[0].name << ".test.libsvm");
  const std::size_t steps = there.size() * kStepsOfSet;
  for (std::size_t i = 0; i < there.size(); ++i) {
    const PublishedSet& published = *there[i];
    const auto tell = [&](std::size_t step) { progress(i * kStepsOfSet + step, steps); };
    tell(0);
    const SetStudy records(published, read_pair(options.data, published.name), study.options);
    StreamAccuracySet set = records.facts();
    set.accuracy = {records.accuracy(100, published.of_100.depth), records.accuracy(200, published.of_200.depth)};
    tell(1);
    set.curve = records.curve();
    tell(2);
    records.time_training(set);
    tell(3);
    records.time_work(set);
    study.sets.push_back(std::move(set));
  }
  progress(steps, steps);
  return study;
}

}  // namespace fernwood::lab
