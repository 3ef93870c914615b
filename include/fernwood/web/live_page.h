// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/forest/forest.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/predict/live.h"
#include "fernwood/web/web_server.h"

namespace fernwood::web {

/// What is labelled as it moves, in a browser: colour, depth, labels, rates, and why a pixel gets its class. Any number
/// of viewers; each fetches the newest frame when it has drawn the one before, so that a slow one slows nobody.
///
/// A page hears objects of JSON: first {"source", "device", "classes": [{"name", "color"}], "color": true, "depth":
/// true}, then {"shown": 12, "rate", "latency_ms", "p95_ms", "dropped"} of each frame and {"trouble": "a sentence"}, ""
/// when it is over; where labels are steady, {"single": false}, and a page may say {"single": true} to see those of
/// each frame alone, which all pages then do, and hear; one that pauses says {"hold": 12}, and {"hold": null} when it
/// goes on, and hears {"held": 12}. Where a map is shown, {"map": {"number": 3, "points", "shown", "frames",
/// "left_out"}} with what the script map.js needs to know; /map/3 are its points, as that reads them. /shown/12/color
/// and /shown/12/depth are JPEG, /shown/12/labels PNG in the colours of classes, /shown/12/why?x=320&y=240 JSON; 404
/// once the frame is some frames old.
class LivePage {
 public:
  /// Serves from now on, on a thread of its own. @param forest  Must outlive this. @param choose_single  Told, on that
  /// thread, whether pages want labels of each frame alone; empty where labels are not steady.
  /// @throws what WebServer does.
  LivePage(const forest::Forest& forest, const std::string& source, const std::string& device, const WebOptions& web,
           std::function<void(bool single)> choose_single = {});
  ~LivePage();
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

  std::string url() const;
  /// From any thread; returns at once. @throws what ended the server, if something did.
  void show(const predict::LiveFrame& frame, const predict::LiveReport& so_far);
  /// The points of a map that is made meanwhile, and the frames that were fused or left out of it. From any thread,
  /// which packs the points. @throws as show().
  void show_map(const std::vector<map::MapPoint>& points, double voxel_m, const image::Vector3& up,
                std::size_t num_fused, std::size_t num_left_out);
  /// What is wrong, or "". From any thread.
  void note_trouble(const std::string& sentence);

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace fernwood::web
