// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_topics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>

#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "recordings/bag/pixel_coding.h"
#include "ros/byte_reader.h"

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
           bag.name() << " has no images of the topic " << name << did_you_mean(name, names)
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
             bag.name() << " holds no images that can be read; it has "
                        << (topics.empty() ? list_all(bag) : "the images " + list_topics(topics))
                        << "; record sensor_msgs/Image or CompressedImage of colour and depth");
    chosen.notes.push_back(chosen_note(bag, topics, chosen, request));
    if (std::string note = unread_note(bag, topics); !note.empty()) chosen.notes.push_back(std::move(note));
  }
  if (chosen.color && chosen.color->kind.content == ImageContent::kGrey)
    chosen.notes.push_back(bag.name() + ": the images of " + chosen.color->name +
                           " are grey and are taken for colour; models that learned colours will not know them");
  return chosen;
}

namespace {

using Bytes = std::span<const std::uint8_t>;

/// The encoding at the beginning of the format of compressed images: "16UC1; compressedDepth png".
std::string_view encoding_of(std::string_view format) { return format.substr(0, format.find(';')); }

bool is_compressed_depth(const ros::CodedMessage& message, std::string_view format) {
  return format.find("compressedDepth") != std::string_view::npos || message.place.ends_with("/compressedDepth");
}

void check_pixels(const ros::CodedMessage& message, std::size_t width, std::size_t height) {
  dataset::ImageHeader header;
  header.width = width;
  header.height = height;
  dataset::check_size(message.place, header);
}

/// @throws Error(kData) unless the image has all its rows. The last row may lack its padding.
void check_rows(const ros::CodedMessage& message, const ros::Image& image, const PixelCoding& coding) {
  check_pixels(message, image.width, image.height);
  const std::uint64_t row_bytes = coding.row_bytes(image.width), num_rows = coding.num_rows(image.height);
  const bool has_all = image.step >= row_bytes && image.step * (num_rows - 1) + row_bytes <= image.data.size();
  FW_CHECK(has_all, Data,
           message.place << ": an image of " << dataset::size_text(image.width, image.height) << " pixels ("
                         << std::string(image.encoding) << ") has " << image.data.size() << " bytes in rows of "
                         << image.step << "; " << row_bytes << " are needed for each row: record it again");
}

const PixelCoding& coding_of(const ros::CodedMessage& message, std::string_view encoding, bool wants_depth) {
  const PixelCoding* const coding = find_pixel_coding(encoding);
  const bool fits = coding != nullptr && coding->is_depth() == wants_depth;
  FW_CHECK(fits, Data,
           message.place << ": an image has the encoding \"" << std::string(encoding) << "\"; "
                         << (wants_depth ? "depth" : "colour") << " is read from " << pixel_coding_names(wants_depth));
  return *coding;
}

// Message of compressed_depth_image_transport: a kind and two parameters, then a 16-bit PNG or RVL.
struct CompressedDepth {
  float scale = 0, shift = 0;  ///< "depthQuantA" and "depthQuantB": a number is scale / metres + shift.
  Array2<std::uint16_t> numbers;
};

Array2<std::uint16_t> decode_png16(const ros::CodedMessage& message, Bytes png) {
  const dataset::ImageHeader header = dataset::inspect_image(message.place, png);
  FW_CHECK(header.is_png && header.bits == 16 && header.num_channels == 1, Data,
           message.place << ": the depth image is a " << std::string(header.format) << " with "
                         << dataset::kind_text(header)
                         << "; depth is a PNG with 16 bits and 1 channel: record compressedDepth, or without "
                            "compression");
  Array2<std::uint16_t> numbers(header.height, header.width);
  dataset::decode_png(message.place, png, header, &numbers);
  return numbers;
}

CompressedDepth read_compressed_depth(const ros::CodedMessage& message, const ros::CompressedImage& image) {
  ros::ByteReader reader(image.data, message.place);
  CompressedDepth depth;
  reader.number<std::int32_t>();  // the kind, which the format states as well
  depth.scale = reader.number<float>();
  depth.shift = reader.number<float>();
  if (image.format.find("rvl") == std::string_view::npos) {
    depth.numbers = decode_png16(message, reader.take(reader.left()));
    return depth;
  }
  const auto cols = reader.number<std::uint32_t>(), rows = reader.number<std::uint32_t>();
  check_pixels(message, cols, rows);
  depth.numbers = unpack_rvl(reader.take(reader.left()), rows, cols, message.place);
  return depth;
}

Array2<std::uint16_t> decode_compressed_depth(const ros::CodedMessage& message, const ros::CompressedImage& image,
                                              const DepthUnit& unit) {
  CompressedDepth depth = read_compressed_depth(message, image);
  if (!coding_of(message, encoding_of(image.format), true).is_float()) {
    dataset::scale_depth(unit.step_mm, unit.missing, &depth.numbers);
    return std::move(depth.numbers);
  }
  for (std::uint16_t& number : depth.numbers) {
    const float inverse = static_cast<float>(number) - depth.shift;
    number = number == 0 ? std::uint16_t{0} : image::to_depth_mm(depth.scale / inverse);
  }
  return std::move(depth.numbers);
}

/// Reads numbers of 16 or 32 bits in the byte order of the image.
template <typename Number, typename Take>
void read_numbers(const ros::Image& image, Take take) {
  const bool is_swapped = (image.is_bigendian != 0) != (std::endian::native == std::endian::big);
  for (std::size_t row = 0; row < image.height; ++row) {
    const std::uint8_t* at = image.data.data() + row * image.step;
    for (std::size_t col = 0; col < image.width; ++col, at += sizeof(Number)) {
      std::array<std::uint8_t, sizeof(Number)> raw;
      std::memcpy(raw.data(), at, sizeof(Number));
      if (is_swapped) std::ranges::reverse(raw);
      take(row, col, std::bit_cast<Number>(raw));
    }
  }
}

ImageKind kind_of_compressed(const ros::CodedMessage& message) {
  const ros::CompressedImage image = ros::read_compressed_image(message);
  ImageKind kind{ImageContent::kOther, std::string(image.format), {}, std::string(image.header.frame_id), true};
  if (is_compressed_depth(message, image.format)) {
    const CompressedDepth depth = read_compressed_depth(message, image);
    coding_of(message, encoding_of(image.format), true);
    kind.content = ImageContent::kDepth;
    kind.size = {depth.numbers.rows(), depth.numbers.cols()};
    return kind;
  }
  const dataset::ImageHeader header = dataset::inspect_image(message.place, image.data);
  kind.size = {header.height, header.width};
  if (header.bits == 16 && header.num_channels == 1)
    kind.content = ImageContent::kDepth;
  else if (header.bits <= 8)
    kind.content = header.is_grey() ? ImageContent::kGrey : ImageContent::kColor;
  return kind;
}

ImageKind kind_of_raw(const ros::CodedMessage& message) {
  const ros::Image image = ros::read_image(message);
  ImageKind kind{ImageContent::kOther,
                 std::string(image.encoding),
                 {image.height, image.width},
                 std::string(image.header.frame_id)};
  if (const PixelCoding* const coding = find_pixel_coding(image.encoding))
    kind.content = coding->is_depth()                 ? ImageContent::kDepth
                   : coding->form == PixelForm::kGrey ? ImageContent::kGrey
                                                      : ImageContent::kColor;
  return kind;
}

}  // namespace

ImageKind kind_of_image(const std::string& type, const ros::CodedMessage& message) {
  try {
    return type == ros::kImageType ? kind_of_raw(message) : kind_of_compressed(message);
  } catch (const Error& error) {
    return {ImageContent::kOther, error.what(), {}, ""};
  }
}

Array2<image::Rgb> decode_color_image(const std::string& type, const ros::CodedMessage& message) {
  if (type == ros::kImageType) {
    const ros::Image image = ros::read_image(message);
    const PixelCoding& coding = coding_of(message, image.encoding, false);
    check_rows(message, image, coding);
    return decode_pixels(coding, image);
  }
  const ros::CompressedImage image = ros::read_compressed_image(message);
  const dataset::ImageHeader header = dataset::inspect_image(message.place, image.data);
  if (!header.is_grey() || header.fallback || header.bits > 8)
    return dataset::decode_color(message.place, {image.data.begin(), image.data.end()});
  Array2<image::Rgb> picture(header.height, header.width);
  if (!header.is_png) {
    dataset::decode_jpeg(message.place, image.data, &picture);
    return picture;
  }
  Array2<std::uint16_t> grey(header.height, header.width);
  dataset::decode_png_indices(message.place, image.data, header, &grey);
  std::ranges::transform(grey, picture.begin(), [](std::uint16_t value) {
    const auto level = static_cast<std::uint8_t>(value);
    return image::Rgb{level, level, level};
  });
  return picture;
}

Array2<std::uint16_t> decode_depth_image(const std::string& type, const ros::CodedMessage& message,
                                         const DepthUnit& unit) {
  if (type == ros::kCompressedImageType) {
    const ros::CompressedImage image = ros::read_compressed_image(message);
    if (is_compressed_depth(message, image.format)) return decode_compressed_depth(message, image, unit);
    Array2<std::uint16_t> depth = decode_png16(message, image.data);
    dataset::scale_depth(unit.step_mm, unit.missing, &depth);
    return depth;
  }
  const ros::Image image = ros::read_image(message);
  const PixelCoding& coding = coding_of(message, image.encoding, true);
  check_rows(message, image, coding);
  Array2<std::uint16_t> depth(image.height, image.width);
  if (coding.is_float()) {
    read_numbers<float>(
        image, [&](std::size_t row, std::size_t col, float metres) { depth(row, col) = image::to_depth_mm(metres); });
    return depth;
  }
  const bool is_signed = coding.name == "16SC1";
  read_numbers<std::uint16_t>(image, [&](std::size_t row, std::size_t col, std::uint16_t number) {
    depth(row, col) = is_signed && number > INT16_MAX ? std::uint16_t{0} : number;
  });
  dataset::scale_depth(unit.step_mm, unit.missing, &depth);
  return depth;
}

}  // namespace fernwood::recordings
