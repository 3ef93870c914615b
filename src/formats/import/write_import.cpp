// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <mutex>
#include <set>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/image_metadata.h"
#include "dataset/folder_in_progress.h"
#include "dataset/frame_file_names.h"
#include "dataset/frame_reader.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/formats/import.h"
#include "formats/import/formats.h"
#include "formats/link_file.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

fs::path with_suffix(const fs::path& folder, const std::string& name, dataset::FrameRole role,
                     const std::string& extension) {
  return folder / (name + std::string(dataset::naming_of(role).suffix) + extension);
}

class FrameWriter {
 public:
  /// @param folder  Empty: all is read, and nothing written.
  /// @param read_color  Returns the colour image, possibly cached; empty: colour is in files.
  FrameWriter(const ImportPlan& plan, const ImportedFrame& frame, const fs::path& folder,
              std::function<Array2<image::Rgb>()> read_color)
      : plan_(plan), frame_(frame), folder_(folder), read_color_(std::move(read_color)) {}

  void write() {
    write_color();
    write_depth();
    if (frame_.truth) write_truth();
    if (frame_.up && !folder_.empty()) write_up();
    link(frame_.truth_file, dataset::FrameRole::kTruth);
    link(frame_.instances_file, dataset::FrameRole::kInstances);
    link(frame_.up_file, dataset::FrameRole::kUp);
    link(frame_.maps_file, dataset::FrameRole::kMaps);
  }

 private:
  void link(const fs::path& file, dataset::FrameRole role) {
    const std::string extension = dataset::lower_case(file.extension().string());
    if (!file.empty() && !folder_.empty())
      link_or_copy(file, with_suffix(folder_, frame_.name, role, extension == ".jpeg" ? ".jpg" : extension));
  }

  void write_color() {
    if (frame_.color.empty() && !read_color_) return;
    const std::string extension = dataset::lower_case(frame_.color.extension().string());
    if (!read_color_ && (extension == ".png" || dataset::is_jpeg_extension(extension))) {
      const dataset::ImageHeader header = dataset::read_image_header(frame_.color);
      size_ = {header.height, header.width};
      if (!header.is_grey()) return link(frame_.color, dataset::FrameRole::kColor);
      plan_.report->add("written as RGB: grey images");
    }
    const Array2<image::Rgb> picture =
        read_color_ ? read_color_()
                    : dataset::decode_color(frame_.color, read_file(frame_.color), dataset::GreyPictures::kConverted);
    size_ = {picture.rows(), picture.cols()};
    if (!folder_.empty())
      dataset::write_png(with_suffix(folder_, frame_.name, dataset::FrameRole::kColor, ".png"), picture);
  }

  void write_depth() {
    if (frame_.read_depth_mm) {
      const Array2<std::uint16_t> depth = frame_.read_depth_mm();
      if (size_.rows == 0) size_ = {depth.rows(), depth.cols()};
      return write_depth_png(depth);
    }
    if (frame_.depth.empty()) return;
    if (size_.rows == 0) size_ = dataset::size_of_picture(frame_.depth);
    if (dataset::naming_of(dataset::FrameRole::kDepth).has(dataset::lower_case(frame_.depth.extension().string())))
      return link(frame_.depth, dataset::FrameRole::kDepth);
    write_depth_png(dataset::read_stored_depth(frame_.depth, {}).steps);
  }

  void write_depth_png(const Array2<std::uint16_t>& depth) {
    if (!folder_.empty())
      dataset::write_png16(with_suffix(folder_, frame_.name, dataset::FrameRole::kDepth, ".png"), depth);
  }

  void write_truth() {
    auto [labels, instances] = frame_.truth(size_);
    const bool is_quarter_turned = labels.rows() != labels.cols() && labels.rows() == size_.cols &&
                                   labels.cols() == size_.rows && !frame_.color.empty();
    if (const int orientation = is_quarter_turned ? dataset::read_orientation(frame_.color) : 1; orientation >= 5) {
      for (Array2<std::uint16_t>* image : {&labels, &instances})
        *image = dataset::turned_labels(*image, dataset::inverse_of(orientation));
      plan_.report->add(kTurnedBack);
    }
    FW_CHECK(labels.rows() == size_.rows && labels.cols() == size_.cols, Data,
             frame_.name << ": the labels are " << dataset::size_text(labels.cols(), labels.rows())
                         << " pixels, the frame is " << dataset::size_text(size_.cols, size_.rows)
                         << "; labels are for the image as it is stored");
    if (!folder_.empty())
      dataset::write_labels(with_suffix(folder_, frame_.name, dataset::FrameRole::kTruth, ".png"), labels,
                            {plan_.config.classes, {image::Rgb{}}, {}});
    if (!folder_.empty() && !instances.empty())
      dataset::write_png16(with_suffix(folder_, frame_.name, dataset::FrameRole::kInstances, ".png"), instances);
  }

  void write_up() {
    TextOutput text;
    text << frame_.up->x << " " << frame_.up->y << " " << frame_.up->z << "\n";
    write_file_atomically(with_suffix(folder_, frame_.name, dataset::FrameRole::kUp, ".txt"), NamedBy::kFernwood,
                          std::move(text).str(), Durability::kProcess);
  }

  const ImportPlan& plan_;
  const ImportedFrame& frame_;
  const fs::path& folder_;
  std::function<Array2<image::Rgb>()> read_color_;
  dataset::FrameSize size_;
};

/// Writes frames whose images must be read in order: reads a block of images, then writes them in parallel.
void write_in_order(const ImportPlan& plan, ThreadPool& pool,
                    const std::function<void(std::size_t, std::function<Array2<image::Rgb>()>)>& write) {
  const auto block = 2 * static_cast<std::size_t>(pool.num_threads());
  for (std::size_t first = 0; first < plan.frames.size(); first += block) {
    std::vector<Array2<image::Rgb>> pictures;
    for (std::size_t i = first; i < std::min(first + block, plan.frames.size()); ++i)
      pictures.push_back(plan.frames[i].read_color());
    dataset::for_each_in_order_of_failure(pool, pictures.size(), [&](std::size_t i, int) {
      write(first + i, [&pictures, i] { return std::move(pictures[i]); });
    });
  }
}

/// The poses, cameras and groups of the frames of a split, of those that it has.
void write_lists_of(const ImportPlan& plan, const std::string& split, const fs::path& folder) {
  std::string poses, cameras, groups;
  bool has_groups = false;
  for (const ImportedFrame& frame : plan.frames) {
    if (frame.split != split) continue;
    std::string group = frame.group;
    std::ranges::replace_if(
        group, [](char c) { return static_cast<unsigned char>(c) <= ' '; }, '_');  // one word of a line
    has_groups |= !group.empty();
    groups += frame.name + " " + (group.empty() ? frame.name : group) + "\n";
    if (frame.pose) poses += dataset::pose_line(frame.name, *frame.pose);
    if (frame.camera) cameras += dataset::camera_line(frame.name, *frame.camera);
  }
  const auto write = [&](const char* name, const std::string& text) {
    write_file_atomically(folder / name, NamedBy::kFernwood, text, Durability::kProcess);
  };
  if (!poses.empty()) write("poses.txt", dataset::kQuaternionPoses + poses);
  if (!cameras.empty()) write(dataset::kFrameCameras, cameras);
  if (has_groups) write("groups.txt", groups);
}

/// Names come from files of other people: none may lead out of the output folder, nor to the file of another frame.
void check_output_names(const ImportPlan& plan) {
  std::set<std::pair<std::string, std::string>> names;
  for (const ImportedFrame& frame : plan.frames) {
    const auto check = [](const std::string& name, const char* what) {
      FW_CHECK(dataset::is_file_name(name), Data,
               "the name of a "
                   << what << " is \"" << name
                   << "\", and files are named after it; use letters, digits, \"-\", \"_\" and \".\", up to 199 bytes "
                      "in UTF-8, and begin with none of \".\" and \"#\"");
    };
    check(frame.name, "frame");
    if (!frame.split.empty()) check(frame.split, "split");
    FW_CHECK(names.emplace(frame.split, frame.name).second, Data,
             "two frames" << (frame.split.empty() ? "" : " of the split " + frame.split) << " are named " << frame.name
                          << "; rename one of them");
  }
}

/// @param folder  Empty: nothing is written.
void write_frames(const ImportPlan& plan, const fs::path& folder, ThreadPool& pool, const ProgressCallback& progress) {
  std::mutex mutex;
  std::size_t done = 0;
  const auto write = [&](std::size_t i, std::function<Array2<image::Rgb>()> read_color) {
    const fs::path place = folder.empty() ? folder : folder / plan.frames[i].split;
    FrameWriter(plan, plan.frames[i], place, std::move(read_color)).write();
    const std::lock_guard lock(mutex);
    if (progress) progress(++done, plan.frames.size());
  };
  if (plan.reads_in_order)
    write_in_order(plan, pool, write);
  else
    dataset::for_each_in_order_of_failure(pool, plan.frames.size(),
                                          [&](std::size_t i, int) { write(i, plan.frames[i].read_color); });
}

/// dataset.toml, which is checked to be readable.
std::string checked_config(const ImportPlan& plan, const fs::path& out) {
  const std::string text = dataset::config_text(plan.config);
  dataset::parse_dataset_config(text, out / "dataset.toml");
  return text;
}

}  // namespace

void check_import(const ImportPlan& plan, ThreadPool& pool, const ProgressCallback& progress) {
  check_output_names(plan);
  checked_config(plan, {});
  write_frames(plan, {}, pool, progress);
}

void write_import(const ImportPlan& plan, const fs::path& out, ThreadPool& pool, const ProgressCallback& progress) {
  FW_CHECK(!out.empty(), Usage, "the name of the folder to write is empty; choose a new one");
  check_output_names(plan);
  const std::string text = checked_config(plan, out);
  dataset::FolderInProgress folder(out);
  std::set<std::string> splits;
  for (const ImportedFrame& frame : plan.frames) splits.insert(frame.split);
  for (const std::string& split : splits) make_folder_within(folder.path(), split);
  write_frames(plan, folder.path(), pool, progress);
  for (const std::string& split : splits) write_lists_of(plan, split, folder.path() / split);
  write_file_atomically(folder.path() / "dataset.toml", NamedBy::kFernwood, text);
  folder.finish();
}

}  // namespace fernwood::formats
