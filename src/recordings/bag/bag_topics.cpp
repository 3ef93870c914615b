// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_topics.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <tuple>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "recordings/bag/pixel_coding.h"

namespace fernwood::recordings {

namespace {

bool has_any(const std::string& name, std::span<const char* const> parts) {
  return std::ranges::any_of(parts, [&](const char* part) { return name.find(part) != std::string::npos; });
}

bool is_infrared(const std::string& name) {
  static constexpr std::array kParts = {"infra", "/ir/", "/ir_", "_ir/", "confidence"};
  return has_any(name, kParts);
}

/// Images of class labels, recognised by their name; only used when the user names them.
bool has_labels(const std::string& name) {
  static constexpr std::array kParts = {"segmentation", "mask", "label"};
  const std::size_t last = std::min(name.rfind('/'), name.size());
  return has_any(last == 0 ? name : name.substr(std::min(name.rfind('/', last - 1), last)), kParts);
}

/// Score of a topic as the intended depth. Any depth has a positive score; names that drivers use have the highest.
int depth_score(const ImageTopic& topic) {
  int score = is_aligned_depth(topic.name) ? 8 : 0;
  if (is_infrared(topic.name)) score -= 32;
  if (topic.kind.encoding != "mono16") score += 4;  // mono16 may be infrared, too
  if (topic.name.find("depth") != std::string::npos) score += 2;
  return score + (topic.kind.is_compressed ? 0 : 1);
}

int color_score(const ImageTopic& topic, bool depth_is_aligned) {
  static constexpr std::array kColorNames = {"color", "rgb"};
  int score = topic.kind.content == ImageContent::kColor ? 16 : 0;
  if (is_infrared(topic.name)) score -= 8;
  if (topic.name.find("/depth/") != std::string::npos) score -= 8;  // colourised depth
  if (has_any(topic.name, kColorNames)) score += 4;
  if (is_aligned_color(topic.name)) score += depth_is_aligned ? -2 : 2;
  return score + (topic.kind.is_compressed ? 0 : 1);
}

bool is_color(const ImageTopic& topic) {
  return topic.kind.content == ImageContent::kColor || topic.kind.content == ImageContent::kGrey;
}
bool is_depth(const ImageTopic& topic) { return topic.kind.content == ImageContent::kDepth; }

/// Among the topics without labels that `fits` accepts, the one with the highest rank; of equal ones, the first by
/// name.
template <typename Fits, typename Rank>
std::optional<ImageTopic> best_of(const std::vector<ImageTopic>& topics, Fits fits, Rank rank) {
  const ImageTopic* best = nullptr;
  for (const ImageTopic& topic : topics)
    if (fits(topic) && !has_labels(topic.name) && (best == nullptr || rank(topic) > rank(*best))) best = &topic;
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string list_topics(const std::vector<ImageTopic>& topics) {
  constexpr std::size_t kMaxListed = 12;
  const std::span some(topics.data(), std::min(topics.size(), kMaxListed));
  return join(some, ", ", [](const ImageTopic& topic) { return topic.name + " (" + topic.kind.encoding + ")"; }) +
         (some.size() < topics.size() ? " ..." : "");
}

ImageTopic find_topic(const Bag& bag, const std::vector<ImageTopic>& topics, const std::string& name,
                      bool wants_depth) {
  const auto found = std::ranges::find(topics, name, &ImageTopic::name);
  std::vector<std::string_view> names;
  for (const ImageTopic& topic : topics) names.push_back(topic.name);
  FW_CHECK(found != topics.end(), Usage,
           bag.name() << ": has no images of the topic " << name << did_you_mean(name, names)
                      << "; its topics of images are " << list_topics(topics));
  FW_CHECK(wants_depth ? is_depth(*found) : is_color(*found), Usage,
           bag.name() << ": the topic " << name << " holds no " << (wants_depth ? "depth" : "colour")
                      << " that is read (" << found->kind.encoding << "), which is read from "
                      << pixel_coding_names(wants_depth) << "; its topics of images are " << list_topics(topics));
  return *found;
}

std::string list_all(const Bag& bag) {
  constexpr std::size_t kMaxListed = 12;
  const std::vector<BagTopic>& all = bag.topics();
  const std::span some(all.data(), std::min(all.size(), kMaxListed));
  if (all.empty()) return "no topics";
  return "the topics " +
         join(some, ", ",
              [](const BagTopic& topic) {
                return topic.name + " (" + (topic.type.empty() ? "without a type" : topic.type) +
                       (topic.coding == ros::MessageCoding::kOther ? ", neither CDR nor of ROS 1" : "") + ")";
              }) +
         (some.size() < all.size() ? " ..." : "");
}

/// The images that are not read, with the remedy; empty if all are.
std::string unread_note(const Bag& bag, const std::vector<ImageTopic>& topics) {
  std::vector<ImageTopic> unread;
  for (const ImageTopic& topic : topics)
    if (topic.kind.content == ImageContent::kOther) unread.push_back(topic);
  if (unread.empty()) return "";
  return bag.name() + ": images that are not read: " + list_topics(unread) + "; colour is read from " +
         pixel_coding_names(false) + ", depth from " + pixel_coding_names(true) +
         ", and both from PNG, colour from JPEG: let the camera's driver publish one of them, or image_proc convert "
         "them";
}

std::string chosen_note(const Bag& bag, const std::vector<ImageTopic>& topics, const ChosenTopics& chosen,
                        const TopicRequest& request) {
  std::string note = bag.name() + ": ";
  if (chosen.color) note += "colour is the topic " + chosen.color->name + " (" + chosen.color->kind.encoding + ")";
  if (chosen.color && chosen.depth) note += ", ";
  if (chosen.depth) note += "depth is the topic " + chosen.depth->name + " (" + chosen.depth->kind.encoding + ")";
  std::vector<ImageTopic> others;
  for (const ImageTopic& topic : topics)
    if (topic.kind.content != ImageContent::kOther && !(chosen.color && topic.topic == chosen.color->topic) &&
        !(chosen.depth && topic.topic == chosen.depth->topic))
      others.push_back(topic);
  if (others.empty()) return note;
  return note + "; others are " + list_topics(others) + ", chosen by " +
         (request.by_options ? "the options colors and depth" : "?color=TOPIC&depth=TOPIC behind the name");
}

}  // namespace

bool is_aligned_depth(const std::string& topic) {
  static constexpr std::array kParts = {"aligned_depth", "depth_aligned", "registered", "depth_to_rgb",
                                        "depth_to_color"};
  return has_any(topic, kParts);
}

bool is_aligned_color(const std::string& topic) {
  static constexpr std::array kParts = {"aligned_color", "color_aligned", "rgb_to_depth", "color_to_depth"};
  return has_any(topic, kParts);
}

std::vector<ImageTopic> image_topics_of(const Bag& bag) {
  std::vector<ImageTopic> topics;
  for (std::size_t i = 0; i < bag.topics().size(); ++i) {
    const BagTopic& topic = bag.topics()[i];
    const std::vector<BagMessage>& messages = bag.messages(i);
    if ((topic.type != ros::kImageType && topic.type != ros::kCompressedImageType) || messages.empty()) continue;
    const ReadMessage first = bag.read(i, messages.front());
    topics.push_back({i, topic.name, topic.type, kind_of_image(topic.type, first.coded), messages.size()});
    // Intel's SDK gives all images the coordinate frame "0".
    constexpr std::string_view kSdkEnding = "/image/data";
    if (topic.name.starts_with("/device_") && topic.name.ends_with(kSdkEnding))
      topics.back().kind.frame_id = topic.name.substr(0, topic.name.size() - kSdkEnding.size());
  }
  std::ranges::stable_sort(topics, {}, &ImageTopic::name);
  return topics;
}

ChosenTopics choose_topics(const Bag& bag, const std::vector<ImageTopic>& topics, const TopicRequest& request) {
  ChosenTopics chosen;
  if (!request.color.empty()) chosen.color = find_topic(bag, topics, request.color, false);
  if (!request.depth.empty()) chosen.depth = find_topic(bag, topics, request.depth, true);
  if (request.is_guess()) {
    chosen.depth =
        best_of(topics, is_depth, [](const ImageTopic& t) { return std::tuple(depth_score(t), t.num_messages); });
    const std::string depth_name = chosen.depth ? chosen.depth->name : "";
    chosen.color = best_of(topics, is_color, [&](const ImageTopic& t) {
      // Of several cameras, the colour of the same camera: by the length of the common beginning of the names.
      const auto common_length = std::ranges::mismatch(t.name, depth_name).in1 - t.name.begin();
      return std::tuple(color_score(t, is_aligned_depth(depth_name)), common_length, t.num_messages);
    });
    FW_CHECK(!topics.empty() || bag.warnings().empty(), Data,
             bag.warnings().front() << ", but no image is whole; copy the recording again from its source");
    FW_CHECK(chosen.color || chosen.depth, Data,
             bag.name() << ": holds no images that can be read; it has "
                        << (topics.empty() ? list_all(bag) : "the images " + list_topics(topics))
                        << "; record sensor_msgs/Image or CompressedImage of colour and depth");
    chosen.notes.push_back(chosen_note(bag, topics, chosen, request));
    if (std::string note = unread_note(bag, topics); !note.empty()) chosen.notes.push_back(std::move(note));
  }
  if (chosen.color && chosen.color->kind.content == ImageContent::kGrey)
    chosen.notes.push_back(bag.name() + ": the pictures of " + chosen.color->name +
                           " are grey and are taken for colour; models that learned colours will not know them");
  return chosen;
}

}  // namespace fernwood::recordings
