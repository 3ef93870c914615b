// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. It must not include anything that emits functions
// shared with other files: only FW_HD formulas and plain data.
#include "forest/respond_kernels.h"

namespace fernwood::forest::FW_ISA {

namespace {

template <bool kPairs>
struct PlaneOf {
  using Number = std::uint32_t;
  static const Number* of(const image::FrameView& frame, std::int32_t channel) { return sums_of(frame, channel); }
};
template <>
struct PlaneOf<true> {
  using Number = std::uint64_t;
  static const Number* of(const image::FrameView& frame, std::int32_t channel) { return pairs_of(frame, channel); }
};

/// A feature, with the planes of a frame that it reads.
/// @tparam kPairsA, kPairsB  Whether the channels have unknown pixels, and therefore planes of pairs.
/// @tparam kAbsolute         Whether the feature is unary, without region b.
template <bool kPairsA, bool kPairsB, bool kAbsolute>
struct Query {
  using NumberA = typename PlaneOf<kPairsA>::Number;
  using NumberB = typename PlaneOf<kPairsB>::Number;
  Region a, b;
  const NumberA* plane_a;
  const NumberB* plane_b;
  std::int32_t rows, cols, stride;

  Query(const image::FrameView& frame, const RegionFeature& feature)
      : a(feature.a),
        b(feature.b),
        plane_a(PlaneOf<kPairsA>::of(frame, feature.channel_a)),
        plane_b(PlaneOf<kPairsB>::of(frame, second_channel(feature))),
        rows(frame.rows),
        cols(frame.cols),
        stride(frame.stride) {}

  FW_HD RegionBox box(const Region& region, const PixelSite& site) const {
    return region_box(region, site, rows, cols, stride);
  }

  FW_HD static float response(NumberA sum_a, const RegionBox& box_a, NumberB sum_b, const RegionBox& box_b,
                              const PixelSite& site) {
    bool known_a, known_b = true;
    const float mean_a = region_mean(sum_a, box_a, &known_a);
    const float mean_b = kAbsolute ? 0.0f : region_mean(sum_b, box_b, &known_b);
    return response_of(mean_a, known_a, mean_b, known_b, kAbsolute, site);
  }
};

/// Gather::kGather: a single loop, in which compilers use gather instructions for corners where available.
struct Gathering {
  template <bool kPairsA, bool kPairsB, bool kAbsolute>
  static void respond(const Query<kPairsA, kPairsB, kAbsolute>& query, const PixelSite* sites, std::size_t count,
                      float* __restrict responses) {
    for (std::size_t i = 0; i < count; ++i) {
      const PixelSite site = sites[i];
      const RegionBox box_a = query.box(query.a, site), box_b = kAbsolute ? box_a : query.box(query.b, site);
      const auto sum_a = region_sum(query.plane_a, box_a);
      const auto sum_b = kAbsolute ? 0 : region_sum(query.plane_b, box_b);
      responses[i] = query.response(sum_a, box_a, sum_b, box_b, site);
    }
  }
};

/// Gather::kScalar: vector loops compute the addresses of corners and combine their values; between these loops each
/// corner is loaded separately.
struct Loading {
  static constexpr std::size_t kBlock = 128;  // intermediate results fit in the L1 cache

  struct Boxes {
    std::int32_t corner[kBlock], width[kBlock], drop[kBlock], area[kBlock], inside[kBlock];

    FW_HD RegionBox operator[](std::size_t i) const { return {corner[i], width[i], drop[i], area[i], inside[i] != 0}; }
  };

  template <typename AnyQuery>
  static void find_boxes(const AnyQuery& query, const Region& region, const PixelSite* __restrict sites,
                         std::size_t count, Boxes* __restrict boxes) {
    for (std::size_t i = 0; i < count; ++i) {
      const RegionBox box = query.box(region, sites[i]);
      boxes->corner[i] = box.corner;
      boxes->width[i] = box.width;
      boxes->drop[i] = box.drop;
      boxes->area[i] = box.area;
      boxes->inside[i] = box.inside;
    }
  }

  template <typename Number>
  static void load_sums(const Number* plane, const Boxes& boxes, std::size_t count, Number* __restrict sums) {
    // Unsigned values need no extra instruction for the address.
    const auto index = [](std::int32_t value) { return static_cast<std::size_t>(static_cast<std::uint32_t>(value)); };
    for (std::size_t i = 0; i < count; ++i) {
      sums[i] = corner_sum(plane, index(boxes.corner[i]), index(boxes.width[i]), index(boxes.drop[i]));
      asm volatile("");  // prevents compilers from vectorising this loop, too
    }
  }

  template <bool kPairsA, bool kPairsB, bool kAbsolute>
  static void respond_block(const Query<kPairsA, kPairsB, kAbsolute>& query, const PixelSite* sites, std::size_t count,
                            float* __restrict responses) {
    using AnyQuery = Query<kPairsA, kPairsB, kAbsolute>;
    Boxes boxes_a, boxes_b;
    typename AnyQuery::NumberA sums_a[kBlock];
    typename AnyQuery::NumberB sums_b[kBlock];
    find_boxes(query, query.a, sites, count, &boxes_a);
    load_sums(query.plane_a, boxes_a, count, sums_a);
    if constexpr (!kAbsolute) {
      find_boxes(query, query.b, sites, count, &boxes_b);
      load_sums(query.plane_b, boxes_b, count, sums_b);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (kAbsolute)
        responses[i] = query.response(sums_a[i], boxes_a[i], 0, boxes_a[i], sites[i]);
      else
        responses[i] = query.response(sums_a[i], boxes_a[i], sums_b[i], boxes_b[i], sites[i]);
    }
  }

  template <typename AnyQuery>
  static void respond(const AnyQuery& query, const PixelSite* sites, std::size_t count, float* responses) {
    for (std::size_t i = 0; i < count; i += kBlock)
      respond_block(query, sites + i, count - i < kBlock ? count - i : kBlock, responses + i);
  }
};

template <typename AnyGather, bool kPairsA, bool kPairsB, bool kAbsolute>
void respond_all(const image::FrameView& frame, const RegionFeature& feature, const PixelSite* sites, std::size_t count,
                 float* responses) {
  const Query<kPairsA, kPairsB, kAbsolute> query(frame, feature);
  AnyGather::respond(query, sites, count, responses);
}

/// Values of a feature map: a vector loop computes positions between cells, a scalar loop loads the cells, and a vector
/// loop interpolates. Maps are small, and instructions do not gather 16-bit cells.
void respond_map(const image::FrameView& frame, const RegionFeature& feature, const PixelSite* sites, std::size_t count,
                 float* __restrict responses) {
  constexpr std::size_t kBlock = 128;
  const std::int32_t map = map_of(feature);
  const image::MapLevel level = image::level_of(frame.maps, map);
  const std::int16_t* cells = image::cells_of(frame.maps, level, map);
  std::int32_t corner[kBlock], right[kBlock], below[kBlock], across[kBlock], down[kBlock];
  std::int32_t values[4][kBlock];
  const auto index = [](std::int32_t value) { return static_cast<std::size_t>(static_cast<std::uint32_t>(value)); };
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t size = count - first < kBlock ? count - first : kBlock;
    for (std::size_t i = 0; i < size; ++i) {
      const image::MapPlace x = image::map_place(sites[first + i].x(), level.col_step, level.cols);
      const image::MapPlace y = image::map_place(sites[first + i].y(), level.row_step, level.rows);
      corner[i] = (y.first * level.cols + x.first) * level.next_cell;
      right[i] = (x.second - x.first) * level.next_cell;
      below[i] = (y.second - y.first) * level.cols * level.next_cell;
      across[i] = x.weight;
      down[i] = y.weight;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const std::int16_t* cell = cells + index(corner[i]);
      values[0][i] = cell[0];
      values[1][i] = cell[index(right[i])];
      values[2][i] = cell[index(below[i])];
      values[3][i] = cell[index(below[i]) + index(right[i])];
      asm volatile("");  // prevents compilers from vectorising this loop, too
    }
    for (std::size_t i = 0; i < size; ++i)
      responses[first + i] = image::map_response(
          image::between_cells(values[0][i], values[1][i], values[2][i], values[3][i], across[i], down[i]));
  }
}

template <typename AnyGather>
void respond(const image::FrameView& frame, const RegionFeature& feature, const PixelSite* sites, std::size_t count,
             float* responses) {
  if (reads_map(feature)) return respond_map(frame, feature, sites, count, responses);
  const bool pairs_a = frame.pair_plane[feature.channel_a] >= 0;
  const bool pairs_b = frame.pair_plane[second_channel(feature)] >= 0;
  const auto loop =
      feature.channel_b == kNoChannel
          ? (pairs_a ? respond_all<AnyGather, true, true, true> : respond_all<AnyGather, false, false, true>)
      : pairs_a ? (pairs_b ? respond_all<AnyGather, true, true, false> : respond_all<AnyGather, true, false, false>)
                : (pairs_b ? respond_all<AnyGather, false, true, false> : respond_all<AnyGather, false, false, false>);
  loop(frame, feature, sites, count, responses);
}

void respond_each(const image::FrameView& frame, const RegionFeature* features, const std::uint32_t* feature_index,
                  const PixelSite* sites, std::size_t count, float* responses) {
  for (std::size_t i = 0; i < count; ++i) responses[i] = response(features[feature_index[i]], frame, sites[i]);
}

}  // namespace

extern const RespondKernels respond_kernels_table[2];  // indexed by Gather
const RespondKernels respond_kernels_table[2] = {{respond<Gathering>, respond_each}, {respond<Loading>, respond_each}};

}  // namespace fernwood::forest::FW_ISA
