// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "apps/live/live.h"
#include "fernwood/web/live_page.h"

namespace fernwood::apps {

/// Shows labelled frames on a page in a browser.
class ServingSink : public MeasuringSink {
 public:
  /// @param forest  Must outlive this object.
  ServingSink(const std::filesystem::path& record_to, const forest::Forest& forest, const std::string& source,
              const std::string& device, const web::WebOptions& web, const ChooseSingle& choose_single)
      : MeasuringSink(record_to, forest), page_(forest, source, device, web, choose_single) {}

  std::string url() const { return page_.url(); }
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override {
    page_.show(frame, so_far);
    return MeasuringSink::show(frame, so_far);
  }
  void show_map(const map::VoxelMap& map, const map::RecordingReport& so_far) override {
    page_.show_map(map.points(), map.options().voxel_m, map.up(), so_far.num_fused,
                   so_far.num_frames - so_far.num_fused);
  }
  void camera_lost(const std::string& why) override {
    MeasuringSink::camera_lost(why);
    page_.note_trouble(why);
  }
  void camera_back() override {
    MeasuringSink::camera_back();
    page_.note_trouble("");
  }

 private:
  web::LivePage page_;
};

}  // namespace fernwood::apps
