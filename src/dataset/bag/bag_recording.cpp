// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/bag_recording.h"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "dataset/bag/bag_cameras.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/source/associate.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// An image of one topic.
struct StampedMessage {
  std::int64_t time_ns = 0;
  BagMessage message;
};

struct StampedMessages {
  std::vector<StampedMessage> images;  ///< Ascending.
  bool has_stamps = true;              ///< Else all headers say 0.
};

/// [topic of images asked for] Transforms are read on the way: of compressed recordings each pass takes its time.
std::vector<StampedMessages> read_stamps(const Bag& bag, std::vector<std::size_t> topics, FrameTree& tree) {
  std::vector<StampedMessages> stamped(topics.size());
  const std::vector<std::size_t> transforms = transform_topics(bag);
  topics.insert(topics.end(), transforms.begin(), transforms.end());
  for (const auto& [i, message] : bag.in_file_order(topics))
    if (i < stamped.size())
      stamped[i].images.push_back({read_stamp(bag.read(topics[i], message, kStampBytes).coded), message});
    else
      add_transforms(bag, topics[i], message, tree);
  tree.sort_by_time();
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
  // Seconds since 1970 leave double precision 0.2 us.
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
    : bag_(path), chosen_(choose_topics(bag_, image_topics_of(bag_), request)), notes_(bag_.warnings()) {
  notes_.insert(notes_.end(), chosen_.notes.begin(), chosen_.notes.end());
  FrameTree tree;
  if (chosen_.color && chosen_.depth)
    pair_frames(tree);
  else
    list_frames(tree);
  read_cameras(path, tree);
  read_poses(tree);
}

void BagRecording::pair_frames(FrameTree& tree) {
  std::vector<StampedMessages> stamped = read_stamps(bag_, {chosen_.color->topic, chosen_.depth->topic}, tree);
  StampedMessages &colors = stamped[0], &depths = stamped[1];
  if (!colors.has_stamps || !depths.has_stamps) {
    notes_.push_back(name() + ": the headers of images have no stamps; times of recording are used, which fit worse");
    use_times_of_recording(colors);
    use_times_of_recording(depths);
  }
  sort_by_time(colors);
  sort_by_time(depths);
  const std::vector<double> color_s = seconds_of(colors), depth_s = seconds_of(depths);
  const Association association =
      associate_by_time(name(), {chosen_.color->name, color_s}, {chosen_.depth->name, depth_s});
  if (!association.warning.empty()) notes_.push_back(association.warning);
  for (const ImagePair& pair : association.pairs) {
    BagFrame& frame = frames_.emplace_back(frame_at(colors.images[pair.color].time_ns));
    frame.color = colors.images[pair.color].message;
    frame.depth = depths.images[pair.depth].message;
  }
  note_left_out(bag_, *chosen_.color, frames_.size(), notes_);
  note_left_out(bag_, *chosen_.depth, frames_.size(), notes_);
}

void BagRecording::list_frames(FrameTree& tree) {
  StampedMessages images =
      std::move(read_stamps(bag_, {chosen_.color ? chosen_.color->topic : chosen_.depth->topic}, tree).front());
  if (!images.has_stamps) use_times_of_recording(images);
  sort_by_time(images);
  for (const StampedMessage& image : images.images) {
    BagFrame& frame = frames_.emplace_back(frame_at(image.time_ns));
    (chosen_.color ? frame.color : frame.depth) = image.message;
  }
}

void BagRecording::read_cameras(const fs::path& path, const FrameTree& tree) {
  if (const auto file = find_config_file(fs::is_directory(path) ? path : folder_of(path)))
    reading_ = reading_of(read_dataset_config(*file));
  const auto color = chosen_.color ? find_camera(bag_, *chosen_.color) : std::nullopt;
  const auto depth = chosen_.depth ? find_camera(bag_, *chosen_.depth) : std::nullopt;
  if (chosen_.color && chosen_.depth && !reading_.cameras) {
    const DepthAlignment alignment = align_topics(bag_, chosen_, {color, depth}, tree);
    reading_.cameras = alignment.cameras;
    notes_.insert(notes_.end(), alignment.notes.begin(), alignment.notes.end());
  }
  const auto& own = chosen_.color ? color : depth;
  if (!reading_.camera && own) reading_.camera = own->camera;
}

void BagRecording::read_poses(const FrameTree& tree) {
  const std::string& camera = (chosen_.color ? chosen_.color : chosen_.depth)->kind.frame_id;
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

std::optional<FrameSize> BagRecording::color_size() const {
  return has_color() ? std::optional(chosen_.color->kind.size) : std::nullopt;
}

Array2<image::Rgb> BagRecording::read_color(std::size_t frame) const {
  const ReadMessage message = bag_.read(chosen_.color->topic, *frames_[frame].color);
  return decode_color_image(chosen_.color->type, message.coded);
}

Array2<std::uint16_t> BagRecording::read_depth(std::size_t frame, const std::optional<FrameSize>& color) const {
  const ReadMessage message = bag_.read(chosen_.depth->topic, *frames_[frame].depth);
  Array2<std::uint16_t> depth = decode_depth_image(chosen_.depth->type, message.coded,
                                                   {reading_.depth_scale_to_mm.value_or(1), reading_.depth_missing});
  if (!color) return depth;
  const bool fits = reading_.cameras || (depth.rows() == color->rows && depth.cols() == color->cols) ||
                    image::have_same_proportions(depth.cols(), depth.rows(), color->cols, color->rows);
  FW_CHECK(fits, Data,
           message.coded.place << ": the depth of frame " << frames_[frame].name << " is "
                               << size_text(depth.cols(), depth.rows()) << " pixels and its colour is "
                               << size_text(color->cols, color->rows) << "; record images of one size");
  return depth_for_color(std::move(depth), *color, reading_, message.coded.place, bag_.place(chosen_.color->topic));
}

image::Frame BagRecording::read_frame(std::size_t frame) const {
  image::Frame result;
  if (has_color()) result.color = read_color(frame);
  if (has_depth())
    result.depth_mm = read_depth(
        frame, has_color() ? std::optional(FrameSize{result.color.rows(), result.color.cols()}) : std::nullopt);
  result.camera = reading_.camera;
  result.up = reading_.up;
  return result;
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

}  // namespace fernwood::dataset
