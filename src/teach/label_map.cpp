// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_map.h"

#include <algorithm>
#include <set>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "report/map_points.h"
#include "web/page.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

/// For surfaces of unknown colour.
constexpr image::Rgb kGrey = {160, 160, 160};
/// Number of maps that can be fetched: windows may show different rooms.
constexpr std::size_t kKeptMaps = 4;

/// A map requires at least one class, even before the teacher has named one.
image::ClassMap mapped_classes(const std::vector<image::ClassInfo>& classes) {
  return {classes.empty() ? std::vector<image::ClassInfo>{{"none", kGrey}} : classes, {}, {}};
}

}  // namespace

map::MapOptions LabelMap::default_options() {
  return {.voxel_m = 0.03, .min_weight = 1, .memory_budget_bytes = std::size_t{512} << 20};
}

LabelMap::LabelMap(const std::vector<image::ClassInfo>& classes, const map::MapOptions& options)
    : classes_{classes, {}, {}}, map_(options, mapped_classes(classes)) {}

void LabelMap::add(const image::Frame& frame, const image::RigidMotion& pose, const image::LabelImage& labels,
                   ThreadPool& pool) {
  const image::LabelImage none(labels.empty() ? frame.rows() : 0, labels.empty() ? frame.cols() : 0, image::kVoid);
  const map::FusedFrame fused = map_.integrate_labels(frame, pose, labels.empty() ? none : labels, pool);
  has_color_ |= !frame.color.empty();
  num_pixels_ += fused.num_pixels + fused.num_refused;
  num_refused_ += fused.num_refused;
}

MappedLabels LabelMap::mapped() const {
  MappedLabels mapped = {
      .points = map_.points(),
      .num_points = std::vector<std::size_t>(classes_.size()),
      .refused_share = static_cast<double>(num_refused_) / static_cast<double>(std::max<std::size_t>(1, num_pixels_)),
      .voxel_m = map_.options().voxel_m,
      .up = map_.up()};
  for (map::MapPoint& point : mapped.points) {
    if (point.label != image::kVoid) {
      ++mapped.num_points[point.label];
      ++mapped.num_labelled;
    } else if (!has_color_) {
      point.color = kGrey;
    }
  }
  return mapped;
}

/// A map being built. While a step is in progress, only its thread accesses the members below "aside".
struct MapView::Build {
  explicit Build(const std::vector<image::ClassInfo>& infos) : map(infos) {}

  std::string room;
  std::set<int> clients;               // waiting for it; if empty, it is abandoned
  std::vector<std::uint16_t> classes;  // numbers of the map's classes
  std::vector<std::size_t> frames;     // in the order in which they are added
  std::size_t num_begun = 0;           // of these
  std::size_t num_left_out = 0;
  std::string problem;  // of the first frame left out
  bool has_step = false;
  // aside
  LabelMap map;
  ThreadPool pool{1};  // training uses the other cores
};

std::string MapView::request(int client, std::size_t frame) {
  FW_CHECK(project_.has_depth(), Usage,
           "the frames have no depth, which tells where in a room their pixels lie; label a recording of a depth "
           "camera, with the camera's poses (--poses)");
  FW_CHECK(project_.has_poses(), Usage,
           "it is not known where the camera was for each frame; end teach, and start it again with --poses FILE");
  const auto pose = project_.frame(frame).pose;
  FW_CHECK(pose, Usage,
           "it is not known where the camera was for " << project_.frame(frame).name
                                                       << "; choose a frame with a pose, or start teach again with "
                                                          "--poses FILE that has one for it");
  const std::size_t num_classes = project_.class_numbers().size();
  FW_CHECK(num_classes <= kMaxTaughtClasses, Usage,
           "there are " << num_classes << " classes, and a map tells " << kMaxTaughtClasses
                        << " apart; merge or delete some");
  forget(client);
  wishes_.emplace_back(client, pose->room);
  server_.post([this] { go_on(); });
  return pose->room;
}

void MapView::forget(int client) {
  std::erase_if(wishes_, [&](const auto& wish) { return wish.first == client; });
  if (build_) build_->clients.erase(client);
}

void MapView::go_on() {
  if (build_ && build_->has_step) return;
  if (build_ && build_->clients.empty()) build_.reset();
  if (build_ && build_->classes != project_.class_numbers()) {  // its labels have a new meaning
    for (const int client : build_->clients) wishes_.emplace_front(client, build_->room);
    build_.reset();
  }
  if (!build_ && wishes_.empty()) return;
  if (!build_) {
    build_ = std::make_shared<Build>(project_.class_infos());
    Build& build = *build_;
    build.room = wishes_.front().second;
    build.classes = project_.class_numbers();
    std::erase_if(wishes_, [&](const auto& wish) {
      if (wish.second == build.room) build.clients.insert(wish.first);
      return wish.second == build.room;
    });
    for (std::size_t frame = 0; frame < project_.num_frames(); ++frame)
      if (const auto pose = project_.frame(frame).pose; pose && pose->room == build.room) build.frames.push_back(frame);
    std::stable_partition(build.frames.begin(), build.frames.end(), [this](std::size_t frame) {
      return project_.num_strokes(frame) == 0 && project_.frame(frame).num_carried == 0;
    });
  }
  build_->has_step = true;
  if (build_->num_begun < build_->frames.size())
    add(build_->frames[build_->num_begun++]);
  else
    finish();
}

void MapView::add(std::size_t frame) {
  server_.do_aside([this, build = build_, read = project_.frame_reader(frame), labels = truth_.taught_reader(frame),
                    pose = project_.frame(frame).pose]() -> std::function<void()> {
    std::string problem;
    try {
      if (pose) build->map.add(read(), pose->pose, labels ? labels() : image::LabelImage(), build->pool);
    } catch (...) {
      const Failure failure = failure_in_hand();
      if (!failure.is_expected) throw;
      problem = failure.sentence.on_command_line();
    }
    return [this, build, problem] {
      if (!problem.empty() && build->num_left_out++ == 0) build->problem = problem;
      const std::string news = json_text(json{{"map_left", build->frames.size() - build->num_begun}});
      for (const int client : build->clients) server_.send(client, news);
      build->has_step = false;
      go_on();
    };
  });
}

void MapView::finish() {
  server_.do_aside([this, build = build_]() -> std::function<void()> {
    const MappedLabels mapped = build->map.mapped();
    const report::PackedPoints packed =
        report::pack_points(mapped.points, mapped.voxel_m, mapped.up, web::kMaxMapPoints);
    json news = report::facts_of(packed, build->map.classes());
    news.update({{"dims", true},
                 {"room", build->room},
                 {"points", mapped.points.size()},
                 {"shown", packed.num_shown},
                 {"labelled", mapped.num_labelled},
                 {"refused", mapped.refused_share},
                 {"classes", json::array()}});
    for (std::size_t c = 0; c < mapped.num_points.size(); ++c)
      news["classes"].push_back({build->classes[c], mapped.num_points[c]});
    web::WebAnswer answer{.type = "application/octet-stream"};
    answer.body.assign(packed.records.begin(), packed.records.end());
    return [this, build, news = std::move(news), answer = std::move(answer)]() mutable {
      news.update({{"number", ++num_maps_},
                   {"frames", build->frames.size() - build->num_left_out},
                   {"left_out", build->num_left_out},
                   {"problem", build->problem}});
      maps_[num_maps_] = std::move(answer);
      if (maps_.size() > kKeptMaps) maps_.erase(maps_.begin());
      const std::string text = ascii_json_text(json{{"map", std::move(news)}});
      for (const int client : build->clients) server_.send(client, text);
      if (build_ == build) build_.reset();
      go_on();
    };
  });
}

web::WebAnswer MapView::get(const std::string& address) const {
  const auto number = web::number_between(address, "/map/", "");
  const auto found = number ? maps_.find(*number) : maps_.end();
  FW_CHECK(found != maps_.end(), Usage, "the map has changed since; ask for a new one");
  return found->second;
}

}  // namespace fernwood::teach
