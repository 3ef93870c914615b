// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What annotation formats have in common: pictures with shapes of classes, which become frames with label images.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/import/region.h"
#include "fernwood/dataset/import.h"

namespace fernwood::dataset {

/// A region of a class. Its pixels are those of all outlines and masks, without those of the holes.
struct Shape {
  std::uint16_t label = 0;  ///< Or kVoid.
  std::vector<Polygon> outlines = {}, holes = {};
  std::vector<Mask> masks = {};
  bool in_percent = false;  ///< Coordinates of outlines and holes, of the picture's width and height.
};

/// A picture that an annotation file names. Later shapes lie over earlier ones.
struct AnnotatedPicture {
  std::string file;                   ///< As the annotation file calls it.
  std::size_t width = 0, height = 0;  ///< That it says; 0: nothing.
  std::vector<Shape> shapes = {};
  std::string split = {};
  std::string embedded = {};  ///< Bytes of the picture where the annotation file holds it; else empty.
  /// In place of shapes: labels that a file has. @param uncovered  Of pixels without an annotation.
  std::function<image::LabelImage(const FrameSize& size, std::uint16_t uncovered)> read_labels = {};
};

/// Classes by name, in the order in which they are first named.
class ClassNames {
 public:
  /// @param color  Empty: that of index_color(). @throws Error(kData) for more classes than there are labels.
  std::uint16_t add(const std::string& name, std::optional<image::Rgb> color = {});
  std::optional<std::uint16_t> find(const std::string& name) const;
  const std::vector<image::ClassInfo>& classes() const { return classes_; }

 private:
  std::vector<image::ClassInfo> classes_;
  std::map<std::string, std::uint16_t, std::less<>> numbers_;
};

/// Pictures below a folder, by what annotation files call them.
class PictureFolder {
 public:
  explicit PictureFolder(const std::filesystem::path& folder);
  /// The file of a name: below the folder, else the only one of that file name, else that with what upload forms put
  /// before it ("1a2b3c4d-"). Empty: there is none.
  std::filesystem::path find(const std::string& name) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::filesystem::path>> by_file_name_;
};

/// The frame's name of a picture: its file's, without its extension and the suffix "_colors".
std::string frame_name_of(const std::filesystem::path& picture);
/// Names that are files' names, and no two alike within a split: else the folders above stand before them, else a
/// number.
void settle_names(const std::filesystem::path& root, std::vector<ImportedFrame>& frames);
/// Attaches the files that lie beside pictures: depth by the pattern of the options; beside pictures of the native
/// layout also their depth, their directions of up and poses, and the camera of their dataset.toml.
void attach_files(const ImportOptions& options, const std::filesystem::path& root, ImportPlan& plan);

/// Frames of annotated pictures. Pictures that are not there are left out and told; all missing: Error(kData).
/// @param file  That the annotations are in, for messages and for where pictures may lie.
ImportPlan plan_of(const ImportOptions& options, const std::filesystem::path& file,
                   std::vector<AnnotatedPicture> pictures, const ClassNames& classes,
                   std::vector<std::string> notes = {});

/// Labels of shapes. @param what  Names the annotations, for messages. @throws Error(kData) where the annotations are
/// for a picture of another size, or a mask does not fit its own.
image::LabelImage draw_shapes(const AnnotatedPicture& picture, const FrameSize& size, std::uint16_t uncovered,
                              const std::string& what);

}  // namespace fernwood::dataset
