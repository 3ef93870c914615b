// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/memory_budget.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/prepared_frame.h"

// Frames that a training caches: as they were read, in the form of its device, and in GPU memory. See memory_plan.h for
// the limits.

namespace fernwood::train {

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
    budget_.set_limit(budget_bytes);
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
  MemoryBudget budget_;
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

/// A frame as it was read, and the maps of its backbone if they are known.
struct ReadFrame {
  dataset::LabelledFrame frame;
  image::FeatureMaps of_backbone;
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
  void keep_read(std::uint32_t index, ReadFrame read) {
    const std::size_t of_maps = read.of_backbone.size_bytes();
    if (read_budget_.take(read.frame.frame.size_bytes() + read.frame.labels.size() * sizeof(std::uint16_t) + of_maps))
      read_[index] = std::move(read);
  }
  /// A frame as read: a copy of the one that waits, or read again.
  dataset::LabelledFrame read(std::uint32_t index) const {
    if (read_[index]) return read_[index]->frame;
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
    std::optional<ReadFrame> read = std::exchange(read_[index], std::nullopt);
    LoadedFrame loaded;
    loaded.labels = read ? std::move(read->frame.labels) : dataset_.read_labels(index, classes_);
    // Context is written into the planes, so frames with context cannot be shared.
    if (preparation_.channels.num_context() == 0) loaded.kept = dataset_.kept_frame(index, preparation_);
    if (!loaded.kept)
      loaded.own = read ? image::PreparedFrame(read->frame.frame, preparation_, nullptr, std::move(read->of_backbone))
                        : image::PreparedFrame(dataset_.read_frame(index), preparation_);
    if (!context_.empty()) loaded.own.set_context(context_[index]);
    return loaded;
  }

  const dataset::Dataset& dataset_;
  const image::ClassMap& classes_;
  const image::Preparation& preparation_;
  std::vector<std::optional<ReadFrame>> read_;  // [frame] until it is prepared
  MemoryBudget read_budget_;
  std::vector<image::ContextMaps> context_;  // [frame], or empty
};

/// Maps keys to the slots of a cache, and replaces the least recently used key. It does not store the content of slots.
/// A sequence longer than the cache that is repeated in the same order always misses; repeated in alternating
/// directions, it hits for as many keys as the cache has slots.
class LruCache {
 public:
  explicit LruCache(std::size_t num_slots) : num_slots_(num_slots) {}

  /// Slot of `key`, which becomes the most recently used one. Requires at least one slot.
  std::size_t use(std::uint32_t key) {
    if (const auto found = places_.find(key); found != places_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      ++num_hits_;
      return found->second->slot;
    }
    ++num_misses_;
    if (entries_.size() < num_slots_) {
      entries_.push_front({key, entries_.size()});
    } else {
      places_.erase(entries_.back().key);
      entries_.splice(entries_.begin(), entries_, std::prev(entries_.end()));
      entries_.front().key = key;
    }
    places_[key] = entries_.begin();
    return entries_.front().slot;
  }

  /// Removes all keys.
  void clear() {
    entries_.clear();
    places_.clear();
  }

  bool holds(std::uint32_t key) const { return places_.contains(key); }
  std::size_t num_slots() const { return num_slots_; }
  std::size_t num_hits() const { return num_hits_; }
  std::size_t num_misses() const { return num_misses_; }

 private:
  struct Entry {
    std::uint32_t key;
    std::size_t slot;
  };
  std::size_t num_slots_, num_hits_ = 0, num_misses_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::uint32_t, std::list<Entry>::iterator> places_;
};

}  // namespace fernwood::train
