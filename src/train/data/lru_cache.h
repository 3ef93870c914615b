// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <unordered_map>

namespace fernwood::train {

/// Maps keys to the slots of a cache, and replaces the least recently used key. It does not store the content of slots.
/// A sequence longer than the cache that is repeated in the same order always misses; repeated in alternating
/// directions, it hits for as many keys as the cache has slots.
class LruCache {
 public:
  explicit LruCache(std::size_t num_slots) : num_slots_(num_slots) {}

  struct Place {
    std::size_t slot;
    bool hit;  ///< Whether the slot already held the key.
  };
  /// Slot of `key`, which becomes the most recently used one. Requires at least one slot.
  Place use(std::uint32_t key);

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

inline LruCache::Place LruCache::use(std::uint32_t key) {
  if (const auto found = places_.find(key); found != places_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    ++num_hits_;
    return {found->second->slot, true};
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
  return {entries_.front().slot, false};
}

}  // namespace fernwood::train
