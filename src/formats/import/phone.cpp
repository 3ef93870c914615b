// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// What apps of iPhones and iPads with lidar leave behind: Stray Scanner and Record3D. Depth is coarse and shows the
// same as colour.

#include <algorithm>
#include <map>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/user_text.h"
#include "dataset/index_labels.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/image_io.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int kUsualConfidence = 1;

/// Depth in millimetres, without pixels of lower confidence. @param scale_to_mm  Empty: as stored in the file.
Array2<std::uint16_t> confident_depth(const fs::path& depth, const fs::path& confidence, int least,
                                      std::optional<double> scale_to_mm) {
  Array2<std::uint16_t> depth_mm = dataset::read_depth(depth, scale_to_mm);
  const std::vector<std::uint8_t> bytes = read_file(confidence);
  const dataset::ImageHeader header = dataset::inspect_image(confidence, bytes);
  dataset::check_same_size(confidence, header.width, header.height, depth, depth_mm.cols(), depth_mm.rows());
  FW_CHECK(header.is_png && (header.is_grey() || header.is_palette), Data,
           confidence.string() << ": confidences are a grey PNG of 0, 1 and 2; export them again");
  Array2<std::uint16_t> levels(header.height, header.width);
  dataset::decode_png_indices(confidence, bytes, header, &levels);
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (levels.data()[i] < least) depth_mm.data()[i] = 0;
  return depth_mm;
}

/// Assigns a depth file to a frame; uncertain pixels are dropped if confidences exist.
void set_depth(ImportedFrame& frame, fs::path depth, const dataset::FilesByName& confidences, const std::string& name,
               const ImportOptions& options) {
  const auto found = confidences.find(name);
  const int least = options.min_confidence.value_or(kUsualConfidence);
  if (found == confidences.end() || least == 0) {
    frame.depth = std::move(depth);
    return;
  }
  frame.depth.clear();
  frame.read_depth_mm = [depth = std::move(depth), confidence = found->second, least,
                         scale = options.depth_scale_to_mm] {
    return confident_depth(depth, confidence, least, scale);
  };
}

void note_confidence(bool has_any, const ImportOptions& options, ImportPlan& plan) {
  const int least = options.min_confidence.value_or(kUsualConfidence);
  if (has_any && least > 0)
    plan.notes.push_back("depth of a confidence below " + std::to_string(least) +
                         " (0 low, 1 medium, 2 high) is unknown; a least confidence of 0 keeps all");
}

/// Pose and camera of a picture.
struct Odometry {
  std::optional<dataset::CameraPose> pose = {};
  std::optional<image::Camera> camera = {};
};

/// [frame] Rows of odometry.csv: timestamp, frame, x, y, z, qx, qy, qz, qw, and fx, fy, cx, cy where it has them.
std::map<std::size_t, Odometry> read_odometry(const fs::path& path, const dataset::FrameSize& size) {
  std::map<std::size_t, Odometry> rows;
  if (!fs::is_regular_file(path)) return rows;
  TextInput lines(dataset::read_user_text(path));
  std::string line;
  std::getline(lines, line);  // names of the columns
  const bool has_cameras = line.find("fx") != std::string::npos;
  for (int number = 2; std::getline(lines, line); ++number) {
    std::ranges::replace(line, ',', ' ');
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    TextInput words(line);
    std::array<double, 13> numbers{};
    const std::size_t count = has_cameras ? 13 : 9;
    for (double& value : std::span(numbers).first(count))
      FW_CHECK(take_number(words, value), Data,
               path.string() << ": line " << number << " does not have the " << count
                             << " numbers of timestamp, frame, x, y, z, qx, qy, qz, qw"
                             << (has_cameras ? ", fx, fy, cx, cy" : "") << "; copy it again from the phone");
    if (!(numbers[1] >= 0 && numbers[1] < 1e9)) continue;
    const std::span<const double> all(numbers);
    Odometry& row = rows[static_cast<std::size_t>(numbers[1])];
    row.pose = dataset::pose_of_numbers(all.subspan(2, 3), all.subspan(5, 4));
    if (has_cameras) row.camera = dataset::camera_of_matrix({all[9], 0, all[11], 0, all[10], all[12]}, 3, size);
  }
  return rows;
}

void add_stray_scan(const fs::path& folder, const std::string& group, const ImportOptions& options, ImportPlan& plan) {
  const dataset::FilesByName depths = files_if_any(folder, {"depth/{}.png"}),
                             confidences = files_if_any(folder, {"confidence/{}.png"});
  FW_CHECK(!depths.empty(), Data,
           folder.string() << " has no depth/000000.png; name the folder of a scan of Stray Scanner");
  const auto video = std::make_shared<VideoPictures>(folder / "rgb.mp4");
  const Array2<image::Rgb> picture = video->picture(0);
  const dataset::FrameSize size = {picture.rows(), picture.cols()};
  std::optional<image::Camera> camera;  // of pictures without their own
  for (const std::string& warning : video->warnings()) plan.notes.push_back(warning);
  if (const fs::path file = folder / "camera_matrix.csv"; fs::is_regular_file(file)) {
    std::string text = dataset::read_user_text(file);
    std::ranges::replace(text, ',', ' ');
    TextInput words(text);
    const std::vector<double> matrix = dataset::numbers_left(words, file.string());
    FW_CHECK(matrix.size() == 9, Data,
             file.string() << " has " << matrix.size() << " numbers, a matrix of 3 x 3 is expected; copy it again");
    camera = dataset::camera_of_matrix(matrix, 3, size);
    plan.config.camera_origin = file.string();
  }
  const std::map<std::size_t, Odometry> rows = read_odometry(folder / "odometry.csv", size);
  for (const auto& [name, depth] : depths) {
    const std::optional<std::size_t> index = number_of_name(name);  // of its picture in the video
    FW_CHECK(
        index, Data,
        depth.string() << ": its name is not a number, that of its image in rgb.mp4; remove what is not of the scan");
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = group.empty() ? name : group + "_" + name;
    frame.group = group;
    frame.read_color = [video, picture_index = *index] { return video->picture(picture_index); };
    set_depth(frame, depth, confidences, name, options);
    frame.camera = camera;
    const auto row = rows.find(*index);
    if (row == rows.end()) continue;
    frame.pose = row->second.pose;
    if (!row->second.camera) continue;
    frame.camera = row->second.camera;
    plan.config.camera_origin = (folder / "odometry.csv").string();
  }
  note_confidence(!confidences.empty(), options, plan);
}

/// Record3D's metadata.json: "K" in column-major order, for images of "w" x "h", and the same of each frame; "poses" of
/// a camera whose y axis points up.
void read_record3d_metadata(const fs::path& file, ImportPlan& plan) {
  const json metadata = read_json(file);
  const std::vector<double> numbers = numbers_of(member(metadata, "K"));
  FW_CHECK(numbers.size() == 9, Data,
           file.string() << " has no \"K\" of nine numbers, the camera's; export the recording again");
  const dataset::FrameSize size = {size_at(metadata, "h"), size_at(metadata, "w")};
  plan.config.camera = dataset::camera_of_matrix({numbers[0], 0, numbers[6], 0, numbers[4], numbers[7]}, 3, size);
  plan.config.camera_origin = file.string();
  const auto numbers_at = [&](const char* lists, std::size_t frame) {
    const json& all = member(metadata, lists);
    return all.is_array() && frame < all.size() ? numbers_of(all[frame]) : std::vector<double>();
  };
  for (ImportedFrame& frame : plan.frames) {
    const std::optional<std::size_t> index = number_of_name(frame.name);  // frames may have been removed
    if (!index) continue;
    if (const std::vector<double> lens = numbers_at("perFrameIntrinsicCoeffs", *index); lens.size() == 4)
      frame.camera = dataset::camera_of_matrix({lens[0], 0, lens[2], 0, lens[1], lens[3]}, 3, size);
    const std::vector<double> pose = numbers_at("poses", *index);
    if (pose.size() < 7) continue;
    const std::span<const double> all(pose);  // qx, qy, qz, qw, x, y, z
    if (const auto found = dataset::pose_of_numbers(all.subspan(4, 3), all.first(4)))
      frame.pose = dataset::from_y_up(*found);
  }
}

}  // namespace

ImportPlan plan_stray_scanner(const ImportOptions& options) {
  ImportPlan plan;
  plan.reads_in_order = true;
  const std::vector<fs::path> folders = folders_with(options.in, "rgb.mp4");
  FW_CHECK(!folders.empty(), Data,
           options.in.string() << " has no rgb.mp4; name the folder of a scan of Stray Scanner, or one of several");
  for (const fs::path& folder : folders)
    add_stray_scan(folder, folder == options.in ? "" : folder_name(folder), options, plan);
  std::ranges::sort(plan.notes);
  plan.notes.erase(std::unique(plan.notes.begin(), plan.notes.end()), plan.notes.end());
  settle_names(options.in, plan.frames);
  return plan;
}

ImportPlan plan_record3d(const ImportOptions& options) {
  FW_CHECK(fs::is_directory(options.in), Data,
           options.in.string() << " is a file; export the recording in Record3D as EXR + JPG, and name the folder "
                                  "that holds rgb, depth and metadata.json");
  const std::vector<fs::path> folders = folders_with(options.in, "metadata.json");
  FW_CHECK(folders.size() == 1, Data,
           options.in.string() << " holds " << folders.size()
                               << " files metadata.json; name the folder of one recording, EXR_RGBD say");
  const fs::path& root = folders.front();
  ImportPlan plan;
  dataset::FilesByName colors = files_if_any(root, {"rgb/{}.jpg"});
  if (colors.empty()) colors = files_if_any(root, {"rgb/{}.png"});
  dataset::FilesByName depths = files_if_any(root, {"depth/{}.exr"});
  if (depths.empty()) depths = files_if_any(root, {"depth/{}.png"});
  const dataset::FilesByName confidences = files_if_any(root, {"confidence/{}.png"});
  add_sequence("", colors, depths, plan);
  check_found(plan, root, "rgb/0.jpg and depth/0.exr");
  for (ImportedFrame& frame : plan.frames)
    if (!frame.depth.empty()) set_depth(frame, frame.depth, confidences, frame.name, options);
  read_record3d_metadata(root / "metadata.json", plan);
  note_confidence(!confidences.empty(), options, plan);
  settle_names(root, plan.frames);
  return plan;
}

}  // namespace fernwood::formats
