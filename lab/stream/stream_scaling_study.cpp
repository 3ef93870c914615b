// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/stream_scaling_study.h"

#include "fernwood/core/error.h"
#include "fernwood/generate/synthetic_records.h"
#include "lab/stream/stream_study.h"

namespace fernwood::lab {

namespace {

// From their evaluation_result_general.xlsx.
constexpr PublishedVersions kIjcnn1 = {{2.836, 2.542, 1.174, 3.621}, {.642, .642, .905, .905}};
constexpr PublishedVersions kMiddle = {{22.48, 15.22, 9.86, 9.78}, {.503, .503, .551, .499}};
constexpr PublishedVersions kBig = {{207.07, 114.81, 97.83, 93.54}, {.499, .499, .501, .499}};
constexpr std::uint64_t kMiddleRecords = 100'000, kBigRecords = 1'000'000;
constexpr int kAttributes = 50, kTestShare = 5;

stream::StreamOptions stream_scaling_options() {
  stream::StreamOptions options;
  options.criterion = records::Criterion::kEntropy;
  options.max_leaves = 64;
  options.max_depth = 9;
  options.min_samples = 32;
  options.bins = 64;
  options.min_gain = 1e-3;
  return options;
}

/// Grows the trees of one data set in all ways, which must give the same tree.
class WaysOfSet {
 public:
  WaysOfSet(const RecordPair& pair, const StreamScalingOptions& options, StreamScalingSet& set)
      : pair_(pair), options_(options), set_(set) {}

  void grow(stream::Parallel parallel, int workers, int ranks) {
    std::vector<GrownTree> trees;
    for (int run = 0; run < options_.repeats; ++run)
      trees.push_back(grow_tree(pair_.train, stream_scaling_options(), work(parallel), workers, ranks));
    add({to_string(parallel), workers, ranks, false, {}}, std::move(trees));
  }

  void grow_in_threads() {
    for (const stream::Parallel parallel :
         {stream::Parallel::kNode, stream::Parallel::kFeature, stream::Parallel::kData, stream::Parallel::kDataFeature})
      for (const int workers : kScaleWorkers) grow(parallel, workers, 1);
    for (const stream::Parallel parallel : {stream::Parallel::kData, stream::Parallel::kDataFeature})
      for (const int ranks : {2, 4}) grow(parallel, 1, ranks);
  }

  /// Grows with the other processes of the communicator, which call follow().
  void grow_with(Communicator& communicator) {
    const auto source = stream::make_table_source(pair_.name, pair_.train);
    std::vector<GrownTree> trees(static_cast<std::size_t>(options_.repeats));
    ThreadPool pool(1);
    for (GrownTree& tree : trees) {
      source->rewind();
      communicator.gather_all({1});
      tree.forest = stream::train_stream(source.get(), stream_scaling_options(), work(stream::Parallel::kDataFeature),
                                         pool, communicator, {}, &tree.report);
    }
    add({to_string(stream::Parallel::kDataFeature), 1, communicator.size(), true, {}}, std::move(trees));
  }

  /// Takes part in grow_with() until rank 0 has finished all data sets.
  static void follow(const StreamScalingOptions& options, Communicator& communicator) {
    ThreadPool pool(1);
    while (!communicator.gather_all({})[0].empty())
      stream::train_stream(nullptr, stream_scaling_options(), options.work, pool, communicator);
  }

 private:
  stream::StreamWork work(stream::Parallel parallel) const {
    stream::StreamWork work = options_.work;
    work.parallel = parallel;
    return work;
  }

  void add(WaysTime way, std::vector<GrownTree> trees) {
    for (const GrownTree& tree : trees) {
      const std::string hash = tree_hash(tree.forest);
      if (set_.hash.empty()) describe(tree, hash);
      FW_CHECK(hash == set_.hash, Runtime,
               way.parallel << " with " << way.workers << " workers and " << way.ranks << " ranks grows tree " << hash
                            << " from " << pair_.name << ", not " << set_.hash
                            << "; this is a bug, please report it with the command line");
    }
    way.times = median_tree(std::move(trees)).report.times;
    set_.ways.push_back(std::move(way));
  }

  void describe(const GrownTree& tree, const std::string& hash) {
    set_.hash = hash;
    set_.leaves = tree.report.leaves;
    set_.depth = tree.report.depth;
    set_.accuracy = accuracy_on(tree.forest, pair_.test);
  }

  const RecordPair& pair_;
  const StreamScalingOptions& options_;
  StreamScalingSet& set_;
};

records::RecordTable generated(std::uint64_t skip, std::uint64_t records, int attributes, std::uint64_t seed) {
  ThreadPool pool;
  generate::SyntheticRecordOptions options;
  options.skip = skip;
  options.records = records;
  options.attributes = attributes;
  options.seed = seed;
  return generate::SyntheticRecords(options).records(0, static_cast<std::size_t>(records), pool);
}

RecordPair generated_pair(std::uint64_t records, const StreamScalingOptions& options) {
  return {std::to_string(records) + " x " + std::to_string(kAttributes),
          generated(0, records, kAttributes, options.seed),
          generated(records, records / kTestShare, kAttributes, options.seed)};
}

StreamScalingSet study_set(const RecordPair& pair, const PublishedVersions* published,
                           const StreamScalingOptions& options, Communicator& communicator) {
  StreamScalingSet set;
  set.name = pair.name;
  set.published = published;
  set.records = pair.train.labels.size();
  set.attributes = pair.train.attributes.size();
  set.test_records = pair.test.labels.size();
  WaysOfSet ways(pair, options, set);
  ways.grow(stream::Parallel::kSequential, 1, 1);
  if (communicator.size() > 1)
    ways.grow_with(communicator);
  else
    ways.grow_in_threads();
  set.majority = majority_accuracy(pair.train, pair.test);
  set.exact = accuracy_on(exact_tree(pair.train, stream_scaling_options(), 0), pair.test);
  return set;
}

ScalePoint scale_point(std::uint64_t records, int attributes, const StreamScalingOptions& options) {
  const records::RecordTable table = generated(0, records, attributes, options.seed);
  ScalePoint point{table.labels.size(), table.attributes.size(), {}};
  for (const int workers : kScaleWorkers)
    point.seconds.push_back(
        grow_median_tree(table, stream_scaling_options(), options.work, workers, options.repeats).report.times.total_s);
  return point;
}

template <typename Tell>
void study_scaling(StreamScalingStudy& study, const Tell& tell) {
  const StreamScalingOptions& options = study.options;
  for (const unsigned part : {4u, 2u, 1u}) {
    study.by_records.push_back(scale_point(options.records / part, kAttributes, options));
    tell();
  }
  for (const int times : {1, 2, 4}) {
    study.by_attributes.push_back(scale_point(options.records, times * kAttributes, options));
    tell();
  }
}

}  // namespace

StreamScalingStudy run_stream_scaling_study(const StreamScalingOptions& options, Communicator& communicator,
                                            const ProgressCallback& progress) {
  StreamScalingStudy study{options, {}, {}, {}};
  if (communicator.rank() != 0) {
    WaysOfSet::follow(options, communicator);
    return study;
  }
  std::size_t done = 0;
  // Waiting processes keep their cores busy: under mpirun only the joint work is timed.
  const bool alone = communicator.size() == 1;
  const std::size_t steps = 1 + !options.data.empty() + options.large + (alone ? 6 : 0);
  const auto study_pair = [&](const RecordPair& pair, const PublishedVersions* published) {
    study.sets.push_back(study_set(pair, published, options, communicator));
    progress(++done, steps);
  };
  progress(0, steps);
  if (!options.data.empty()) {
    check_study_folder(options.data);
    FW_CHECK(has_pair(options.data, "ijcnn1"), Data,
             options.data.string() << " has no ijcnn1.train.libsvm and ijcnn1.test.libsvm; put them there, or leave "
                                      "--data out for generated records alone");
    study_pair(read_pair(options.data, "ijcnn1"), &kIjcnn1);
  }
  study_pair(generated_pair(options.records, options), options.records == kMiddleRecords ? &kMiddle : nullptr);
  if (options.large) study_pair(generated_pair(kBigRecords, options), &kBig);
  if (alone)
    study_scaling(study, [&] { progress(++done, steps); });
  else
    communicator.gather_all({});  // informs the other processes that this was the last set
  return study;
}

}  // namespace fernwood::lab
