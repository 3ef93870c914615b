// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/forest/forest.h"
#include "forest/model_place.h"

namespace fernwood {

static_assert(std::endian::native == std::endian::little, "model files hold arrays as a little-endian memory has them");

inline constexpr std::string_view kModelMagic = "FERNWOOD";
inline constexpr std::uint32_t kModelVersion = 1;
inline constexpr std::uint64_t kArrayAlignment = 64;
inline constexpr std::uint64_t kMaxHeaderBytes = 16u << 20;

/// The first 32 bytes of a model file; the JSON header follows.
struct ModelPrefix {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved;  ///< 0.
  std::uint64_t header_bytes;
  std::uint64_t header_checksum;  ///< XXH3 of the header's bytes.
};
static_assert(sizeof(ModelPrefix) == 32);

/// One array behind the header.
struct ModelArray {
  std::string name;
  std::string dtype;  ///< "node" or "uint32".
  std::vector<std::uint64_t> shape;
  std::uint64_t offset;  ///< From the start of the data.
  std::uint64_t size_bytes;
  std::string xxh3;  ///< Checksum, 16 hexadecimal digits.

  std::uint64_t end() const { return offset + size_bytes; }
};

/// The two arrays of a tree.
struct TreeArrays {
  ModelArray nodes, leaf_counts;
};

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}
/// Where the arrays begin in a file whose header has so many bytes.
constexpr std::uint64_t data_start(std::uint64_t header_bytes) { return aligned(sizeof(ModelPrefix) + header_bytes); }

/// Where the arrays of tree `index` lie when the arrays before them end at `end`; without checksums.
TreeArrays place_arrays(std::size_t index, std::uint64_t num_nodes, std::uint64_t num_leaves, std::uint64_t num_classes,
                        std::uint64_t end);

/// The canonical JSON header: sorted keys, no white space, so that equal forests give equal bytes.
/// @param trees  Of each tree of the forest, in order. @throws Error(kModel) for texts that are not UTF-8 or not JSON.
std::string encode_header(const Forest& forest, const std::vector<TreeArrays>& trees, const ModelPlace& place);

/// What a header says.
struct ModelHeader {
  Forest forest;  ///< Its trees are still missing.
  std::vector<TreeArrays> trees;
  std::uint64_t data_bytes = 0;  ///< Where the last array ends.
};
/// @throws Error(kModel) naming the field that breaks a rule. Arrays lie back to back, so none can be claimed twice.
ModelHeader decode_header(std::string_view text, const ModelPlace& place);

}  // namespace fernwood
