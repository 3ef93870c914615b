// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/publish/label_publisher.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/objects/object_tracker.h"
#include "fernwood/ros/node.h"
#include "image/registration.h"

namespace fernwood::publish {

namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

const std::vector<ros::PointField>& point_fields() {
  using Field = ros::PointField;
  static const std::vector<Field> fields = {{"x", PointLayout::kX},
                                            {"y", PointLayout::kY},
                                            {"z", PointLayout::kZ},
                                            {"class", PointLayout::kClass, Field::kUint8},
                                            {"confidence", PointLayout::kConfidence, Field::kUint8}};
  return fields;
}

ros::PointCloud cloud_of(const ros::MessageHeader& header, std::size_t rows, std::size_t cols,
                         std::span<const std::uint8_t> points) {
  return {.header = header,
          .height = static_cast<std::uint32_t>(rows),
          .width = static_cast<std::uint32_t>(cols),
          .fields = point_fields(),
          .point_step = PointLayout::kBytes,
          .row_step = static_cast<std::uint32_t>(cols * PointLayout::kBytes),
          .data = points};
}

ros::EncodedMessage grid_message(const map::OccupancyGrid& grid, const ros::MessageHeader& header) {
  image::RigidMotion origin = image::inverse(grid.from_map);
  origin.translation = origin({static_cast<float>(grid.x_m), static_cast<float>(grid.y_m), 0});
  const ros::Transform pose = recordings::pose_message(origin, header, {}).value();  // the motion is a rigid one
  const auto* const cells = reinterpret_cast<const std::uint8_t*>(grid.cells.data());
  return ros::write_message(ros::OccupancyGrid{.header = header,
                                               .info = {.load_time = {header.stamp_ns},
                                                        .resolution = static_cast<float>(grid.cell_m),
                                                        .width = static_cast<std::uint32_t>(grid.cells.cols()),
                                                        .height = static_cast<std::uint32_t>(grid.cells.rows()),
                                                        .origin_m = pose.translation_m,
                                                        .origin_rotation = pose.rotation},
                                               .data = {cells, grid.cells.size()}});
}

/// Texts of a row of diagnostics; they must live until the row is written.
struct StateTexts {
  std::vector<std::pair<std::string, std::string>> rows;
  std::string message;
};

StateTexts texts_of(const RunState& state, std::size_t num_lost) {
  const predict::LiveReport& report = state.report;
  const auto milliseconds = [](double seconds) { return format_text("%.1f", 1000 * seconds); };
  StateTexts texts;
  texts.rows = {{"frames per second", format_text("%.1f", state.frames_per_second)},
                {"latency, median (ms)", milliseconds(report.latency.median_s())},
                {"latency, 95 % (ms)", milliseconds(report.latency.p95_s())},
                {"frames labelled", std::to_string(report.num_shown)},
                {"frames dropped for newer ones", std::to_string(report.num_dropped)},
                {"camera lost and found again", std::to_string(report.num_reconnects)},
                {"messages that subscribers lost", std::to_string(num_lost)},
                {"device", state.device},
                {"model", state.model}};
  for (const std::string& warning : state.warnings) texts.rows.emplace_back("quality of service", warning);
  texts.message = !state.trouble.empty()    ? state.trouble
                  : !state.warnings.empty() ? state.warnings.front()
                  : report.num_shown == 0   ? "waiting for frames"
                                            : "labelling";
  return texts;
}

constexpr std::int64_t kNoStamp = std::numeric_limits<std::int64_t>::min();

constexpr std::string_view kNamespace = "__ns";

/// The absolute name of a topic, as ROS resolves names.
std::string from_root(const std::string& name, const std::string& space) {
  return name.starts_with('/') ? name : space + "/" + name;
}

struct RemapRule {
  std::string from, to;
};

RemapRule parse_rule(const std::string& rule) {
  const std::size_t middle = rule.find(":=");
  FW_CHECK(middle != std::string::npos && middle > 0 && middle + 2 < rule.size(), Usage,
           "the rule \"" << rule << "\" is not FROM:=TO, as /segmentation/mask:=/robot/mask or __ns:=/robot");
  return {rule.substr(0, middle), rule.substr(middle + 2)};
}

void check_name(const std::string& name, const std::string& rule) {
  FW_CHECK(ros::is_topic_name(name), Usage,
           "the rule \"" << rule << "\" names " << name
                         << ", which ROS does not allow: behind each / come letters, digits and _, a letter first");
}

void put_point(const image::Vector3& place, std::uint8_t label, std::uint8_t confidence, std::uint8_t* point) {
  const float coordinates[3] = {place.x, place.y, place.z};
  std::memcpy(point + PointLayout::kX, coordinates, sizeof(coordinates));
  point[PointLayout::kClass] = label;
  point[PointLayout::kConfidence] = confidence;
}

/// An object in messages; must live until they are written.
struct ShownObject {
  const objects::Object& object;
  ros::Pose center;
  std::string id, name;
};

/// Centre and axes of a box.
ros::Pose pose_of(const objects::Box& box) {
  const auto& [x, y, z] = box.axes;
  const image::Vector3 up = {x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x};
  const float side = dot(up, z) < 0 ? -1.0f : 1.0f;  // a rotation has right-handed axes, and boxes are symmetric
  const image::RigidMotion motion = {{{x.x, side * y.x, z.x}, {x.y, side * y.y, z.y}, {x.z, side * y.z, z.z}},
                                     box.center};
  const ros::Transform pose = recordings::pose_message(motion, {}, {}).value();  // a rigid motion
  return {pose.translation_m, pose.rotation};
}

std::vector<ShownObject> shown_objects(const objects::FrameObjects& found, std::span<const std::uint32_t> ids,
                                       const image::ClassMap& classes) {
  std::vector<ShownObject> shown;
  for (const objects::Object& object : found.objects) {
    if (object.box == objects::Box()) continue;  // no known depth, or too few points
    const std::uint32_t number = ids.empty() ? object.number : ids[object.number - 1u];
    const std::string id = number == objects::ObjectTracker::kNoId ? "" : std::to_string(number);
    shown.push_back({object, pose_of(object.box), id,
                     classes.classes[object.label].name + (id.empty() ? "" : " ") + id + ", " +
                         fixed(static_cast<double>(object.distance_m), 1) + " m"});
  }
  return shown;
}

std::array<double, 3> numbers_of(const image::Vector3& vector) { return {vector.x, vector.y, vector.z}; }

ros::Detections detections_of(const std::vector<ShownObject>& shown, const image::ClassMap& classes,
                              const ros::MessageHeader& header) {
  ros::Detections detections{header};
  for (const auto& [object, center, id, name] : shown)
    detections.detections.push_back(
        {header,
         {{classes.classes[object.label].name, static_cast<double>(object.confidence), center}},
         center,
         numbers_of(object.box.size),
         id});
  return detections;
}

/// A box for each object, with its name in it; those of the frame before are deleted first.
std::vector<ros::Marker> markers_of(const std::vector<ShownObject>& shown, const image::ClassMap& classes,
                                    const ros::MessageHeader& header) {
  constexpr float kOpacity = 0.35f;
  constexpr double kTextHeightM = 0.1;
  std::vector<ros::Marker> markers = {{.header = header, .action = ros::Marker::kDeleteAll}};
  for (const auto& [object, center, id, name] : shown) {
    const image::Rgb color = classes.classes[object.label].color;
    const auto share = [](std::uint8_t value) { return static_cast<float>(value) / 255.0f; };
    ros::Marker marker{.header = header,
                       .space = "boxes",
                       .id = object.number,  // parts of an object share its id
                       .pose = center,
                       .scale_m = numbers_of(object.box.size),
                       .color = {share(color.r), share(color.g), share(color.b), kOpacity}};
    markers.push_back(marker);
    marker.space = "names";
    marker.type = ros::Marker::kText;
    marker.scale_m = {0, 0, kTextHeightM};
    marker.color = {1, 1, 1, 1};
    marker.text = name;
    markers.push_back(std::move(marker));
  }
  return markers;
}

/// The objects of a frame as vision_msgs/Detection3DArray and visualization_msgs/MarkerArray.
struct ObjectMessages {
  ros::EncodedMessage detections, markers;
};

/// Objects without depth are left out. @param ids  [number - 1] Of objects::ObjectTracker; empty: the numbers.
ObjectMessages object_messages(const objects::FrameObjects& found, std::span<const std::uint32_t> ids,
                               const image::ClassMap& classes, const ros::MessageHeader& header) {
  const std::vector<ShownObject> shown = shown_objects(found, ids, classes);
  return {ros::write_message(detections_of(shown, classes, header)),
          ros::write_message(markers_of(shown, classes, header))};
}

}  // namespace

std::array<std::string*, 11> LabelTopics::all() {
  return {&mask, &confidence, &label_info,     &overlay,     &points,    &map,
          &grid, &objects,    &object_markers, &diagnostics, &parameters};
}

void LabelTopics::remap(const std::vector<std::string>& rules) {
  std::string space;
  for (const std::string& rule : rules)
    if (const auto [from, to] = parse_rule(rule); from == kNamespace) {
      check_name(to, rule);
      space = to;
    }
  std::set<const std::string*> renamed;
  LabelTopics defaults;
  for (const std::string& rule : rules) {
    const auto [from, to] = parse_rule(rule);
    if (from == kNamespace) continue;
    const std::string old_name = from_root(from, ""), new_name = from_root(to, space);
    check_name(new_name, rule);
    std::vector<std::string_view> names;
    for (const std::string* name : defaults.all()) names.push_back(*name);
    const auto found = std::ranges::find(names, old_name);
    FW_CHECK(found != names.end(), Usage,
             "the rule \"" << rule << "\" is of a topic that is not published" << did_you_mean(old_name, names)
                           << "; those are "
                           << join(names, ", ", [](std::string_view name) { return std::string(name); }));
    std::string* const topic = all()[static_cast<std::size_t>(found - names.begin())];
    *topic = new_name;
    renamed.insert(topic);
  }
  // /diagnostics is one topic for the nodes of all robots, whatever their namespaces.
  for (std::string* topic : all())
    if (!renamed.contains(topic) && topic != &diagnostics) *topic = space + *topic;
}

std::vector<ParameterChange> take_changes(ros::Subscription& parameters, const std::string& topic,
                                          std::vector<std::string>& problems) {
  constexpr std::size_t kMaxShown = 80;
  std::vector<ParameterChange> changes;
  while (const auto message = parameters.take()) {
    try {
      const std::string text(ros::read_text({*message, ros::MessageCoding::kCdr, topic}).data);
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0)
        problems.push_back(topic + ": \"" + text.substr(0, kMaxShown) + "\" is not a NAME=VALUE, as smooth=80");
      else
        changes.push_back({text.substr(0, equals), text.substr(equals + 1)});
    } catch (const Error& error) {
      problems.push_back(error.what());
    }
  }
  return changes;
}

std::vector<std::uint8_t> points_of(std::span<const map::MapPoint> points) {
  std::vector<std::uint8_t> bytes(points.size() * PointLayout::kBytes);
  std::uint8_t* at = bytes.data();
  for (const map::MapPoint& point : points) {
    const bool has_class = point.label != image::kVoid;
    put_point(point.place, has_class ? static_cast<std::uint8_t>(point.label) : recordings::kNoClass,
              recordings::confidence_level(point.probability), at);
    at += PointLayout::kBytes;
  }
  return bytes;
}

std::vector<std::uint8_t> points_of(const image::Frame& frame, const Array2<std::uint8_t>& mask,
                                    const Array2<std::uint8_t>& confidence) {
  const image::Camera camera = image::depth_view(frame).camera;
  const std::size_t rows = frame.depth_mm.rows(), cols = frame.depth_mm.cols();
  std::vector<std::uint8_t> points(rows * cols * PointLayout::kBytes);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kMetresPerMm = 0.001f;
  std::uint8_t* point = points.data();
  for (std::size_t row = 0; row < rows; ++row) {
    const float ray_y = (static_cast<float>(row) - camera.cy) / camera.fy;
    for (std::size_t col = 0; col < cols; ++col, point += PointLayout::kBytes) {
      const std::uint16_t depth_mm = frame.depth_mm(row, col);
      const float z = depth_mm == 0 ? kNan : static_cast<float>(depth_mm) * kMetresPerMm;
      put_point({(static_cast<float>(col) - camera.cx) / camera.fx * z, ray_y * z, z}, mask(row, col),
                confidence.empty() ? std::uint8_t{0} : confidence(row, col), point);
    }
  }
  return points;
}

struct LabelPublisher::Work {
  std::shared_ptr<ros::Node> node;
  std::string frame_id;
  image::ClassMap classes;
  std::unique_ptr<ros::Publisher> mask, confidence, label_info, overlay, points, map, grid, objects, object_markers,
      diagnostics;
  std::atomic<std::size_t> num_lost = 0;
  std::atomic<std::int64_t> last_stamp_ns = kNoStamp;
  double state_at = 0;

  void send(ros::Publisher& publisher, const ros::EncodedMessage& message) {
    if (!publisher.publish(message)) ++num_lost;
  }
  ros::MessageHeader header(const recordings::CapturedFrame& captured, std::optional<std::int64_t> stamp_ns) const {
    return {stamp_ns                 ? *stamp_ns
            : captured.stamp_ns != 0 ? captured.stamp_ns
                                     : now_ns(),
            captured.frame_id.empty() ? frame_id : captured.frame_id};
  }
};

LabelPublisher::LabelPublisher(std::shared_ptr<ros::Node> node, const image::ClassMap& classes,
                               const LabelTopics& topics, const std::string& frame_id)
    : work_(std::make_unique<Work>()) {
  FW_CHECK(classes.size() <= recordings::kNoClass, Usage,
           "the model has " << classes.size() << " classes, and a mask has one byte for each pixel: at most "
                            << int{recordings::kNoClass} << " can be published");
  Work& work = *work_;
  work.node = std::move(node);
  work.frame_id = frame_id;
  work.classes = classes;
  const auto advertise = [&](const std::string& topic, std::string_view type, ros::Qos qos = ros::Qos::kReliable) {
    return work.node->advertise(topic, type, qos);
  };
  work.label_info = advertise(topics.label_info, ros::kLabelInfoType, ros::Qos::kLatched);
  const std::vector<std::string> names = classes.names();
  work.send(*work.label_info, ros::write_message(recordings::label_info_message(names, {now_ns(), frame_id})));
  work.mask = advertise(topics.mask, ros::kImageType);
  work.confidence = advertise(topics.confidence, ros::kImageType);
  work.overlay = advertise(topics.overlay, ros::kImageType);
  work.points = advertise(topics.points, ros::kPointCloudType);
  work.map = advertise(topics.map, ros::kPointCloudType, ros::Qos::kLatched);
  work.grid = advertise(topics.grid, ros::kOccupancyGridType, ros::Qos::kLatched);
  work.objects = advertise(topics.objects, ros::kDetectionsType, ros::Qos::kLatched);
  work.object_markers = advertise(topics.object_markers, ros::kMarkersType);
  work.diagnostics = advertise(topics.diagnostics, ros::kDiagnosticsType);
}

LabelPublisher::~LabelPublisher() = default;

bool LabelPublisher::wants_probabilities() const {
  return work_->confidence->num_subscribers() > 0 || work_->points->num_subscribers() > 0;
}

std::size_t LabelPublisher::num_lost() const { return work_->num_lost; }

void LabelPublisher::publish(const recordings::CapturedFrame& captured, const image::LabelImage& labels,
                             std::span<const Array2<float>> probabilities, std::optional<std::int64_t> stamp_ns) {
  Work& work = *work_;
  const image::Frame& frame = *captured.frame;
  const ros::MessageHeader header = work.header(captured, stamp_ns);
  work.last_stamp_ns = header.stamp_ns;
  const bool wants_points = work.points->num_subscribers() > 0 && !frame.depth_mm.empty();
  const Array2<std::uint8_t> mask = recordings::mask_of(labels);
  Array2<std::uint8_t> confidence;
  if (!probabilities.empty() && (wants_points || work.confidence->num_subscribers() > 0))
    confidence = recordings::confidence_of(labels, probabilities);
  // Nav2's layer joins these messages by their stamps and waits for the mask, which is therefore sent last.
  if (wants_points)
    work.send(*work.points,
              ros::write_message(cloud_of(header, mask.rows(), mask.cols(), points_of(frame, mask, confidence))));
  if (work.confidence->num_subscribers() > 0 && !confidence.empty())
    work.send(*work.confidence, ros::write_message(recordings::grey_message(confidence, header)));
  if (work.overlay->num_subscribers() > 0)
    work.send(*work.overlay, ros::write_message(recordings::color_message(
                                 dataset::overlay_labels(frame, labels, work.classes), header)));
  if (work.mask->num_subscribers() > 0)
    work.send(*work.mask, ros::write_message(recordings::grey_message(mask, header)));
}

void LabelPublisher::publish_objects(const recordings::CapturedFrame& captured, const objects::FrameObjects& found,
                                     std::span<const std::uint32_t> ids, std::optional<std::int64_t> stamp_ns) {
  Work& work = *work_;
  const ObjectMessages messages = object_messages(found, ids, work.classes, work.header(captured, stamp_ns));
  work.send(*work.objects, messages.detections);
  work.send(*work.object_markers, messages.markers);
}

void LabelPublisher::publish_map(const map::VoxelMap& map, const map::GridOptions& grid, const std::string& frame_id) {
  const std::int64_t last_ns = work_->last_stamp_ns;
  const ros::MessageHeader header{last_ns == kNoStamp ? now_ns() : last_ns, frame_id};
  const std::vector<std::uint8_t> points = points_of(map.points());
  work_->send(*work_->map, ros::write_message(cloud_of(header, 1, points.size() / PointLayout::kBytes, points)));
  const std::vector<bool> is_floor = map::floor_classes(map.classes(), grid);
  if (std::ranges::find(is_floor, true) != is_floor.end())
    work_->send(*work_->grid, grid_message(map::occupancy_grid(map, grid), header));
}

void LabelPublisher::publish_state(const RunState& state) {
  constexpr double kEveryS = 1;
  const double now = seconds_now();
  if (now - work_->state_at < kEveryS) return;
  work_->state_at = now;
  const StateTexts texts = texts_of(state, work_->num_lost);
  using Status = ros::DiagnosticStatus;
  const std::uint8_t level = !state.trouble.empty()    ? Status::kError
                             : !state.warnings.empty() ? Status::kWarn
                                                       : Status::kOk;
  Status status{level, "fernwood: labels", texts.message, "fernwood"};
  for (const auto& [key, value] : texts.rows) status.values.push_back({key, value});
  work_->send(*work_->diagnostics,
              ros::write_message(ros::Diagnostics{{now_ns(), work_->frame_id}, {std::move(status)}}));
}

OptionTable<PublishingOptions> PublishingOptions::table() {
  static constexpr std::array kRows = {
      option<&PublishingOptions::publish>(
          "publish", "Publish labels, confidence, points and more as topics of ROS 2, see docs/reference/ros_topics.md")
          .one_of([] { return std::vector<std::string>{"ros:"}; }),
      option<&PublishingOptions::remap>("remap",
                                        "Rename topics of {publish}, with ROS's syntax: "
                                        "/segmentation/mask:=/robot/mask, __ns:=/robot")
          .takes("FROM:=TO ..."),
      option<&PublishingOptions::frame_id>("frame-id", "Coordinate frame of published images if the source has none")
          .takes("NAME"),
  };
  return kRows;
}

LabelTopics PublishingOptions::topics() const {
  LabelTopics topics;
  topics.remap(remap);
  return topics;
}

void PublishingOptions::check() const {
  require_together(remap.empty() || is_wanted(), "{} needs the topics of {}; add it", {{"remap"}, {"publish", "ros:"}});
  topics();
}

PublishingOutput::PublishingOutput(predict::LiveOutput& log, std::shared_ptr<ros::Node> node,
                                   predict::AdjustablePredictor& predictor, const image::ClassMap& classes,
                                   const PublishingOptions& options)
    : log_(log),
      predictor_(predictor),
      node_(std::move(node)),
      num_warned_(node_->incompatible().size()),
      publisher_(node_, classes, options.topics(), options.frame_id),
      parameters_(node_->subscribe(options.topics().parameters, ros::kStringType, ros::Qos::kReliable)),
      parameter_topic_(options.topics().parameters),
      device_(to_string(predictor.device())),
      model_(options.model) {}

bool PublishingOutput::show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) {
  publisher_.publish(frame.captured, frame.prediction.labels, frame.prediction.probabilities);
  rate_.note(seconds_now());
  report_ = &so_far;
  publish_state();
  return true;
}

bool PublishingOutput::idle() {
  take_parameters();
  publish_state();
  return true;
}

void PublishingOutput::take_parameters() {
  std::vector<std::string> problems;
  for (const auto& [name, value] : take_changes(*parameters_, parameter_topic_, problems)) {
    try {
      predictor_.set(name, value);
      log_.note("the parameter " + name + " is \"" + value + "\" now");
    } catch (const Error& error) {
      problems.push_back(error.what());
    }
  }
  for (const std::string& problem : problems) log_.warn(problem);
}

void PublishingOutput::publish_state() {
  const std::vector<std::string> warnings = node_->incompatible();
  for (; num_warned_ < warnings.size(); ++num_warned_) log_.warn(warnings[num_warned_]);
  publisher_.publish_state({device_, model_, report_ != nullptr ? *report_ : none_,
                            trouble_.empty() ? rate_.per_second() : 0, trouble_, warnings});
}

}  // namespace fernwood::publish
