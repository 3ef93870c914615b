// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/stream/stream_options.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// Part `index` of `count` items that are shared among `num_parts`.
inline AttributeRange part_of(std::size_t count, std::size_t index, std::size_t num_parts) {
  return {count * index / num_parts, count * (index + 1) / num_parts};
}

/// How workers share work: worker w counts of the records part w / attribute_parts and of the attributes part
/// w % attribute_parts.
struct Division {
  std::size_t record_parts = 1, attribute_parts = 1;
  bool by_leaf = false;
};

/// Divides work among threads: where both are divided there are as many parts of attributes as there can be, as those
/// need no memory of their own and no merging.
Division divide_among_threads(Parallel parallel, std::size_t num_threads, std::size_t num_attributes);
/// Divides work among processes: where both are divided there are at least as many parts of records, as those are what
/// is sent. @throws Error(kUsage) for several processes and kNode or kSequential.
Division divide_among_ranks(Parallel parallel, std::size_t num_ranks);

/// What one of several processes works on.
struct RankShare {
  std::size_t record_part = 0, attribute_part = 0;
  AttributeRange counted;  ///< Of its own records.
  AttributeRange owned;    ///< Within `counted`; merged for all records and searched for splits.
};
RankShare share_of(std::size_t rank, const Division& ranks, std::size_t num_attributes);

}  // namespace fernwood::stream
