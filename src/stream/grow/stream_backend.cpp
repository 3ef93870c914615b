// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_backend.h"

#include <algorithm>

namespace fernwood {

void add_split(const Split& split, LeafSearch& found) {
  const bool wins = split.beats(found.best);
  found.second = std::max(found.second, wins ? found.best.purity : split.purity);
  if (wins) found.best = split;
}

void add_search(LeafSearch&& other, LeafSearch& found) {
  const bool wins = other.best.beats(found.best);
  found.second = std::max({found.second, other.second, wins ? found.best.purity : other.best.purity});
  if (!wins) return;
  found.best = other.best;
  found.left = std::move(other.left);
}

}  // namespace fernwood
