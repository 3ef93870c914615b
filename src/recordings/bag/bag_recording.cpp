// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_recording.h"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "recordings/bag/bag_cameras.h"
#include "recordings/source/recording.h"

namespace fernwood::recordings {

namespace fs = std::filesystem;

namespace {

struct StampedMessage {
  std::int64_t time_ns = 0;
  BagMessage message;
};

struct StampedMessages {
  std::vector<StampedMessage> images;  ///< Ascending.
  bool has_stamps = true;              ///< False: all headers have the stamp 0.
};

void add_up(const Bag& bag, std::size_t topic, const BagMessage& message, std::map<std::int64_t, image::Vector3>& ups) {
  const ReadMessage read = bag.read(topic, message);
  const ros::StampedVector vector = ros::read_vector(read.coded);
  const auto& [x, y, z] = vector.vector;
  const image::Vector3 up = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
  if (image::is_direction(up)) ups[vector.header.stamp_ns] = up;
}

/// [index in `topics`] Stamps of the images of each topic.
std::vector<StampedMessages> read_stamps(const Bag& bag, std::vector<std::size_t> topics, MessagesBeside& beside) {
  std::vector<StampedMessages> stamped(topics.size());
  const std::vector<std::size_t> transforms = transform_topics(bag);
  topics.insert(topics.end(), transforms.begin(), transforms.end());
  for (std::size_t i = 0; i < bag.topics().size(); ++i)
    if (is_up(bag.topics()[i])) topics.push_back(i);
  for (const auto& [i, message] : bag.in_file_order(topics))
    if (i < stamped.size())
      stamped[i].images.push_back({ros::read_stamp(bag.read(topics[i], message, ros::kStampBytes).coded), message});
    else if (is_up(bag.topics()[topics[i]]))
      add_up(bag, topics[i], message, beside.ups);
    else
      add_transforms(bag, topics[i], message, beside.tree);
  beside.tree.sort_by_time();
  for (StampedMessages& images : stamped)
    images.has_stamps =
        std::ranges::any_of(images.images, [](const StampedMessage& image) { return image.time_ns != 0; });
  return stamped;
}

void use_times_of_recording(StampedMessages& stamped) {
  for (StampedMessage& image : stamped.images) image.time_ns = image.message.place.time_ns;
}

void sort_by_time(StampedMessages& stamped) { std::ranges::stable_sort(stamped.images, {}, &StampedMessage::time_ns); }

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::vector<double> seconds_of(const StampedMessages& stamped) {
  std::vector<double> times_s;
  // Since 1970, seconds in double precision are exact to 0.2 us.
  for (const StampedMessage& image : stamped.images)
    times_s.push_back(static_cast<double>(image.time_ns) / static_cast<double>(kNsPerSecond));
  return times_s;
}

BagFrame frame_at(std::int64_t time_ns) {
  const std::int64_t seconds = time_ns / kNsPerSecond, rest = time_ns % kNsPerSecond;
  return {format_text("%" PRId64 ".%09" PRId64, seconds, std::abs(rest)), time_ns,
          static_cast<double>(time_ns) / static_cast<double>(kNsPerSecond)};
}

void note_left_out(const Bag& bag, const ImageTopic& topic, std::size_t num_used, std::vector<std::string>& notes) {
  if (num_used == topic.num_messages) return;
  notes.push_back(bag.place(topic.topic) + ": " + std::to_string(topic.num_messages - num_used) + " of " +
                  std::to_string(topic.num_messages) + " images have no partner within " +
                  format_text("%g", kMaxPairDifferenceS) + " s and are left out");
}

}  // namespace

BagRecording::BagRecording(const fs::path& path, const TopicRequest& request)
    : bag_(path), topics_(bag_, request), notes_(bag_.warnings()) {
  MessagesBeside beside;
  if (has_color() && has_depth())
    pair_frames(beside);
  else
    list_frames(beside);
  for (BagFrame& frame : frames_)
    if (const auto up = beside.ups.find(frame.time_ns); up != beside.ups.end()) frame.up = up->second;
  topics_.read_cameras(bag_, beside.tree,
                       dataset::read_folder_config(fs::is_directory(path) ? path : dataset::folder_of(path), {}));
  notes_.insert(notes_.end(), topics_.notes().begin(), topics_.notes().end());
  read_poses(beside.tree);
}

void BagRecording::pair_frames(MessagesBeside& beside) {
  const ImageTopic &color = *topics_.chosen().color, &depth = *topics_.chosen().depth;
  std::vector<StampedMessages> stamped = read_stamps(bag_, {color.topic, depth.topic}, beside);
  StampedMessages &colors = stamped[0], &depths = stamped[1];
  if (!colors.has_stamps || !depths.has_stamps) {
    notes_.push_back(name() + ": the headers of images have no stamps; times of recording are used, which fit worse");
    use_times_of_recording(colors);
    use_times_of_recording(depths);
  }
  sort_by_time(colors);
  sort_by_time(depths);
  const std::vector<double> color_s = seconds_of(colors), depth_s = seconds_of(depths);
  const Association association = associate_by_time(name(), {color.name, color_s}, {depth.name, depth_s});
  if (!association.warning.empty()) notes_.push_back(association.warning);
  for (const ImagePair& pair : association.pairs) {
    BagFrame& frame = frames_.emplace_back(frame_at(colors.images[pair.color].time_ns));
    frame.color = colors.images[pair.color].message;
    frame.depth = depths.images[pair.depth].message;
  }
  note_left_out(bag_, color, frames_.size(), notes_);
  note_left_out(bag_, depth, frames_.size(), notes_);
}

void BagRecording::list_frames(MessagesBeside& beside) {
  StampedMessages images = std::move(read_stamps(bag_, {topics_.main().topic}, beside).front());
  if (!images.has_stamps) use_times_of_recording(images);
  sort_by_time(images);
  for (const StampedMessage& image : images.images) {
    BagFrame& frame = frames_.emplace_back(frame_at(image.time_ns));
    (has_color() ? frame.color : frame.depth) = image.message;
  }
}

void BagRecording::read_poses(const FrameTree& tree) {
  const std::string& camera = frame_id();
  const FramePath path = tree.path_to_root(camera);
  if (!path.moves && !is_fixed_frame(path.root)) {
    if (tree.moves())
      notes_.push_back(name() + ": /tf does not join the camera's frame \"" + camera +
                       "\" to one in which it moves; frames have no poses");
    return;
  }
  std::size_t num_located = 0;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (const auto to_root = tree.to_root_at(camera, frames_[i].time_ns)) frames_[i].pose = pose_of(*to_root);
    num_located += frames_[i].pose ? 1 : 0;
  }
  notes_.push_back(name() + ": poses are those of \"" + camera + "\" in \"" + path.root + "\", by /tf: " +
                   std::to_string(num_located) + " of " + std::to_string(frames_.size()) + " frames have one");
}

std::optional<dataset::FrameSize> BagRecording::color_size() const {
  return has_color() ? std::optional(topics_.main().kind.size) : std::nullopt;
}

ReadMessage BagRecording::read_depth_message(std::size_t frame) const {
  ReadMessage message = bag_.read(topics_.chosen().depth->topic, *frames_[frame].depth);
  message.coded.place += ", frame " + frames_[frame].name;
  return message;
}

Array2<image::Rgb> BagRecording::read_color(std::size_t frame) const {
  return topics_.decode_color(bag_.read(topics_.main().topic, *frames_[frame].color).coded);
}

Array2<std::uint16_t> BagRecording::read_depth(std::size_t frame,
                                               const std::optional<dataset::FrameSize>& color) const {
  return topics_.decode_depth(read_depth_message(frame).coded, color);
}

image::Frame BagRecording::read_frame(std::size_t frame) const {
  const auto color = has_color() ? std::optional(bag_.read(topics_.main().topic, *frames_[frame].color)) : std::nullopt;
  const auto depth = has_depth() ? std::optional(read_depth_message(frame)) : std::nullopt;
  image::Frame decoded = topics_.decode(color ? &color->coded : nullptr, depth ? &depth->coded : nullptr);
  decoded.up = frames_[frame].up.value_or(decoded.up);
  return decoded;
}

BagPlace parse_bag_place(const std::string& place) {
  const std::size_t question = place.rfind('?');
  std::error_code unreadable;
  if (question == std::string::npos || fs::exists(place, unreadable)) return {place};
  BagPlace parsed{place.substr(0, question)};
  for (std::size_t at = question + 1; at < place.size();) {
    const std::size_t end = std::min(place.find('&', at), place.size());
    const std::string word = place.substr(at, end - at);
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals), topic = equals == std::string::npos ? "" : word.substr(equals + 1);
    FW_CHECK((key == "color" || key == "depth") && !topic.empty(), Usage,
             "the source " << place << " has \"" << word
                           << "\" behind its question mark; topics are named there by color=TOPIC&depth=TOPIC");
    (key == "color" ? parsed.topics.color : parsed.topics.depth) = topic;
    at = end + 1;
  }
  return parsed;
}

}  // namespace fernwood::recordings
