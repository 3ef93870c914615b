// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes nothing that leaves functions behind which
// other files might share: only FW_HD formulas and plain data.
#include "forest/respond_kernels.h"

namespace fernwood::forest::FW_ISA {

namespace {

/// @param kCountedA, kCountedB  Whether the channels have unknown pixels; if not, the area is the count: half the
/// loads.
/// @param kAbsolute  Whether there is a second region at all.
template <bool kCountedA, bool kCountedB, bool kAbsolute>
void respond_loop(const image::FrameView& frame, const RegionFeature& feature, const PixelSite* sites,
                  std::size_t count, float* __restrict responses) {
  const image::FrameView f = frame;
  const RegionFeature q = {feature.a, feature.b, feature.channel_a, kAbsolute ? kNoChannel : feature.channel_b};
  const std::int32_t count_a = kCountedA ? f.count_plane[q.channel_a] : -1;
  const std::int32_t count_b = kCountedB ? f.count_plane[second_channel(q)] : -1;
  for (std::size_t i = 0; i < count; ++i) responses[i] = response(q, f, sites[i], count_a, count_b);
}

void respond(const image::FrameView& frame, const RegionFeature& feature, const PixelSite* sites, std::size_t count,
             float* responses) {
  const bool counted_a = frame.count_plane[feature.channel_a] >= 0;
  const bool counted_b = frame.count_plane[second_channel(feature)] >= 0;
  const auto loop = feature.channel_b == kNoChannel
                        ? (counted_a ? respond_loop<true, false, true> : respond_loop<false, false, true>)
                    : counted_a ? (counted_b ? respond_loop<true, true, false> : respond_loop<true, false, false>)
                                : (counted_b ? respond_loop<false, true, false> : respond_loop<false, false, false>);
  loop(frame, feature, sites, count, responses);
}

void respond_each(const image::FrameView& frame, const RegionFeature* features, const std::uint32_t* feature_index,
                  const PixelSite* sites, std::size_t count, float* responses) {
  for (std::size_t i = 0; i < count; ++i) responses[i] = response(features[feature_index[i]], frame, sites[i]);
}

}  // namespace

extern const RespondKernels respond_kernels_table;
const RespondKernels respond_kernels_table = {respond, respond_each};

}  // namespace fernwood::forest::FW_ISA
