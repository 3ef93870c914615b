// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/forest/forest.h"
#include "fernwood/map/object_follower.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/predict/live.h"
#include "fernwood/web/web_server.h"

namespace fernwood::web {

/// Shows live labelling in a browser: colour, depth, labels, rates, and the reasons for a pixel's class. Any number of
/// viewers; each fetches the newest frame when it has drawn the previous one, so that a slow viewer delays nobody else.
///
/// A page receives JSON objects: first {"source", "device", "classes": [{"name", "color"}], "color": true, "depth":
/// true}, then {"shown": 12, "rate", "latency_ms", "p95_ms", "dropped"} for each frame and {"trouble": "a sentence"},
/// "" when it is over. With steady labels it receives {"single": false}; a page may send {"single": true} to switch all
/// pages to the labels of single frames, and all pages receive this. A page that pauses sends {"hold": 12}, and
/// {"hold": null} when it continues, and receives {"held": 12}. With a map it receives {"map": {"number": 3, "points",
/// "shown", "frames", "left_out"}} for the script map.js; /map/3 are its points, in that script's format. With objects,
/// the message of a frame has "objects": {"text": "2 chairs, nearest 1.4 m", "rows": [{"id", "class", "confidence",
/// "distance_m", "area_m2", "unseen_s"}], "more": 3}: the nearest objects, and the number of further ones; "class" is
/// an index, and what is not known is null. /shown/12/color and /shown/12/depth are JPEG, /shown/12/labels PNG in the
/// colours of classes, /shown/12/why?x=320&y=240 JSON; 404 once the frame is some frames old.
class LivePage : public predict::LiveOutput {
 public:
  /// Starts serving, on its own thread. @param forest  Must outlive this object. @param choose_single  Called on that
  /// thread with whether pages want labels of single frames; empty if labels are not steady.
  /// @throws errors of WebServer.
  LivePage(const forest::Forest& forest, const std::string& source, const std::string& device, const WebOptions& web,
           std::function<void(bool single)> choose_single = {});
  ~LivePage() override;
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

  std::string url() const;
  /// Shows a frame; from any thread. Returns at once. @throws the error that ended the server, if any.
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;
  /// Shows, with the frame that show() gets next, its objects, and those of the list that are elsewhere. From the
  /// thread of show(). @param seconds  Time of the frame.
  void show_objects(const map::FollowedObjects& objects, const objects::ObjectTracker& tracker, double seconds);
  /// Shows the present points of a map, and the numbers of frames fused and left out. From any thread; packs the points
  /// on the calling thread. @throws as show().
  void show_map(const std::vector<map::MapPoint>& points, double voxel_m, const image::Vector3& up,
                std::size_t num_fused, std::size_t num_left_out);
  /// Shows a problem; "": it is over. From any thread.
  void trouble(const std::string& sentence) override;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace fernwood::web
