// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/file_source.h"
#include "fernwood/core/error.h"
#include "fernwood/core/plugin.h"

namespace fernwood::dataset {

std::unique_ptr<FrameSource> open_source(const std::string& url, const SourceOptions& options) {
  const std::size_t colon = url.find(':');
  FW_CHECK(colon != std::string::npos, Usage,
           "the source \"" << url << "\" does not say what it is; write frames:DIR for a folder of frames, or tum:DIR");
  const std::string kind = url.substr(0, colon), place = url.substr(colon + 1);
  if (kind == "frames") return std::make_unique<FileSource>(list_frames_recording(place), options);
  if (kind == "tum") return std::make_unique<FileSource>(list_tum_recording(place), options);
  const auto open = find_plugin<FrameSource*(const char*, const SourceOptions*)>(kind, "fernwood_open_source");
  FW_CHECK(open != nullptr, Usage,
           "this build of fernwood has no source \""
               << kind << ":\" (there is no plug-in fernwood_" << kind
               << ".so); it has frames:DIR and tum:DIR, see docs/live.md for video and cameras");
  return std::unique_ptr<FrameSource>(open(place.c_str(), &options));
}

}  // namespace fernwood::dataset
