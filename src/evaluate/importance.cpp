// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/importance.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "core/draw.h"
#include "evaluate/altered_frames.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/predict/predictor.h"
#include "forest/loops.h"
#include "predict/cpu_predictor.h"

namespace fernwood::evaluate {

namespace {

using Exchange = PermutationImportance::Exchange;

constexpr std::int32_t kRowsPerTile = 16;

struct LoadedFrame {
  image::PreparedFrame prepared;
  image::LabelImage truth;
};

std::vector<std::string> context_names(const image::ChannelLayout& channels) {
  std::vector<std::string> names;
  for (int c = channels.context_channel(); c < channels.num_channels(); ++c) names.push_back(channels.name(c));
  return names;
}

/// First the empty exchange, for the accuracy of intact frames, then those of the report.
std::vector<Exchange> list_exchanges(const image::Preparation& preparation) {
  const image::ChannelLayout& channels = preparation.channels;
  std::vector<Exchange> exchanges(1);
  for (const image::ChannelSet* set : channels.sets())
    if (set->channels.size() > 1)
      exchanges.push_back({std::string(set->name), {set->channels.begin(), set->channels.end()}, false, {}});
  if (channels.num_context() > 1) exchanges.push_back({"context", context_names(channels), false, {}});
  for (int c = 0; c < channels.num_channels(); ++c)
    exchanges.push_back({channels.name(c), {channels.name(c)}, false, {}});
  if (preparation.has_maps()) exchanges.push_back({preparation.channel_name(image::kMapChannel), {}, false, {}, true});
  if (channels.depth_channel() >= 0) exchanges.push_back({"scale", {}, true, {}});
  return exchanges;
}

std::vector<std::size_t> shuffled(std::size_t num_frames, std::uint64_t seed) {
  std::vector<std::size_t> order(num_frames);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [seed](std::size_t i) {
    return draw(seed, RngStream::kFrames, 0, 0, static_cast<std::uint32_t>(i)).word[0];
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

/// Labels pixels with depth from one frame and channels from another.
class Labeller {
 public:
  explicit Labeller(const forest::Forest& forest)
      : correction_(forest::correct_sums(forest)),
        loops_(forest::fastest_variant()),
        trees_(predict::tables_of(forest, forest.labelling_trees())) {}

  image::LabelImage label(const image::FrameView& sites, const image::FrameView& channels) const {
    image::LabelImage labels(static_cast<std::size_t>(sites.rows), static_cast<std::size_t>(sites.cols));
    predict::RowTile tile;
    for (std::int32_t row = 0; row < sites.rows; row += kRowsPerTile) {
      const std::int32_t end = std::min(row + kRowsPerTile, sites.rows);
      tile.start(sites, predict::every_pixel(sites), row, end);
      tile.find_leaves(channels, trees_, loops_);
      tile.choose_labels(trees_, correction_, loops_, labels.row(static_cast<std::size_t>(row)));
    }
    return labels;
  }

 private:
  std::vector<forest::ClassPriorCorrection> correction_;  // [class]
  predict::LabelLoops loops_;
  std::vector<predict::TreeTables> trees_;
};

/// Labels a frame in which channels or depth are exchanged for those of the next frame of the circle.
image::LabelImage label_exchanged(const Labeller& labeller, const Exchange& exchange,
                                  const image::ChannelLayout& channels, const image::FrameView& own,
                                  const image::FrameView& next) {
  if (exchange.scale) return labeller.label(next, own);
  std::vector<bool> from_next;
  for (int c = 0; c < channels.num_channels(); ++c)
    from_next.push_back(std::ranges::count(exchange.channels, channels.name(c)) > 0);
  MixedFrame mixed;
  mixed.mix(own, next, from_next, exchange.maps);
  return labeller.label(own, mixed.view());
}

class Measurement {
 public:
  Measurement(const forest::Forest& forest, const dataset::Dataset& dataset, std::uint64_t seed, ThreadPool& pool)
      : forest_(forest),
        dataset_(dataset),
        pool_(pool),
        context_(forest, forest::fastest_variant()),
        labeller_(forest),
        order_(shuffled(dataset.size(), seed)),
        exchanges_(list_exchanges(forest.preparation)),
        confusions_(exchanges_.size(), Confusion(forest.classes.size())) {}

  PermutationImportance run(const ProgressCallback& progress) {
    const std::size_t batch = static_cast<std::size_t>(pool_.num_threads());
    for (std::size_t begin = 0; begin < order_.size(); begin += batch) {
      const std::size_t end = std::min(begin + batch, order_.size());
      measure(begin, end);
      if (progress) progress(end, order_.size());
    }
    PermutationImportance importance;
    importance.num_frames = order_.size();
    for (std::size_t e = 0; e < exchanges_.size(); ++e)
      exchanges_[e].accuracy = compute_metrics(confusions_[e], {}).without_void;
    importance.intact = exchanges_[0].accuracy;
    importance.exchanged.assign(exchanges_.begin() + 1, exchanges_.end());
    return importance;
  }

 private:
  LoadedFrame load(std::size_t place) const {
    const std::size_t index = order_[place % order_.size()];
    std::vector<predict::RowTile> worker(1);
    return {context_.prepare(dataset_.read_frame(index), nullptr, worker),
            dataset_.read_labels(index, forest_.classes)};
  }

  void check_size(std::size_t place, const LoadedFrame& a, const LoadedFrame& b) const {
    const image::FrameView first = a.prepared.view(), second = b.prepared.view();
    const auto name = [&](std::size_t at) { return dataset_.files(order_[at % order_.size()]).name; };
    FW_CHECK(first.rows == second.rows && first.cols == second.cols, Data,
             dataset_.folder().string() << ": " << name(place) << " is " << first.cols << " x " << first.rows
                                        << " pixels, " << name(place + 1) << " " << second.cols << " x " << second.rows
                                        << "; frames exchange channels, so scale them to one size");
  }

  /// Labels the frames at places [begin, end) of the circle with each exchange, and counts the results.
  void measure(std::size_t begin, std::size_t end) {
    std::vector<LoadedFrame> frames(end - begin + 1);
    pool_.for_each(frames.size(), [&](std::size_t i, int) { frames[i] = load(begin + i); });
    for (std::size_t i = 0; i + 1 < frames.size(); ++i) check_size(begin + i, frames[i], frames[i + 1]);
    pool_.for_each((end - begin) * exchanges_.size(), [&](std::size_t task, int) {
      const std::size_t i = task / exchanges_.size(), e = task % exchanges_.size();
      const image::LabelImage found = label_exchanged(labeller_, exchanges_[e], forest_.preparation.channels,
                                                      frames[i].prepared.view(), frames[i + 1].prepared.view());
      const std::lock_guard lock(counting_);
      confusions_[e].add(frames[i].truth, found);
    });
  }

  const forest::Forest& forest_;
  const dataset::Dataset& dataset_;
  ThreadPool& pool_;
  predict::ContextStageRunner context_;
  Labeller labeller_;
  std::vector<std::size_t> order_;  // [place in the circle] index of the frame
  std::vector<Exchange> exchanges_;
  std::mutex counting_;
  std::vector<Confusion> confusions_;  // [exchange]
};

}  // namespace

PermutationImportance permutation_importance(const forest::Forest& forest, const dataset::Dataset& dataset,
                                             std::uint64_t seed, ThreadPool& pool, const ProgressCallback& progress) {
  const DefaultFloats floats;
  FW_CHECK(!forest.labelling_trees().empty(), Model, "the forest has no tree; train one first");
  predict::check_images(forest, dataset.content(), dataset.folder().string());
  FW_CHECK(
      dataset.size() >= 2, Data,
      dataset.folder().string() << " has " << dataset.size() << " frame; frames exchange channels, so give at least 2");
  return Measurement(forest, dataset, seed, pool).run(progress);
}

}  // namespace fernwood::evaluate
