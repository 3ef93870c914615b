// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/recordings/mcap_recorder.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/bounded_queue.h"
#include "fernwood/core/array.h"
#include "fernwood/core/error.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/recordings/frame_messages.h"
#include "fernwood/ros/messages.h"
#include "recordings/bag/ascending_stamps.h"
#include "recordings/bag/mcap_output.h"

namespace fernwood::recordings {

struct RecordedItem {
  std::int64_t stamp_ns = 0;
  std::string frame_id = {};                            ///< The camera's coordinate frame, or empty.
  std::shared_ptr<const image::Frame> frame = nullptr;  ///< Null: the item has labels.
  std::optional<image::RigidMotion> pose = {};
  Array2<std::uint8_t> mask = {}, confidence = {};
  std::size_t topic = 0;             ///< Of the message.
  ros::EncodedMessage message = {};  ///< Empty: the item has a frame, or its labels.
};

/// Publishes frames and labels in the topics of McapTopics.
class McapMessages {
 public:
  McapMessages(const std::filesystem::path& file, std::vector<std::string> class_names);
  void write(const RecordedItem& item);
  McapOutput& output() { return output_; }
  /// The topic of a view; empty for any other name. May be called from any thread.
  std::optional<std::size_t> find_view(const std::string& name) const {
    const auto found = views_.find(name);
    return found == views_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  template <typename Message>
  void write_at(std::size_t topic, const Message& message, std::int64_t stamp_ns) {
    output_.write(topic, stamp_ns, ros::write_message(message));
  }
  void write_frame(const image::Frame& frame, const ros::MessageHeader& header);
  void write_camera(std::size_t topic, const image::Frame& frame, const ros::MessageHeader& header);

  McapOutput output_;
  std::vector<std::string> class_names_;
  bool has_label_info_ = false;
  std::size_t color_, color_info_, depth_, depth_info_, transforms_, up_, label_info_, mask_,
      confidence_;                            // topics
  std::map<std::string, std::size_t> views_;  // topics by their names
};

namespace {

constexpr const char* kRoomFrame = "map";
/// For cameras that do not name their coordinate frame.
constexpr const char* kUsualCameraFrame = "camera";

}  // namespace

McapMessages::McapMessages(const std::filesystem::path& file, std::vector<std::string> class_names)
    : output_(file), class_names_(std::move(class_names)) {
  const auto add = [&](const char* name, std::string_view type, bool is_latched = false) {
    return output_.add_topic({name, std::string(type), is_latched});
  };
  color_ = add(McapTopics::kColor, ros::kImageType);
  color_info_ = add(McapTopics::kColorInfo, ros::kCameraInfoType);
  depth_ = add(McapTopics::kDepth, ros::kImageType);
  depth_info_ = add(McapTopics::kDepthInfo, ros::kCameraInfoType);
  transforms_ = add(McapTopics::kTransforms, ros::kTransformsType);
  up_ = add(McapTopics::kUp, ros::kVectorType);
  label_info_ = add(McapTopics::kLabelInfo, ros::kLabelInfoType, true);
  mask_ = add(McapTopics::kMask, ros::kImageType);
  confidence_ = add(McapTopics::kConfidence, ros::kImageType);
  views_ = {{McapTopics::kOverlay, add(McapTopics::kOverlay, ros::kImageType)},
            {McapTopics::kPoints, add(McapTopics::kPoints, ros::kPointCloudType)},
            {McapTopics::kMap, add(McapTopics::kMap, ros::kPointCloudType, true)},
            {McapTopics::kGrid, add(McapTopics::kGrid, ros::kOccupancyGridType, true)},
            {McapTopics::kObjects, add(McapTopics::kObjects, ros::kDetectionsType)},
            {McapTopics::kObjectMarkers, add(McapTopics::kObjectMarkers, ros::kMarkersType)}};
}

void McapMessages::write(const RecordedItem& item) {
  if (!item.message.empty()) return output_.write(item.topic, item.stamp_ns, item.message);
  const std::string_view frame_id = item.frame_id.empty() ? std::string_view(kUsualCameraFrame) : item.frame_id;
  const ros::MessageHeader header{item.stamp_ns, frame_id};
  if (!std::exchange(has_label_info_, true) && !class_names_.empty())
    write_at(label_info_, label_info_message(class_names_, header), item.stamp_ns);
  if (item.pose)
    if (const auto transform = pose_message(*item.pose, {item.stamp_ns, kRoomFrame}, frame_id))
      write_at(transforms_, std::vector{*transform}, item.stamp_ns);
  if (item.frame) write_frame(*item.frame, header);
  if (!item.mask.empty()) write_at(mask_, grey_message(item.mask, header), item.stamp_ns);
  if (!item.confidence.empty()) write_at(confidence_, grey_message(item.confidence, header), item.stamp_ns);
}

void McapMessages::write_frame(const image::Frame& frame, const ros::MessageHeader& header) {
  if (frame.up != image::kImageUp)
    write_at(up_, ros::StampedVector{header, {frame.up.x, frame.up.y, frame.up.z}}, header.stamp_ns);
  if (!frame.color.empty()) {
    write_camera(color_info_, frame, header);
    write_at(color_, color_message(frame.color, header), header.stamp_ns);
  }
  if (!frame.depth_mm.empty()) {
    write_camera(depth_info_, frame, header);
    write_at(depth_, depth_message(frame.depth_mm, header), header.stamp_ns);
  }
}

void McapMessages::write_camera(std::size_t topic, const image::Frame& frame, const ros::MessageHeader& header) {
  if (frame.camera) write_at(topic, camera_message(*frame.camera, frame.rows(), frame.cols(), header), header.stamp_ns);
}

struct McapRecorder::Work {
  Work(const std::filesystem::path& file, std::vector<std::string> class_names)
      : name(file.string()), messages(file, std::move(class_names)) {
    thread = std::thread([this] { write_all(); });
  }

  void write_all() {
    try {
      while (true) {
        const std::optional<RecordedItem> item = waiting.pop_for(std::chrono::seconds(1));
        if (!item && waiting.is_finished()) break;
        write(item);
      }
      messages.output().finish();
      num_written = num_added;
    } catch (...) {
      failure = std::current_exception();
      waiting.close_and_clear();
    }
  }

  /// Without an item, nothing has arrived for a while: received messages are flushed to the disk.
  void write(const std::optional<RecordedItem>& item) {
    if (item) {
      messages.write(*item);
      num_added += item->frame ? 1 : 0;
      if (!messages.output().flush_if_full()) return;
    } else {
      messages.output().flush();
    }
    num_written = num_added;
  }

  void push(RecordedItem item) {
    if (!waiting.push(std::move(item))) finish();
  }

  void finish() {
    waiting.close();
    const std::lock_guard lock(finishing);
    if (thread.joinable()) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

  std::string name;
  McapMessages messages;
  std::mutex stamping;
  AscendingStamps stamps;  // guarded by the mutex
  BoundedQueue<RecordedItem> waiting{16, WhenFull::kWait};
  std::size_t num_added = 0;  // used by the thread only
  std::atomic<std::size_t> num_written = 0;
  std::exception_ptr failure;  // written by the thread, read after it has ended
  std::mutex finishing;
  std::thread thread;
};

/// See McapRecorder::views().
class McapRecorder::Views final : public ros::Node {
 public:
  explicit Views(McapRecorder::Work& work) : work_(work) {}

  std::unique_ptr<ros::Publisher> advertise(const std::string& topic, std::string_view, ros::Qos) override {
    return std::make_unique<View>(work_, work_.messages.find_view(topic));
  }
  std::unique_ptr<ros::Subscription> subscribe(const std::string& topic, std::string_view, ros::Qos) override {
    throw Error(ErrorKind::kUsage, topic + ": a recording that is being written has no messages to read");
  }
  std::vector<ros::RemoteTopic> topics() const override { return {}; }
  bool wait(double) override { return false; }
  void wake() override {}

 private:
  class View final : public ros::Publisher {
   public:
    View(McapRecorder::Work& work, std::optional<std::size_t> topic) : work_(work), topic_(topic) {}
    bool publish(std::span<const std::uint8_t> message) override {
      if (topic_)
        work_.push({.stamp_ns = ros::read_stamp({message, ros::MessageCoding::kCdr, work_.name}),
                    .topic = *topic_,
                    .message = {message.begin(), message.end()}});
      return true;
    }
    std::size_t num_subscribers() const override { return topic_ ? 1 : 0; }

   private:
    McapRecorder::Work& work_;
    std::optional<std::size_t> topic_;
  };

  McapRecorder::Work& work_;
};

McapRecorder::McapRecorder(const std::filesystem::path& file, std::vector<std::string> class_names) {
  FW_CHECK(!file.empty(), Usage, "the name of the recording is empty; choose a new file");
  FW_CHECK(class_names.size() <= kNoClass, Usage,
           file.string() << ": the model has " << class_names.size()
                         << " classes, and labels are recorded in masks of 8 bits, which tell " << int{kNoClass}
                         << " apart; record to a folder");
  work_ = std::make_unique<Work>(file, std::move(class_names));
}

McapRecorder::~McapRecorder() {
  try {
    work_->finish();
  } catch (...) {  // finish() was not called
  }
}

void McapRecorder::add(const CapturedFrame& frame) {
  FW_CHECK(frame.frame->maps.empty(), Usage,
           work_->name << ": frames have feature maps, which recordings in MCAP do not hold; record to a folder");
  const std::unique_lock lock(work_->stamping);
  const std::int64_t stamp_ns = work_->stamps.add(frame);
  work_->push({.stamp_ns = stamp_ns, .frame_id = frame.frame_id, .frame = frame.frame, .pose = frame.pose});
}

std::int64_t McapRecorder::add_labels(const CapturedFrame& frame, const image::LabelImage& labels,
                                      std::span<const Array2<float>> probabilities) {
  RecordedItem item{.frame_id = frame.frame_id, .mask = mask_of(labels)};
  if (!probabilities.empty()) item.confidence = confidence_of(labels, probabilities);
  const std::unique_lock lock(work_->stamping);
  const std::optional<std::int64_t> stamp_ns = work_->stamps.find(frame);
  FW_CHECK(stamp_ns, Usage, work_->name << ": labels came for a frame that was not recorded; add the frame before");
  item.stamp_ns = *stamp_ns;
  work_->push(std::move(item));
  return *stamp_ns;
}

std::shared_ptr<ros::Node> McapRecorder::views() { return std::make_shared<Views>(*work_); }

void McapRecorder::finish() { work_->finish(); }

std::size_t McapRecorder::num_written() const { return work_->num_written; }

std::vector<std::string> McapRecorder::warnings() const {
  if (work_->messages.output().is_compressed()) return {};
  return {
      work_->name +
      " is written without compression, by the plug-in fernwood_bags.so, which is not installed; install zstd, LZ4, "
      "bzip2 and SQLite (Debian and Ubuntu: libzstd-dev liblz4-dev libbz2-dev libsqlite3-dev), configure and build "
      "fernwood again"};
}

}  // namespace fernwood::recordings
