// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/online/online_forest.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/draw.h"
#include "fernwood/core/error.h"

namespace fernwood::stream {

namespace {

constexpr int kMeanWeight = 6;
constexpr std::int64_t kWholeWeight = 256;  ///< Weight of the votes of a tree that was always right.

/// [weight] Probability that a Poisson number of mean kMeanWeight is at most this, in 2^-32.
std::array<std::uint32_t, 24> poisson_thresholds() {
  std::array<std::uint32_t, 24> thresholds{};
  double share = 0.0024787521766663585, sum = 0;  // e^-6
  for (std::size_t weight = 0; weight < thresholds.size(); ++weight) {
    sum += share;
    thresholds[weight] = static_cast<std::uint32_t>(sum * 4294967296.0);
    share = share * kMeanWeight / static_cast<double>(weight + 1);
  }
  return thresholds;
}

const std::array<std::uint32_t, 24> kPoisson = poisson_thresholds();

std::int64_t poisson(std::uint32_t random) {
  std::int64_t weight = 0;
  for (const std::uint32_t threshold : kPoisson) weight += random >= threshold;
  return weight;
}

}  // namespace

std::int64_t ForestMember::weight() const {
  const auto right = static_cast<std::int64_t>(since_.records - since_.wrong);
  return right == 0 ? kWholeWeight
                    : std::max<std::int64_t>(1, right * kWholeWeight / static_cast<std::int64_t>(since_.records));
}

/// For targets: whether the error is at most the mean error of the tree.
bool ForestMember::is_right(const OnlineShape& shape, std::int64_t predicted, std::int64_t label) {
  if (!shape.of_targets()) return predicted == label;
  const auto error = static_cast<double>(std::abs(predicted - label));
  const bool right = error * static_cast<double>(since_.records) <= absolute_;
  absolute_ += error;
  return right;
}

void ForestMember::test_and_learn(const OnlineShape& shape, const OnlineChunk& chunk, std::int64_t* votes) {
  const std::size_t num_votes = shape.of_targets() ? 1 : shape.num_cells();
  std::vector<std::int64_t> vote(num_votes);
  Draw drawn{};
  for (std::size_t i = 0; i < chunk.records.size(); ++i, votes += num_votes) {
    const OnlineRecord& record = chunk.records[i];
    const std::uint64_t number = chunk.first + i;
    if (i == 0 || number % 4 == 0)
      drawn = draw(shape.options.seed, RngStream::kBootstrap, number_, 0, static_cast<std::uint32_t>(number / 4),
                   static_cast<std::uint32_t>(number >> 34));
    const std::int64_t times = poisson(drawn.word[number % 4]);
    const std::int64_t predicted = tree_.test_and_learn(shape, record, times, vote);
    const std::int64_t factor = shape.of_targets() ? 1 : weight();
    for (std::size_t c = 0; c < num_votes; ++c) votes[c] += factor * vote[c];
    if (background_) background_since_ += {1, background_->test_and_learn(shape, record, times, vote) != record.label};
    adapt(shape, is_right(shape, predicted, record.label));
  }
}

/// A warning begins a tree in the background, which replaces the tree when the change is certain.
void ForestMember::adapt(const OnlineShape& shape, bool is_right) {
  const Errors error = {1, !is_right};
  since_ += error;
  if (warning_.add(error, shape.options.warning_delta)) {
    ++drift_.warnings;
    drift_.dropped += background_.has_value();
    background_.emplace(shape, number_, ++serial_);
    background_since_ = {};
    warning_ = {};
  }
  if (!change_.add(error, shape.options.drift_delta)) return;
  ++drift_.replaced;
  since_ = background_ ? background_since_ : Errors();
  absolute_ = 0;
  if (shape.of_targets()) since_ = {};
  tree_ = background_ ? std::move(*background_) : OnlineTree(shape, number_, ++serial_);
  background_.reset();
  warning_ = change_ = {};
}

void ForestMember::adopt(const OnlineShape& before, const OnlineShape& now) {
  tree_.adopt(before, now);
  if (background_) background_->adopt(before, now);
}

void ForestMember::pack(Packer& packer) const {
  packer.put(number_);
  packer.put(serial_);
  tree_.pack(packer);
  packer.put(background_.has_value());
  if (background_) background_->pack(packer);
  packer.put(since_);
  packer.put(background_since_);
  packer.put(absolute_);
  warning_.pack(packer);
  change_.pack(packer);
  packer.put(drift_);
}

void ForestMember::unpack(Unpacker& unpacker, const OnlineShape& shape) {
  unpacker.get(number_);
  unpacker.get(serial_);
  tree_.unpack(unpacker, shape);
  bool has_background = false;
  unpacker.get(has_background);
  background_.reset();
  if (has_background) background_.emplace().unpack(unpacker, shape);
  unpacker.get(since_);
  unpacker.get(background_since_);
  unpacker.get(absolute_);
  warning_.unpack(unpacker);
  change_.unpack(unpacker);
  unpacker.get(drift_);
  FW_CHECK(is_possible(since_) && is_possible(background_since_) && absolute_ >= 0, Model,
           "the errors of a tree of its forest are not possible");
}

OnlineForest::OnlineForest(const StreamOptions& options, const StreamWork& work, ThreadPool& pool,
                           Communicator& communicator)
    : shape_{options, {}},
      pool_(pool),
      communicator_(communicator),
      errors_(work.accuracy_window),
      target_errors_(work.accuracy_window) {}

/// Adopts the layout of the records that follow.
void OnlineForest::follow(const CountLayout& layout) {
  const OnlineShape before = std::exchange(shape_, {shape_.options, layout, shape_.recent});
  if (before.layout.num_attributes == 0) {
    for (std::uint32_t number = 0; number < static_cast<std::uint32_t>(shape_.options.trees); ++number)
      if (is_mine(number)) members_.emplace_back(shape_, number);
    return;
  }
  for_each(&pool_, members_.size(), [&](std::size_t m) { members_[m].adopt(before, shape_); });
}

void OnlineForest::test_and_learn(const records::RecordTable& table, std::uint64_t first, const CountLayout& layout) {
  shape_.recent.observe(table, pool_);
  if (layout.num_attributes != shape_.layout.num_attributes || layout.num_classes != shape_.layout.num_classes)
    follow(layout);
  const std::size_t num_records = table.values.rows();
  OnlineChunk chunk{first, std::vector<OnlineRecord>(num_records)};
  for (std::size_t i = 0; i < num_records; ++i)
    chunk.records[i] = {table.values.row(i),
                        shape_.of_targets() ? shape_.layout.targets->number_of(table.targets[i]) : table.labels[i]};
  const std::size_t num_votes = num_records * (shape_.of_targets() ? 1 : shape_.num_cells());
  std::vector<std::vector<std::int64_t>> of_worker(static_cast<std::size_t>(pool_.num_threads()));
  pool_.for_each(members_.size(), [&](std::size_t m, int worker) {
    std::vector<std::int64_t>& votes = of_worker[static_cast<std::size_t>(worker)];
    votes.resize(num_votes);
    members_[m].test_and_learn(shape_, chunk, votes.data());
  });
  std::vector<std::int64_t> votes(num_votes);
  for (const std::vector<std::int64_t>& some : of_worker)
    for (std::size_t i = 0; i < some.size(); ++i) votes[i] += some[i];
  sum(votes);
  evaluate(chunk, votes);
}

/// Adds up the votes of all processes.
void OnlineForest::sum(std::vector<std::int64_t>& votes) {
  if (communicator_.size() == 1) return;
  const std::vector<std::vector<std::int64_t>> all = gather_equal(votes, communicator_);
  std::ranges::fill(votes, 0);
  for (const std::vector<std::int64_t>& some : all)
    for (std::size_t i = 0; i < some.size(); ++i) votes[i] += some[i];
}

/// The first record of the stream is not tested, because no tree knows anything then.
void OnlineForest::evaluate(const OnlineChunk& chunk, const std::vector<std::int64_t>& votes) {
  Errors errors;
  TargetErrors target_errors;
  const std::size_t cells = shape_.num_cells();
  for (std::size_t i = chunk.first == 0 ? 1 : 0; i < chunk.records.size(); ++i) {
    const std::int64_t label = chunk.records[i].label;
    if (shape_.of_targets()) {
      target_errors.add(label, votes[i] / shape_.options.trees);
    } else {
      const std::int64_t* const row = votes.data() + i * cells;
      errors += {1, std::max_element(row, row + cells) - row != label};
    }
  }
  errors_.add(errors);
  target_errors_.add(target_errors);
}

std::size_t OnlineForest::num_leaves() const {
  std::size_t sum = 0;
  for (const ForestMember& member : members_) sum += member.tree().num_leaves();
  return sum;
}

int OnlineForest::depth() const {
  int most = 0;
  for (const ForestMember& member : members_) most = std::max(most, member.tree().depth());
  return most;
}

std::size_t OnlineForest::bytes() const {
  std::size_t sum = 0;
  for (const ForestMember& member : members_) sum += member.bytes();
  return sum;
}

Prequential OnlineForest::prequential() const {
  Prequential told;
  const Errors all = errors_.all(), recent = errors_.recent();
  told.records = all.records, told.right = all.records - all.wrong;
  told.recent_records = recent.records, told.recent_right = recent.records - recent.wrong;
  if (!shape_.of_targets() || target_errors_.all().records == 0) return told;
  const double unit = shape_.layout.targets->unit();
  const TargetErrors recent_targets = target_errors_.recent();
  told.records = target_errors_.all().records, told.recent_records = recent_targets.records;
  told.errors = target_errors_.all().in_units_of(unit);
  told.recent_errors = recent_targets.in_units_of(unit);
  return told;
}

DriftCounts OnlineForest::drift() const {
  DriftCounts sum;
  for (const ForestMember& member : members_) {
    sum.warnings += member.drift().warnings;
    sum.replaced += member.drift().replaced;
    sum.dropped += member.drift().dropped;
  }
  return sum;
}

std::vector<double> OnlineForest::importances() const {
  std::vector<double> shares(shape_.layout.num_attributes);
  for (const ForestMember& member : members_) {
    std::vector<double> gains(shares.size());
    member.tree().add_gains(gains);
    double sum = 0;
    for (const double gain : gains) sum += gain;
    for (std::size_t a = 0; a < gains.size() && sum > 0; ++a)
      shares[a] += gains[a] / sum / static_cast<double>(members_.size());
  }
  return shares;
}

/// Classes: votes are logarithms of shares, so that their weighted mean is the logarithm of a weighted geometric mean.
records::RecordForest OnlineForest::make_forest() const {
  records::RecordForest forest;
  if (shape_.of_targets()) {
    forest.link = records::Link::kIdentity;
    forest.float_sums = records::FloatSums{.base = {0}, .divisor = static_cast<double>(members_.size())};
    for (const ForestMember& member : members_) forest.trees.push_back(member.tree().regressor(shape_));
    return forest;
  }
  constexpr double kMaxVote = 45;  // above ln(2^63)
  forest.link = records::Link::kSoftmax;
  forest.fraction_bits =
      std::min(24, records::fitting_fraction_bits(kMaxVote * static_cast<double>(shape_.subspace() + 1)));
  forest.base.assign(shape_.num_cells(), 0);
  std::int64_t sum = 0;
  for (const ForestMember& member : members_) sum += member.weight();
  for (const ForestMember& member : members_)
    member.tree().add_classifiers(shape_, static_cast<double>(member.weight()) / static_cast<double>(sum),
                                  forest.fraction_bits, forest.trees);
  forest.trees_per_iteration = 0;  // several trees of the file are one of the forest
  return forest;
}

/// The trees of all processes, in their order.
Bytes OnlineForest::members_of_all() {
  Bytes bytes;
  Packer packer(bytes);
  for (const ForestMember& member : members_) {
    Bytes of_member;
    Packer of_member_packer(of_member);
    member.pack(of_member_packer);
    packer.put(of_member);
  }
  const std::vector<Bytes> all = communicator_.gather_all(bytes);
  std::vector<Unpacker> readers(all.begin(), all.end());
  Bytes joined;
  Packer joiner(joined);
  const auto num_trees = members_.empty() && shape_.layout.num_attributes == 0
                             ? std::size_t{0}
                             : static_cast<std::size_t>(shape_.options.trees);
  for (std::size_t number = 0; number < num_trees; ++number) {
    Bytes member;
    readers[number % readers.size()].get(member);
    joiner.put(member);
  }
  return joined;
}

void OnlineForest::gather() {
  if (communicator_.size() == 1) return;
  const Bytes all = members_of_all();
  Unpacker unpacker(all);
  members_.clear();
  for (std::uint32_t number = 0; number < static_cast<std::uint32_t>(shape_.options.trees); ++number) {
    Bytes bytes;
    unpacker.get(bytes);
    Unpacker member(bytes);
    members_.emplace_back(shape_, number).unpack(member, shape_);
  }
}

void OnlineForest::pack(Packer& packer) {
  errors_.pack(packer);
  target_errors_.pack(packer);
  shape_.recent.pack(packer);
  packer.put(members_of_all());
}

void OnlineForest::unpack(Unpacker& unpacker, const CountLayout& layout) {
  errors_.unpack(unpacker);
  target_errors_.unpack(unpacker);
  shape_.layout = layout;
  shape_.recent.unpack(unpacker, layout.num_attributes);
  Bytes all;
  unpacker.get(all);
  Unpacker reader(all);
  members_.clear();
  for (std::uint32_t number = 0; number < static_cast<std::uint32_t>(shape_.options.trees); ++number) {
    Bytes bytes;
    reader.get(bytes);
    if (!is_mine(number)) continue;
    Unpacker member(bytes);
    members_.emplace_back(shape_, number).unpack(member, shape_);
  }
}

}  // namespace fernwood::stream
