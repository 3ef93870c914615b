// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::train {

/// Memory budget for cached objects. Thread-safe, except for set_most().
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Reserves memory. @return  Whether the budget allowed it; if not, nothing is reserved.
  bool take(std::size_t size_bytes) {
    if (taken_bytes_.fetch_add(size_bytes) + size_bytes <= most_bytes_) return true;
    taken_bytes_ -= size_bytes;
    return false;
  }
  void give_back(std::size_t size_bytes) { taken_bytes_ -= size_bytes; }

  /// Sets the limit, even below what is already reserved.
  void set_most(std::size_t most_bytes) { most_bytes_ = most_bytes; }
  bool is_exceeded() const { return taken_bytes_ > most_bytes_; }
  std::size_t taken_bytes() const { return taken_bytes_; }

 private:
  std::size_t most_bytes_;
  std::atomic<std::size_t> taken_bytes_ = 0;
};

/// The frames of a data set in some form: cached in memory within a budget, loaded again at each visit beyond it.
/// @tparam Loaded  Must have `size_bytes()`.
template <typename Loaded>
class CachedFrames {
 public:
  using Load = std::function<Loaded(std::uint32_t index)>;
  CachedFrames(std::size_t num_frames, std::size_t budget_bytes, Load load)
      : load_(std::move(load)), budget_(budget_bytes), kept_(num_frames) {}

  /// Calls `visit(i, frame of indices[i], worker)` once for each i, on all threads of the pool.
  template <typename Visit>
  void visit(const std::vector<std::uint32_t>& indices, ThreadPool& pool, const Visit& visit) {
    pool.for_each(indices.size(), [&](std::size_t i, int worker) {
      visit_one(indices[i], [&](const Loaded& frame) { visit(i, frame, worker); });
    });
  }

  /// Changes the budget; the frames with the highest indices are dropped first.
  void set_budget(std::size_t budget_bytes) {
    budget_.set_most(budget_bytes);
    for (std::size_t i = kept_.size(); i-- > 0 && budget_.is_exceeded();) {
      if (!kept_[i]) continue;
      budget_.give_back(kept_[i]->size_bytes());
      kept_[i].reset();
    }
  }

  /// Calls `visit(frame)`. A frame must not be visited from two threads at a time.
  template <typename Visit>
  void visit_one(std::uint32_t index, const Visit& visit) {
    if (const auto& kept = kept_[index]) return visit(std::as_const(*kept));
    Loaded loaded = load_(index);
    visit(std::as_const(loaded));
    keep(index, std::move(loaded));
  }

  /// Caches a frame that has just been decoded, if the budget permits.
  void keep(std::uint32_t index, Loaded loaded) {
    ++num_decoded_;
    if (budget_.take(loaded.size_bytes())) kept_[index] = std::make_unique<Loaded>(std::move(loaded));
  }

  /// Calls `update(index, frame)` for each cached frame, on all threads of the pool.
  template <typename Update>
  void update_kept(ThreadPool& pool, const Update& update) {
    pool.for_each(kept_.size(), [&](std::size_t i, int) {
      if (kept_[i]) update(static_cast<std::uint32_t>(i), *kept_[i]);
    });
  }

  /// A cached frame, or null.
  const Loaded* find(std::uint32_t index) const { return kept_[index].get(); }
  std::size_t kept_bytes() const { return budget_.taken_bytes(); }
  std::size_t num_kept() const {
    return static_cast<std::size_t>(std::ranges::count_if(kept_, [](const auto& frame) { return frame != nullptr; }));
  }
  /// Number of frames decoded so far, repeated decoding included.
  std::size_t num_decoded() const { return num_decoded_; }
  std::size_t num_frames() const { return kept_.size(); }

 private:
  Load load_;
  ByteBudget budget_;
  std::vector<std::unique_ptr<Loaded>> kept_;  // [frame] or null
  std::atomic<std::size_t> num_decoded_ = 0;
};

/// A frame in the form that training on the CPU reads.
struct LoadedFrame {
  std::shared_ptr<const image::PreparedFrame> kept;  ///< Shared with the data set's cache; null: `own` is the frame.
  image::PreparedFrame own;
  image::LabelImage labels;

  image::FrameView view() const { return kept ? kept->view() : own.view(); }
  std::size_t size_bytes() const { return own.size_bytes() + labels.size() * sizeof(std::uint16_t); }
};

/// The prepared frames of a data set. Frames that were read before they can be prepared, because feature maps depend on
/// all of them, wait here.
class FrameStore : public CachedFrames<LoadedFrame> {
 public:
  /// @param classes, preparation  Must outlive the store, and be complete when a frame is visited.
  /// @param read_budget_bytes     For frames that wait.
  FrameStore(const dataset::Dataset& dataset, const image::ClassMap& classes, const image::Preparation& preparation,
             std::size_t budget_bytes, std::size_t read_budget_bytes = 0)
      : CachedFrames(dataset.size(), budget_bytes, [this](std::uint32_t index) { return load(index); }),
        dataset_(dataset),
        classes_(classes),
        preparation_(preparation),
        read_(dataset.size()),
        read_budget_(read_budget_bytes) {}
  FrameStore(const FrameStore&) = delete;  // the load function refers to `this`
  FrameStore& operator=(const FrameStore&) = delete;

  /// Holds a frame as read until it is prepared, if the budget permits. Any thread; once per frame.
  void keep_read(std::uint32_t index, dataset::LabelledFrame frame) {
    const std::size_t size_bytes = frame.frame.color.size() * sizeof(image::Rgb) +
                                   (frame.frame.depth_mm.size() + frame.labels.size()) * sizeof(std::uint16_t) +
                                   frame.frame.maps.values.size() * sizeof(float);
    if (read_budget_.take(size_bytes)) read_[index] = std::move(frame);
  }
  /// A frame as read: a copy of the one that waits, or read again.
  dataset::LabelledFrame read(std::uint32_t index) const {
    if (read_[index]) return *read_[index];
    return {dataset_.read_frame(index), dataset_.read_labels(index, classes_)};
  }
  /// Frees the frames that wait.
  void drop_read() { std::ranges::fill(read_, std::nullopt); }

  /// Sets the context channels of all frames. @param maps  [frame]
  void set_context(std::vector<image::ContextMaps> maps, ThreadPool& pool) {
    context_ = std::move(maps);
    update_kept(pool, [&](std::uint32_t index, LoadedFrame& frame) { frame.own.set_context(context_[index]); });
  }

 private:
  LoadedFrame load(std::uint32_t index) {
    std::optional<dataset::LabelledFrame> read = std::exchange(read_[index], std::nullopt);
    LoadedFrame loaded;
    loaded.labels = read ? std::move(read->labels) : dataset_.read_labels(index, classes_);
    // Context is written into the planes, so frames with context cannot be shared.
    if (preparation_.channels.num_context() == 0) loaded.kept = dataset_.kept_frame(index, preparation_);
    if (!loaded.kept)
      loaded.own = image::PreparedFrame(read ? std::move(read->frame) : dataset_.read_frame(index), preparation_);
    if (!context_.empty()) loaded.own.set_context(context_[index]);
    return loaded;
  }

  const dataset::Dataset& dataset_;
  const image::ClassMap& classes_;
  const image::Preparation& preparation_;
  std::vector<std::optional<dataset::LabelledFrame>> read_;  // [frame] until it is prepared
  ByteBudget read_budget_;
  std::vector<image::ContextMaps> context_;  // [frame], or empty
};

}  // namespace fernwood::train
