// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/recordings/frame_source.h"

/// What a plug-in exports for a source `KIND:PLACE`. @param Source  Made from the place and the options.
#define FERNWOOD_SOURCE_PLUGIN(Source)                                          \
  extern "C" const char* fernwood_plugin_version() { return FERNWOOD_VERSION; } \
  extern "C" fernwood::recordings::FrameSource* fernwood_open_source(           \
      const char* place, const fernwood::recordings::SourceOptions* options) {  \
    return new Source(place, *options);                                         \
  }
