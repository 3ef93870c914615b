// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/lru_cache.h"

namespace fernwood::train {

LruCache::Place LruCache::use(std::uint32_t key) {
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
