// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "apps/live/live.h"
#include "fernwood/forest/forest.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/live.h"

namespace fernwood::apps {

/// Passes labelled frames to another sink, and then offers them to a map.
class MappingSink : public predict::ForwardingSink {
 public:
  /// Both must outlive this object.
  MappingSink(predict::LiveSink& inner, map::LiveMap& map) : ForwardingSink(inner), map_(map) {}

  predict::PredictRequest request() override {
    predict::PredictRequest request = inner_.request();
    request.probabilities |= map_.wants_frame();
    return request;
  }
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override {
    const bool goes_on = inner_.show(frame, so_far);
    map_.offer(frame);
    return goes_on;
  }

 private:
  map::LiveMap& map_;
};

/// Outputs of a map that is built while frames are labelled.
struct MappingArguments {
  bool shows = false;               ///< On the page, and on its topic.
  std::filesystem::path out, file;  ///< Destinations of points and map; may be empty.
  map::MapOptions options;

  bool is_wanted() const { return shows || !out.empty() || !file.empty(); }
  /// @throws OptionError, Error(kUsage) for a map without any output.
  void check(bool has_viewer) const;
};

/// Maps the labelled frames, and writes the map at the end.
class LiveMapping {
 public:
  /// @param inner  Shows frames; it and the arguments must outlive this object. @param publish  Shows the map, on its
  /// own thread.
  LiveMapping(const MappingArguments& arguments, const forest::Forest& forest, const predict::PredictOptions& predict,
              const recordings::FrameSource& source, bool every_frame, predict::LiveSink& inner,
              map::LiveMap::Publish publish);

  predict::LiveSink& sink() { return mapping_; }
  /// Writes the outputs, and warns of what was left out.
  void finish(report::LiveResult& result);
  /// As finish(), after labelling has failed, so that the map built so far is not lost. Prints where it is, or why it
  /// could not be written.
  void rescue();

 private:
  const MappingArguments& arguments_;
  const forest::Forest& forest_;
  std::string source_;
  map::LiveMap map_;
  MappingSink mapping_;
};

}  // namespace fernwood::apps
