// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "core/cuda/runtime.h"
#include "fernwood/image/context.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::image {

/// What a frame's context planes are made from.
struct ContextPlanesArgs {
  FrameView layout;          ///< `planes` is not used.
  const std::uint8_t* maps;  ///< [class][context_cells(rows)][context_cells(cols)]
  std::uint32_t* planes;     ///< [class][plane_size], written: the first of the context planes.
  std::int32_t num_classes;
};

/// Integral images of the context channels, as PreparedFrame::set_context() makes them.
void context_planes(const ContextPlanesArgs& args, const cuda::Stream& stream);

}  // namespace fernwood::image
