// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/web/live_page.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>
#include <utility>

#include "core/json_field.h"
#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/report/objects.h"
#include "report/map_points.h"
#include "web/page.h"

namespace fernwood::web {

namespace {

using nlohmann::json;

/// Frames that remain available: a page fetches several pictures of one frame while newer ones arrive, and its user may
/// click on a frame that was displayed a moment ago.
constexpr std::size_t kKeptFrames = 8;
/// Messages from pages are short: a longer or deeper one is refused, so that parsing takes little memory.
constexpr std::size_t kMaxMessageBytes = 4096;
constexpr int kDeepestMessage = 2;

WebOptions with_short_messages(WebOptions options) {
  options.max_message_bytes = kMaxMessageBytes;
  return options;
}

std::string message_text(const json& message) { return ascii_json_text(message); }

/// Rows of the table of objects.
constexpr std::size_t kMaxObjects = 20;

struct ObjectRow {
  std::uint32_t id = objects::ObjectTracker::kNoId;
  std::uint16_t label = 0;
  double confidence = 0;  ///< Mean probability of its class.
  float distance_m = 0;   ///< 0: not known, as `area_m2`, which only objects in view have.
  float area_m2 = 0;
  double unseen_s = 0;  ///< Since it was seen last.
};

/// The objects in view, and those of the list that are elsewhere.
std::vector<ObjectRow> rows_of(const map::FollowedObjects& objects, const objects::ObjectTracker& tracker,
                               double seconds) {
  std::vector<ObjectRow> rows;
  std::map<std::uint32_t, std::size_t> row_of;  // [id]
  for (std::size_t i = 0; i < objects.ids.size(); ++i) {
    const objects::Object& found = objects.found.objects[i];
    const std::uint32_t id = objects.ids[i];
    if (const auto known = row_of.find(id); known != row_of.end()) {  // another part of it
      ObjectRow& row = rows[known->second];
      row.distance_m = std::min(row.distance_m, found.distance_m);
      row.area_m2 += found.area_m2;
      continue;
    }
    if (id != objects::ObjectTracker::kNoId) row_of[id] = rows.size();
    rows.push_back({id, found.label, found.confidence, found.distance_m, found.area_m2});
  }
  for (const objects::TrackedObject& one : tracker.objects()) {
    if (const auto seen = row_of.find(one.id); seen != row_of.end()) {
      rows[seen->second].label = one.label;  // steadier than that of a frame
      rows[seen->second].confidence = one.class_probability();
    } else if (one.is_known() && one.state != objects::ObjectState::kGone && objects.pose) {
      rows.push_back({one.id, one.label, one.class_probability(),
                      objects::distance_m(one.box.center, objects.pose->translation), 0, seconds - one.last.seconds});
    }
  }
  const auto is_nearer = [](const ObjectRow& a, const ObjectRow& b) {
    return std::pair(a.distance_m <= 0, a.distance_m) < std::pair(b.distance_m <= 0, b.distance_m);
  };
  std::ranges::stable_sort(rows, is_nearer);
  return rows;
}

[[noreturn]] void fail_not_there(const std::string& path) {
  throw Error(ErrorKind::kUsage, "there is nothing at " + path.substr(0, 100));
}

}  // namespace

struct LivePage::Session {
  /// Encoded once, by the thread beside the server's, for all pages.
  struct Picture {
    std::once_flag is_made;
    WebAnswer answer;
  };
  struct ShownFrame {
    std::uint64_t number = 0;
    std::shared_ptr<const image::Frame> frame;
    std::shared_ptr<const image::LabelImage> labels;
    std::map<std::string, WebAnswer> pictures;  ///< Requested pictures, each encoded once.
  };
  /// The frame explained last, used only by the thread that explains.
  struct Explained {
    std::shared_ptr<const image::Frame> frame;
    image::PreparedFrame prepared;
  };

  Session(const forest::Forest& labels_by, const std::string& source, const std::string& device, const WebOptions& web,
          std::function<void(bool single)> takes_single);
  WebAnswer get(const std::string& path);
  WebAnswer get_shown(ShownFrame& shown, const std::string& path, std::string_view what);
  WebAnswer explain(const ShownFrame& shown, const std::string& path) const;
  void opened(int client);
  void on_message(int client, const std::string& text);
  ShownFrame* find(std::uint64_t number);
  void take_map(std::vector<std::uint8_t> records, json news);
  void rethrow_failure();
  void take(ShownFrame shown, json news);

  const forest::Forest& forest;
  const std::function<void(bool single)> choose_single;
  json welcome;
  std::uint64_t num_shown = 0;
  predict::ShownRate rate;
  json objects;  // of the next frame; null: there are none to show

  // Used only on the server's thread.
  std::deque<ShownFrame> recent;   // newest last
  std::deque<ShownFrame> fetched;  // frames that slow pages have fetched and still display
  std::map<int, ShownFrame> held;  // [client] the frame at which it has paused
  std::string trouble, news_of_last, news_of_map;
  WebAnswer map_points{.type = "application/octet-stream"};
  std::uint64_t num_maps = 0;
  bool is_single = false;  // the choice made on the pages
  const std::shared_ptr<Explained> explained = std::make_shared<Explained>();

  std::mutex mutex;
  std::exception_ptr failure;  // exception of the server
  WebServer server;
  std::jthread thread;  // last: it uses the members above
};

LivePage::Session::Session(const forest::Forest& labels_by, const std::string& source, const std::string& device,
                           const WebOptions& web, std::function<void(bool single)> takes_single)
    : forest(labels_by),
      choose_single(std::move(takes_single)),
      welcome({{"source", source}, {"device", device}, {"classes", json::array()}}),
      server(with_short_messages(web),
             {.get = [this](const std::string& path) { return get(path); },
              .opened = [this](int client) { opened(client); },
              .on_message = [this](int client, const std::string& text) { on_message(client, text); },
              .closed = [this](int client) { held.erase(client); }}) {
  for (const image::ClassInfo& info : forest.classes.classes)
    welcome["classes"].push_back({{"name", info.name}, {"color", {info.color.r, info.color.g, info.color.b}}});
  thread = std::jthread([this](const std::stop_token& stop) {
    try {
      server.run(stop);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  });
}

void LivePage::Session::opened(int client) {
  server.send(client, message_text(welcome));
  if (choose_single) server.send(client, message_text({{"single", is_single}}));
  if (!trouble.empty()) server.send(client, message_text({{"trouble", trouble}}));
  if (!news_of_last.empty()) server.send(client, news_of_last);
  if (!news_of_map.empty()) server.send(client, news_of_map);
}

/// Handles {"hold": 12}, by which a page that pauses keeps its frame available, {"hold": null}, which releases the
/// frame, and {"single": true}, which selects single labels for all pages; ignores other messages.
void LivePage::Session::on_message(int client, const std::string& text) {
  json message;
  try {
    message = parse_json(text, kDeepestMessage, "it", {"the message", "", "it", ErrorKind::kUsage});
  } catch (const Error&) {
    return;
  }
  if (!message.is_object()) return;
  if (choose_single && message.contains("single") && message["single"].is_boolean()) {
    is_single = message["single"].get<bool>();
    choose_single(is_single);
    server.send_to_all(message_text({{"single", is_single}}));
  }
  if (!message.contains("hold")) return;
  const json& hold = message["hold"];
  ShownFrame* const shown = hold.is_number_unsigned() ? find(hold.get<std::uint64_t>()) : nullptr;
  if (shown)
    held[client] = ShownFrame(*shown);
  else
    held.erase(client);
  server.send(client, message_text({{"held", shown ? hold : json()}}));
}

LivePage::Session::ShownFrame* LivePage::Session::find(std::uint64_t number) {
  for (ShownFrame& shown : recent)
    if (shown.number == number) return &shown;
  for (ShownFrame& shown : fetched)
    if (shown.number == number) return &shown;
  for (auto& [client, shown] : held)
    if (shown.number == number) return &shown;
  return nullptr;
}

void LivePage::Session::take(ShownFrame shown, json news) {
  news["color"] = !shown.frame->color.empty();
  news["depth"] = !shown.frame->depth_mm.empty();
  recent.push_back(std::move(shown));
  if (recent.size() > kKeptFrames) recent.pop_front();
  news_of_last = message_text(news);
  server.send_to_all(news_of_last);
}

void LivePage::Session::take_map(std::vector<std::uint8_t> records, json news) {
  map_points.body.assign(records.begin(), records.end());
  news["number"] = ++num_maps;
  news_of_map = message_text({{"map", std::move(news)}});
  server.send_to_all(news_of_map);
}

void LivePage::Session::rethrow_failure() {
  const std::lock_guard lock(mutex);
  if (failure) std::rethrow_exception(failure);
}

WebAnswer LivePage::Session::get(const std::string& path) {
  const std::string address = path.substr(0, path.find('?'));
  if (const auto file = file_answer(kLiveFiles, address)) return *file;
  if (const auto file = map_viewer_file(address)) return *file;
  if (num_maps > 0 && address == "/map/" + std::to_string(num_maps)) return map_points;
  if (address.starts_with("/map/")) throw Error(ErrorKind::kUsage, "the map has changed since; ask for the newest");
  const auto number = number_between(address, "/shown/", "/");
  if (!number || !address.starts_with("/shown/")) fail_not_there(path);
  if (ShownFrame* const shown = find(*number)) return get_shown(*shown, path, address.substr(address.rfind('/') + 1));
  throw Error(ErrorKind::kUsage, "the frame was shown some frames ago; ask for a newer one");
}

WebAnswer LivePage::Session::get_shown(ShownFrame& shown, const std::string& path, std::string_view what) {
  if (what == "why") return explain(shown, path);
  const std::string name(what);
  if (const auto known = shown.pictures.find(name); known != shown.pictures.end()) return known->second;
  std::function<WebAnswer()> make;
  if (what == "labels")
    make = [this, labels = shown.labels] { return labels_answer(*labels, forest.classes.classes); };
  else if (what == "color" && !shown.frame->color.empty())
    make = [frame = shown.frame] { return picture_answer(frame->color); };
  else if (what == "depth" && !shown.frame->depth_mm.empty())
    make = [frame = shown.frame] { return picture_answer(dataset::colorize_depth(frame->depth_mm)); };
  else
    fail_not_there(path);
  const WebAnswer answer = {.later = [make = std::move(make), picture = std::make_shared<Picture>()] {
    std::call_once(picture->is_made, [&] { picture->answer = make(); });
    return picture->answer;
  }};
  shown.pictures[name] = answer;
  if (std::ranges::none_of(fetched, [&](const ShownFrame& one) { return one.number == shown.number; })) {
    fetched.push_back(shown);
    if (fetched.size() > kKeptFrames) fetched.pop_front();
  }
  return answer;
}

WebAnswer LivePage::Session::explain(const ShownFrame& shown, const std::string& path) const {
  const auto [x, y] = pixel_of(path, shown.frame->cols(), shown.frame->rows());
  return {.later = [&forest = forest, frame = shown.frame, last = explained, x = x, y = y] {
    if (last->frame != frame) *last = {frame, predict::prepare_for(forest, *frame)};
    return why_answer(evaluate::explain(forest, last->prepared, x, y));
  }};
}

LivePage::LivePage(const forest::Forest& forest, const std::string& source, const std::string& device,
                   const WebOptions& web, std::function<void(bool single)> choose_single)
    : session_(std::make_unique<Session>(forest, source, device, web, std::move(choose_single))) {}
LivePage::~LivePage() = default;

std::string LivePage::url() const { return session_->server.url(); }

bool LivePage::show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) {
  Session& session = *session_;
  session.rethrow_failure();
  session.rate.note(seconds_now());
  Session::ShownFrame shown{++session.num_shown,
                            frame.captured.frame,
                            std::make_shared<const image::LabelImage>(frame.prediction.labels),
                            {}};
  json news = {{"shown", shown.number},
               {"rate", session.rate.per_second()},
               {"latency_ms", 1000 * so_far.latency.median_s()},
               {"p95_ms", 1000 * so_far.latency.p95_s()},
               {"dropped", so_far.num_dropped}};
  if (!session.objects.is_null()) news["objects"] = std::exchange(session.objects, nullptr);
  session.server.post([&session, shown = std::move(shown), news = std::move(news)]() mutable {
    session.take(std::move(shown), std::move(news));
  });
  return true;
}

void LivePage::show_objects(const map::FollowedObjects& objects, const objects::ObjectTracker& tracker,
                            double seconds) {
  const std::vector<ObjectRow> rows = rows_of(objects, tracker, seconds);
  const std::size_t num_shown = std::min(rows.size(), kMaxObjects);
  json list = json::array();
  for (const ObjectRow& row : std::span(rows).first(num_shown))
    list.push_back({{"id", row.id == objects::ObjectTracker::kNoId ? json() : json(row.id)},
                    {"class", row.label},
                    {"confidence", row.confidence},
                    {"distance_m", row.distance_m > 0 ? json(row.distance_m) : json()},
                    {"area_m2", row.area_m2 > 0 ? json(row.area_m2) : json()},
                    {"unseen_s", row.unseen_s}});
  session_->objects = {{"text", report::objects_text({objects.found, session_->forest.classes})},
                       {"rows", std::move(list)},
                       {"more", rows.size() - num_shown}};
}

void LivePage::show_map(const std::vector<map::MapPoint>& points, double voxel_m, const image::Vector3& up,
                        std::size_t num_fused, std::size_t num_left_out) {
  Session& session = *session_;
  session.rethrow_failure();
  report::PackedPoints packed = report::pack_points(points, voxel_m, up, kMaxMapPoints);
  json news = report::facts_of(packed, session.forest.classes);
  news.update(
      {{"points", points.size()}, {"shown", packed.num_shown}, {"frames", num_fused}, {"left_out", num_left_out}});
  session.server.post([&session, records = std::move(packed.records), news = std::move(news)]() mutable {
    session.take_map(std::move(records), std::move(news));
  });
}

void LivePage::trouble(const std::string& sentence) {
  session_->server.post([session = session_.get(), sentence] {
    session->trouble = sentence;
    session->server.send_to_all(message_text({{"trouble", sentence}}));
  });
}

}  // namespace fernwood::web
