// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "apps/live/live.h"
#include "apps/live/mapping_sink.h"
#include "fernwood/forest/forest.h"
#include "fernwood/map/live_map.h"

namespace fernwood::apps {

/// What a map that is made while frames are labelled is for.
struct MappingArguments {
  bool shows = false;               ///< On the page, and on its topic.
  std::filesystem::path out, file;  ///< Where points and the map go; may be empty.
  map::MapOptions options;

  bool is_wanted() const { return shows || !out.empty() || !file.empty(); }
  /// @throws OptionError, Error(kUsage) for a map that nobody would see.
  void check(bool has_viewer) const;
};

/// Maps what is labelled, and writes the map at the end.
class LiveMapping {
 public:
  /// @param inner  Shows frames; it must outlive this, as arguments. @param publish  Shows the map, on its own thread.
  LiveMapping(const MappingArguments& arguments, const forest::Forest& forest, const predict::PredictOptions& predict,
              const dataset::FrameSource& source, bool every_frame, predict::LiveSink& inner,
              map::LiveMap::Publish publish);

  predict::LiveSink& sink() { return mapping_; }
  /// Writes what is to be written, and warns of what was left out.
  void finish(report::LiveResult& result);
  /// The same where labelling has failed: what was seen until then is not lost. Says where it is, or why not.
  void rescue();

 private:
  const MappingArguments& arguments_;
  const forest::Forest& forest_;
  std::string source_;
  map::LiveMap map_;
  MappingSink mapping_;
};

}  // namespace fernwood::apps
