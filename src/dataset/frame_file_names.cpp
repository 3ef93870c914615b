// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/frame_file_names.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

using Names = std::span<const std::string_view>;

bool is_among(std::string_view word, Names names) { return std::ranges::find(names, word) != names.end(); }

/// Whether a byte is part of a character beyond ASCII.
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

bool is_plain_character(char c) {
  return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.' || is_beyond_ascii(c);
}

bool is_lossless_extension(std::string_view extension) {
  return extension == ".png" || is_fallback_extension(extension);
}
bool is_depth_or_truth_extension(std::string_view extension) {
  return is_lossless_extension(extension) || extension == ".npy";
}
bool is_color_extension(std::string_view extension) {
  return is_lossless_extension(extension) || is_jpeg_extension(extension);
}

constexpr std::array<RoleNaming, 6> kRoles = {
    {{FrameRole::kColor, &FrameFiles::color, "_colors", ".png", "colour image", "colour images", is_color_extension},
     {FrameRole::kDepth, &FrameFiles::depth, "_depth", ".png", "depth image", "depth images",
      is_depth_or_truth_extension},
     {FrameRole::kTruth, &FrameFiles::truth, "_ground_truth", ".png", "ground truth", "ground truth",
      is_depth_or_truth_extension},
     {FrameRole::kInstances, &FrameFiles::instances, "_instances", ".png", "image of instances", "images of instances",
      [](std::string_view extension) { return extension == ".png"; }},
     {FrameRole::kUp, &FrameFiles::up, "_up", ".txt", "direction of up", "directions of up",
      [](std::string_view extension) { return extension == ".txt"; }},
     {FrameRole::kMaps, &FrameFiles::maps, "_maps", ".npy", "array of feature maps", "arrays of feature maps",
      [](std::string_view extension) { return extension == ".npy"; }}}};

// Words in the file names of other data sets and tools, in lower case.
constexpr std::array kColorWords = std::to_array<std::string_view>(
    {"color", "colors", "colour", "colours", "rgb", "rgba", "bgr", "image", "images", "img", "imgs", "img8", "picture",
     "pic", "pics", "pictures", "photo", "photos", "jpegimages"});
constexpr std::array kDepthWords = std::to_array<std::string_view>(
    {"depth", "depths", "dpt", "depthmap", "depthmaps", "disparity", "disp", "zbuffer", "zmap", "tof"});
constexpr std::array kTruthWords =
    std::to_array<std::string_view>({"truth",         "groundtruth", "gt",        "label",       "labels",
                                     "mask",          "masks",       "seg",       "segm",        "segs",
                                     "annotation",    "annot",       "anno",      "annotations", "segmentation",
                                     "segmentations", "semantic",    "semantics", "labelmap",    "classmap",
                                     "target",        "targets",     "panoptic",  "labelids",    "segmentationclass",
                                     "instances"});
constexpr std::array kUpWords = std::to_array<std::string_view>({"up", "gravity"});
/// Words that accompany these.
constexpr std::array kQualifiers = std::to_array<std::string_view>(
    {"raw",       "map",         "maps",   "mm",      "m",      "cm",      "u16",        "uint16",
     "bit",       "float",       "f32",    "float32", "filled", "aligned", "registered", "rect",
     "rectified", "undistorted", "ground", "fine",    "class",  "coarse",  "ids",        "id",
     "train",     "trainids",    "left",   "full",    "data",   "frame",   "frames"});
/// Suffixes of files that fernwood writes beside its labels.
constexpr std::array kOwnSuffixes =
    std::to_array<std::string_view>({"_overlay", "_panel", "_view", "_probabilities", "_objects"});
constexpr std::array kPackedExtensions =
    std::to_array<std::string_view>({".gz", ".xz", ".bz2", ".zst", ".zip", ".7z", ".part", ".crdownload", ".download"});

constexpr std::array kTextExtensions =
    std::to_array<std::string_view>({"", ".txt", ".csv", ".json", ".xml", ".yaml", ".yml"});

/// A word of a file's name; "f0Depth" and "f0-depth" have two each.
struct Token {
  std::size_t begin, end;
  std::string word;           // in lower case
  bool is_role_word = false;  // or a qualifier
};

bool is_role_word(std::string_view word) {
  for (const Names words :
       {Names(kColorWords), Names(kDepthWords), Names(kTruthWords), Names(kUpWords), Names(kQualifiers)})
    if (is_among(word, words)) return true;
  return false;
}

bool is_separator(char c) { return c == '_' || c == '-' || c == '.' || c == ' '; }

std::vector<Token> tokens_of(const std::string& stem) {
  const auto kind = [](char c) {
    return is_separator(c) ? 's' : c >= '0' && c <= '9' ? 'd' : c >= 'A' && c <= 'Z' ? 'u' : 'l';
  };
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < stem.size(); ++i) {
    const char now = kind(stem[i]), before = i == 0 ? 's' : kind(stem[i - 1]);
    if (now == 's') continue;
    const bool begins = before == 's' || (before == 'd' && now != 'd') || (before == 'l' && now == 'u');
    if (begins) tokens.push_back({i, i, "", false});
    tokens.back().end = i + 1;
    tokens.back().word += to_lower(stem[i]);
  }
  for (Token& token : tokens) token.is_role_word = is_role_word(token.word);
  return tokens;
}

/// Truth takes precedence over depth, and depth over colour: "depth_image" and "label_img" are not colour images.
std::optional<FrameRole> role_of_words(std::span<const Token> tokens) {
  const auto any_of = [&](Names words) {
    return std::ranges::any_of(tokens, [&](const Token& token) { return is_among(token.word, words); });
  };
  if (any_of(kTruthWords)) return FrameRole::kTruth;
  if (any_of(kDepthWords)) return FrameRole::kDepth;
  if (any_of(kColorWords)) return FrameRole::kColor;
  if (any_of(kUpWords)) return FrameRole::kUp;
  return std::nullopt;
}

/// The name without the characters [begin, end) and the separators left over around them.
std::string without(const std::string& stem, std::size_t begin, std::size_t end) {
  std::string left = stem.substr(0, begin), right = stem.substr(end);
  while (!left.empty() && is_separator(left.back()) && (right.empty() || is_separator(right.front()))) left.pop_back();
  while (left.empty() && !right.empty() && is_separator(right.front())) right.erase(0, 1);
  return left + right;
}

using IsFrame = std::function<bool(const std::string& name)>;

class NameReading {
 public:
  NameReading(std::string stem, std::string extension, const IsFrame& is_frame)
      : stem_(std::move(stem)), extension_(std::move(extension)), is_frame_(is_frame), tokens_(tokens_of(stem_)) {}

  std::optional<LikelyFrameFile> read() const {
    if (is_frame_(stem_)) return LikelyFrameFile{std::nullopt, stem_, "*" + extension_, extension_, true};
    std::optional<LikelyFrameFile> best;
    int best_rank = -1;
    for (std::size_t begin = 0; begin < tokens_.size(); ++begin) {
      std::size_t end = begin;
      while (end < tokens_.size() && tokens_[end].is_role_word) ++end;
      for (; end > begin; --end) {
        const std::optional<LikelyFrameFile> found = of_run(begin, end);
        // Prefers a known frame's name, then words at the end, then words at the beginning.
        const int rank = found ? 4 * found->is_frame + 2 * (end == tokens_.size()) + (begin == 0) : -1;
        if (rank > best_rank) best = found, best_rank = rank;
      }
    }
    if (best && best->is_frame) return best;
    const std::optional<LikelyFrameFile> of_known = of_frame();
    return of_known ? of_known : best;
  }

 private:
  /// Reading of the tokens [begin, end) as words for one role with qualifiers.
  std::optional<LikelyFrameFile> of_run(std::size_t begin, std::size_t end) const {
    const std::span<const Token> run(tokens_.data() + begin, end - begin);
    const std::optional<FrameRole> role = role_of_words(run);
    if (!role) return std::nullopt;
    const std::size_t from = run.front().begin, to = run.back().end;
    LikelyFrameFile found{role, without(stem_, from, to), pattern(from, to), extension_, false};
    found.is_frame = is_frame_(found.frame);
    return found;
  }

  std::string pattern(std::size_t from, std::size_t to) const {
    while (from > 0 && is_separator(stem_[from - 1])) --from;
    while (to < stem_.size() && is_separator(stem_[to])) ++to;
    return (from > 0 ? "*" : "") + stem_.substr(from, to - from) + (to < stem_.size() ? "*" : "") + extension_;
  }

  /// Reading of a name that begins with a frame's name, by the rest of the name.
  std::optional<LikelyFrameFile> of_frame() const {
    static constexpr std::array kSuffixes =
        std::to_array<std::string_view>({"colors", "color", "depth", "ground_truth", "truth", "labels", "label"});
    static constexpr std::array kRoleOfSuffix = {FrameRole::kColor, FrameRole::kColor, FrameRole::kDepth,
                                                 FrameRole::kTruth, FrameRole::kTruth, FrameRole::kTruth,
                                                 FrameRole::kTruth};
    for (std::size_t at = stem_.size(); at-- > 1;) {
      if (!is_separator(stem_[at]) || !is_frame_(stem_.substr(0, at))) continue;
      LikelyFrameFile found{std::nullopt, stem_.substr(0, at), "*" + stem_.substr(at) + extension_, extension_, true};
      const std::string rest = lower_case(stem_.substr(at + 1));
      const std::string_view nearest = rest.size() < 4 ? "" : nearest_name(rest, kSuffixes);
      const auto place = std::ranges::find(kSuffixes, nearest);
      found.role = place != kSuffixes.end() ? kRoleOfSuffix[static_cast<std::size_t>(place - kSuffixes.begin())]
                                            : role_of_words(tokens_of(rest));
      return found;
    }
    return std::nullopt;
  }

  const std::string stem_, extension_;
  const IsFrame& is_frame_;
  const std::vector<Token> tokens_;
};

}  // namespace

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), to_lower);
  return text;
}

bool is_jpeg_extension(std::string_view extension) { return extension == ".jpg" || extension == ".jpeg"; }

bool is_fallback_extension(std::string_view extension) {
  static constexpr std::array kRare =
      std::to_array<std::string_view>({".tif", ".tiff", ".bmp", ".pgm", ".ppm", ".pnm", ".pfm", ".exr", ".webp"});
  return is_among(extension, kRare);
}

bool is_array_extension(std::string_view extension) {
  static constexpr std::array kArrays = std::to_array<std::string_view>(
      {".npy", ".npz", ".mat", ".raw", ".bin", ".dat", ".h5", ".hdf5", ".pt", ".pkl", ".pcd", ".dpt"});
  return is_among(extension, kArrays);
}

bool is_depth_extension(std::string_view extension) {
  static constexpr std::array kDepths = std::to_array<std::string_view>({".npy", ".pcd", ".dpt"});
  return is_among(extension, kDepths);
}

bool is_pixel_extension(std::string_view extension) {
  static constexpr std::array kForeign =
      std::to_array<std::string_view>({".gif", ".heic", ".heif", ".avif", ".jp2", ".j2k", ".jxl", ".hdr", ".tga",
                                       ".dng", ".cr2", ".nef", ".arw", ".jpe", ".jfif"});
  return is_color_extension(extension) || is_array_extension(extension) || is_among(extension, kForeign);
}

bool is_own_output(std::string_view file) {
  const std::string stem = lower_case(fs::path(file).stem().string());
  const auto ends = [&](std::string_view suffix) { return stem.ends_with(suffix); };
  return std::ranges::any_of(kOwnSuffixes, ends) || stem.find("_probability_") != std::string::npos;
}

const RoleNaming& naming_of(FrameRole role) { return *std::ranges::find(kRoles, role, &RoleNaming::role); }

std::optional<FrameFileName> parse_frame_file_name(const std::string& file) {
  const fs::path path(file);
  const std::string stem = path.stem().string(), extension = lower_case(path.extension().string());
  if (stem.starts_with('.')) return std::nullopt;
  for (const RoleNaming& naming : kRoles)
    if (stem.ends_with(naming.suffix) && stem.size() > naming.suffix.size() && naming.has(extension))
      return FrameFileName{naming.role, stem.substr(0, stem.size() - naming.suffix.size())};
  return std::nullopt;
}

bool is_file_name(std::string_view name) {
  constexpr std::size_t kMaxBytes = 199;  // a file system allows 255, with the suffix of the role
  return !name.empty() && name.size() <= kMaxBytes && name[0] != '.' && name[0] != '#' &&
         std::ranges::all_of(name, is_plain_character) && is_utf8(name) && printable(name) == name;
}

std::string file_name_of(const std::string& text) {
  constexpr std::size_t kMaxBytes = 180;
  std::string name = printable(text);  // each control character becomes "?", which is replaced
  const bool is_text = is_utf8(name);
  std::ranges::replace_if(
      name, [&](char c) { return !is_plain_character(c) || (is_beyond_ascii(c) && !is_text); }, '_');
  if (name.empty() || name[0] == '.' || name[0] == '#') name.insert(0, "_");
  if (name.size() <= kMaxBytes) return name;
  std::size_t end = kMaxBytes;
  while ((name[end] & 0xC0) == 0x80) --end;  // not within a character
  return name.substr(0, end);
}

std::optional<LikelyFrameFile> likely_frame_file(const std::string& file, const IsFrame& is_frame) {
  fs::path path(file);
  std::string packed;
  if (const std::string last = lower_case(path.extension().string()); is_among(last, kPackedExtensions)) {
    packed = last;
    path = path.stem();
  }
  const std::string stem = path.stem().string(), extension = lower_case(path.extension().string()) + packed;
  const bool is_text = is_among(extension, kTextExtensions);
  if (file.starts_with('.') || !(is_text || !packed.empty() || is_pixel_extension(extension))) return std::nullopt;
  std::optional<LikelyFrameFile> found = NameReading(stem, extension, is_frame).read();
  if (!found || (!packed.empty() && !found->role)) return std::nullopt;
  if (found->role != FrameRole::kTruth && is_own_output(file)) return std::nullopt;
  if (found->role == FrameRole::kUp && !is_text) return std::nullopt;
  // "rgb.txt" may be a list or a description; a file named like a frame may belong to it.
  const bool says_truth = found->role == FrameRole::kTruth && (extension == ".json" || extension == ".xml");
  if (is_text && !found->is_frame && !says_truth) return std::nullopt;
  return found;
}

std::optional<FrameRole> likely_folder_role(const std::string& name) {
  const std::vector<Token> tokens = tokens_of(name);
  if (tokens.empty() || name.starts_with('.') || !std::ranges::all_of(tokens, &Token::is_role_word))
    return std::nullopt;
  return role_of_words(tokens);
}

}  // namespace fernwood::dataset
