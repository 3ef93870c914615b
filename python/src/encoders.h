// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>

#include "fernwood/encoder/encoder.h"
#include "fernwood/image/frame.h"
#include "fernwood/recordings/frame_source.h"
#include "python/src/handles.h"

namespace fernwood::python {

/// An encoder in Python: a function of colour and depth. May be used and destroyed without the GIL.
struct EncoderHandle {
  std::shared_ptr<const encoder::Encoder> encoder;
};

/// The encoder of an argument; null for None.
inline std::shared_ptr<const encoder::Encoder> encoder_in(const EncoderHandle* handle) {
  return handle ? handle->encoder : nullptr;
}

/// Adds the maps of an encoder to a frame in host memory that has none. Must be called without the GIL.
/// @param encoder  May be null. @param maps  Holds them.
void add_maps(const encoder::Encoder* encoder, image::FrameImages& frame, image::SuppliedMaps& maps);

}  // namespace fernwood::python
