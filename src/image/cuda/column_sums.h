// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "core/cuda/runtime.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::image {

/// Sums each column of `num_planes` planes up from its top, in place, modulo 2^32.
void column_sums(const FrameView& layout, std::uint32_t* planes, std::int32_t num_planes, const cuda::Stream& stream);

}  // namespace fernwood::image
