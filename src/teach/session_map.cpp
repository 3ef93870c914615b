// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// The map of what is labelled: made when a page wants it, a frame at a time, by the thread beside the server's.
#include <algorithm>
#include <set>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "report/map_points.h"
#include "teach/label_map.h"
#include "teach/session.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

/// Number of maps that can be fetched: windows may show different rooms.
constexpr std::size_t kKeptMaps = 4;

}  // namespace

/// A map being built. While a step is in progress, only its thread accesses the members below "aside".
struct Teaching::Session::MapBuild {
  explicit MapBuild(const std::vector<image::ClassInfo>& infos) : map(infos) {}

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

std::string Teaching::Session::room_to_map(std::size_t frame) const {
  FW_CHECK(project.has_depth(), Usage,
           "the frames have no depth, which tells where in a room their pixels lie; label a recording of a depth "
           "camera, with the camera's poses (--poses)");
  FW_CHECK(project.has_poses(), Usage,
           "it is not known where the camera was for each frame; end teach, and start it again with --poses FILE");
  const auto pose = project.pose(frame);
  FW_CHECK(pose, Usage,
           "it is not known where the camera was for " << project.frame_name(frame)
                                                       << "; choose a frame with a pose, or start teach again with "
                                                          "--poses FILE that has one for it");
  const std::size_t num_classes = project.live_classes().size();
  FW_CHECK(num_classes <= kMaxTaughtClasses, Usage,
           "there are " << num_classes << " classes, and a map tells " << kMaxTaughtClasses
                        << " apart; merge or delete some");
  return pose->room;
}

json Teaching::Session::make_map(const Request& request) {
  const std::string room = room_to_map(frame_of(request.message));
  forget_map_of(request.client);
  map_wishes.emplace_back(request.client, room);
  server.post([this] { map_on(); });
  return {{"room", room}};
}

json Teaching::Session::leave_map(const Request& request) {
  forget_map_of(request.client);
  return json::object();
}

void Teaching::Session::forget_map_of(int client) {
  std::erase_if(map_wishes, [&](const auto& wish) { return wish.first == client; });
  if (map_build) map_build->clients.erase(client);
}

void Teaching::Session::map_on() {
  if (map_build && map_build->has_step) return;
  if (map_build && map_build->clients.empty()) map_build.reset();
  if (map_build && map_build->classes != class_numbers()) {  // its labels have a new meaning
    for (const int client : map_build->clients) map_wishes.emplace_front(client, map_build->room);
    map_build.reset();
  }
  if (!map_build && map_wishes.empty()) return;
  if (!map_build) begin_map();
  map_build->has_step = true;
  if (map_build->num_begun < map_build->frames.size())
    add_to_map(map_build->frames[map_build->num_begun++]);
  else
    finish_map();
}

void Teaching::Session::begin_map() {
  map_build = std::make_shared<MapBuild>(class_infos());
  MapBuild& build = *map_build;
  build.room = map_wishes.front().second;
  build.classes = class_numbers();
  std::erase_if(map_wishes, [&](const auto& wish) {
    if (wish.second == build.room) build.clients.insert(wish.first);
    return wish.second == build.room;
  });
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame)
    if (const auto pose = project.pose(frame); pose && pose->room == build.room) build.frames.push_back(frame);
  std::stable_partition(build.frames.begin(), build.frames.end(), [this](std::size_t frame) {
    return project.num_strokes(frame) == 0 && project.num_carried(frame) == 0;
  });
}

void Teaching::Session::add_to_map(std::size_t frame) {
  server.do_aside([this, build = map_build, read = project.frame_reader(frame), labels = taught_reader(frame),
                   pose = project.pose(frame)]() -> std::function<void()> {
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
      for (const int client : build->clients) server.send(client, news);
      build->has_step = false;
      map_on();
    };
  });
}

void Teaching::Session::finish_map() {
  server.do_aside([this, build = map_build]() -> std::function<void()> {
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
      news.update({{"number", ++num_maps},
                   {"frames", build->frames.size() - build->num_left_out},
                   {"left_out", build->num_left_out},
                   {"problem", build->problem}});
      maps[num_maps] = std::move(answer);
      if (maps.size() > kKeptMaps) maps.erase(maps.begin());
      const std::string text = ascii_json_text(json{{"map", std::move(news)}});
      for (const int client : build->clients) server.send(client, text);
      if (map_build == build) map_build.reset();
      map_on();
    };
  });
}

web::WebAnswer Teaching::Session::get_map(const std::string& address) const {
  const auto number = web::number_between(address, "/map/", "");
  const auto found = number ? maps.find(*number) : maps.end();
  FW_CHECK(found != maps.end(), Usage, "the map has changed since; ask for a new one");
  return found->second;
}

}  // namespace fernwood::teach
