// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Common parts of annotation formats: images with shapes of classes, which become frames with label images.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/name_lookup.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/formats/import.h"
#include "formats/import/region.h"

namespace fernwood::formats {

/// A region of a class: the pixels of all outlines and masks, without those of the holes.
struct Shape {
  std::uint16_t label = 0;  ///< Or kVoid.
  std::uint16_t instance = image::kNoInstance;
  std::vector<Polygon> outlines = {}, holes = {};
  std::vector<std::function<Mask()>> masks = {};  ///< Called to draw them: a small file may hold many large ones.
  bool in_percent = false;  ///< Coordinates of outlines and holes, of the image's width and height.
};

/// An image named by an annotation file. Later shapes cover earlier ones.
struct AnnotatedPicture {
  std::string file;                   ///< As written in the annotation file.
  std::size_t width = 0, height = 0;  ///< As stated there; 0: unknown.
  std::vector<Shape> shapes = {};
  bool has_instances = false;  ///< Whether shapes are objects, with numbers in Shape::instance, not just labels.
  std::string split = {};
  std::string embedded = {};          ///< Bytes of the image if the annotation file contains it; else empty.
  std::filesystem::path beside = {};  ///< Its file if known from its place beside the annotations; else empty.
  /// Reads the truth from a file, instead of shapes. @param uncovered  Label of pixels without an annotation.
  std::function<ImportedTruth(const dataset::FrameSize& size, std::uint16_t uncovered)> read_truth = {};
};

/// Numbers the objects of a picture, or of a video, from 1.
class InstanceNumbers {
 public:
  /// @param group  Shapes of one group are one object; empty: an object of its own. @throws Error(kData) for more than
  /// 65535 objects.
  std::uint16_t add(const std::string& group = "");

 private:
  std::map<std::string, std::uint16_t> of_group_;
  std::uint16_t last_ = image::kNoInstance;
};

/// Classes by name, in order of their first occurrence.
class ClassNames {
 public:
  /// @param color  Empty: that of index_color(), as for black and for the colour of another class. @throws Error(kData)
  /// for more classes than labels can represent.
  std::uint16_t add(const std::string& name, std::optional<image::Rgb> color = {},
                    std::optional<bool> stated_thing = {});
  std::optional<std::uint16_t> find(const std::string& name) const;
  const std::vector<image::ClassInfo>& classes() const { return classes_; }
  /// Sentences about classes that were given the same colour.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<image::ClassInfo> classes_;
  std::map<std::uint32_t, std::string> given_colors_;  // packed() -> the first class that was given it
  std::set<std::uint32_t> taken_;                      // packed() colours of the classes
  std::uint32_t free_number_ = 0;  // below it, from the number of classes on, no index_color() is free
  std::vector<std::string> notes_;
  std::map<std::string, std::uint16_t, std::less<>> numbers_;
};

/// Images below a folder, found by the names in annotation files.
class PictureFolder {
 public:
  explicit PictureFolder(const std::filesystem::path& folder);
  /// The file of a name, see NameLookup; empty if there is none. @throws Error(kData) for a name of several files.
  std::filesystem::path find(const std::string& name) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  dataset::NameLookup lookup_;
};

/// The name of an image's frame: its file name without the extension and the suffix "_colors".
std::string frame_name_of(const std::filesystem::path& picture);
/// Makes names valid as file names and unique within a split: by prepending the parent folders if needed, else by a
/// number.
void settle_names(const std::filesystem::path& root, std::vector<ImportedFrame>& frames);
/// What names are to begin with that are not unique otherwise; may be empty. @param frame  Its index.
using FramePlace = std::function<std::string(std::size_t frame)>;
/// As settle_names() above, with names of places in place of parent folders.
void settle_names(std::vector<ImportedFrame>& frames, const FramePlace& place_of);
/// Makes names valid as file names and unique within a split, but keeps those that are; notes which are not valid.
void correct_names(ImportPlan& plan);
/// Assigns the files beside images to frames: depth by the pattern in the options; beside images in the native layout
/// also depth, directions of up, poses, and the camera in dataset.toml.
void attach_files(const ImportOptions& options, const std::filesystem::path& root, ImportPlan& plan);

/// Frames of annotated images. Missing images are left out and counted; if all are missing: Error(kData).
/// @param file  The annotation file, for messages and as a place to search for images.
ImportPlan plan_of(const ImportOptions& options, const std::filesystem::path& file,
                   std::vector<AnnotatedPicture> pictures, const ClassNames& classes,
                   std::shared_ptr<ImportReport> report = std::make_shared<ImportReport>());

/// What ImportReport counts of pictures that were annotated as viewers show them.
inline constexpr const char* kTurnedBack =
    "turned back to the stored pixels: annotations of images with an EXIF orientation";
/// What ImportReport counts of shapes of a kind that has no area.
std::string without_area(const std::string& kind);

// JSON of other programs: read leniently where programs differ, and strictly where pixels depend on it.

/// Encoding assumed for text that is not UTF-8.
enum class OtherEncoding { kNone, kLatin1 };

/// @throws Error(kData) for a text that is not JSON.
nlohmann::json read_json(const std::filesystem::path& path, OtherEncoding other = OtherEncoding::kNone);

/// A member of an object; null if it is missing.
const nlohmann::json& member(const nlohmann::json& object, const char* key);
/// A string; a number is converted to one; empty for anything else.
std::string text_at(const nlohmann::json& object, const char* key);
/// A whole number from 0 to 2^31; `missing` if the member is missing.
std::size_t size_at(const nlohmann::json& object, const char* key, std::size_t missing = 0);
/// A finite number; empty for anything else.
std::optional<double> number_of(const nlohmann::json& value);

/// The numbers of a list, NaN for other values; empty for anything else.
std::vector<double> numbers_of(const nlohmann::json& list);

/// Parses [x, y, x, y, ...] or [[x, y], ...]. @param what  Names the place. @throws Error(kData) for anything else.
Polygon polygon_of(const nlohmann::json& value, const std::string& what);

/// Decodes Base64 (RFC 4648), also after "data:...;base64,"; line breaks are skipped. @throws Error(kData) for another
/// text.
std::string from_base64(std::string_view text, const std::string& what);

// Lists of classes that accompany index labels.

struct ListedClasses {
  dataset::DatasetConfig config;  ///< Its classes and class_indices; labels are numbers.
  /// [class] As listed, for labels that are colours; empty: the list gives none.
  std::vector<std::optional<image::Rgb>> given_colors;
  std::vector<std::string> notes;  ///< Sentences for the user, about classes that the list gives the same colour.
};

/// Reads classes with names, colours and numbers, of which a list may leave out numbers (classes are then numbered from
/// 0) and colours:
///  - tables of comma, semicolon or tab separated columns, which the first line names: number (id, index, value),
///    name (class, label, title), and r, g, b or color;
///  - lines of a name with a number or a colour (three numbers), or both, on either side of it, all of one form; CVAT's
///    labelmap.txt;
///  - JSON: a list of names or of {"id", "name", "color"}, or an object of numbers or colours and names.
/// The number 255 is not a class if its name says that, such as "unlabelled". A class with the colour of an earlier one
/// gets another for display.
/// @throws Error(kData) for another text, lines of several forms, and duplicate numbers.
ListedClasses read_class_list(const std::filesystem::path& path);
/// As read_class_list(), from a text. @param path  For messages; its extension indicates JSON.
ListedClasses parse_class_list(std::string_view text, const std::filesystem::path& path);

/// Label images, as the truth of frames.
std::vector<dataset::FrameFiles> as_truth(const dataset::FilesByName& labels);

/// "#rrggbb", or three numbers from 0 to 255 (and alpha) in any brackets; empty for another text.
std::optional<image::Rgb> color_of_text(std::string_view text);

}  // namespace fernwood::formats
