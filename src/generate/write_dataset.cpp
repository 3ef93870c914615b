// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/folder_in_progress.h"
#include "dataset/frame_file_names.h"
#include "dataset/poses.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/generate/generate.h"

namespace fernwood::generate {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFirstLine = "# Written by `fernwood dataset generate`.\n";
constexpr const char* kSuffixes[] = {"_colors.png", "_depth.png", "_ground_truth.png", "_instances.png"};

/// A number with as many digits as the last one, at least four, so that names sort like numbers.
std::string numbered(const char* word, std::size_t number, std::size_t last) {
  const std::string digits = std::to_string(number), most = std::to_string(last);
  return word + std::string(std::max<std::size_t>(4, most.size()) - digits.size(), '0') + digits;
}

/// Name of some file of a frame in a folder; empty without one, and for a folder that cannot be listed.
std::string frame_file_in(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (dataset::parse_frame_file_name(name)) return name;
  }
  return "";
}

/// Paths of all frames. Frames are numbered consecutively, those of a room one after another.
class Files {
 public:
  Files(const fs::path& out, const GenerateOptions& options)
      : out_(out),
        num_train_(static_cast<std::size_t>(options.frames)),
        num_scenes_(num_train_ + static_cast<std::size_t>(options.test_frames)),
        length_(static_cast<std::size_t>(options.sequence)) {}

  bool has_sequences() const { return length_ > 0; }
  std::size_t length() const { return std::max<std::size_t>(1, length_); }
  std::size_t size() const { return num_scenes_ * length(); }
  std::size_t num_scenes() const { return num_scenes_; }
  std::size_t scene(std::size_t index) const { return index / length(); }

  fs::path split(std::size_t scene) const { return out_ / (scene < num_train_ ? "train" : "test"); }
  fs::path folder(std::size_t scene) const {
    return has_sequences() ? split(scene) / numbered("room", scene, num_scenes_ - 1) : split(scene);
  }
  std::set<fs::path> folders() const {
    std::set<fs::path> all;
    for (std::size_t scene = 0; scene < num_scenes_; ++scene) all.insert(folder(scene));
    return all;
  }
  std::string name(std::size_t index) const {
    return has_sequences() ? numbered("frame", index % length_, length_ - 1)
                           : numbered("scene", index, num_scenes_ - 1);
  }
  fs::path file(std::size_t index, const char* suffix) const { return folder(scene(index)) / (name(index) + suffix); }
  /// All dataset.toml files: for single frames one above the splits; for rooms one in each split, the parent folder of
  /// its rooms.
  std::vector<fs::path> configs() const {
    if (!has_sequences()) return {out_ / "dataset.toml"};
    std::set<fs::path> paths;
    for (const std::size_t scene : {std::size_t{0}, num_scenes_ - 1}) paths.insert(split(scene) / "dataset.toml");
    return {paths.begin(), paths.end()};
  }

  /// Creates the folders and tests writing to them. Generating the same set again is allowed; other files beside it are
  /// not, because they would silently become part of the data set, or it would become part of theirs.
  void prepare_folders() const {
    refuse_frames_beside();
    const std::map<fs::path, std::set<fs::path>> expected = list_expected();
    // Each run writes the configs before the first frame, so files without them are not from an earlier run, whatever
    // their names.
    const std::vector<fs::path> all = configs();
    const bool is_repeated = std::ranges::any_of(all, [](const fs::path& config) { return fs::exists(config); });
    for (const auto& [folder, paths] : expected) refuse_other_files(folder, paths, is_repeated);
    for (const fs::path& path : folders()) make_folder_within(out_, path.lexically_relative(out_));
    for (const std::size_t last : {std::size_t{0}, size() - 1})
      check_writable(file(last, kSuffixes[0]), NamedBy::kFernwood);
    for (const fs::path& config : configs()) check_writable(config, NamedBy::kFernwood);
  }

 private:
  std::map<fs::path, std::set<fs::path>> list_expected() const {
    std::map<fs::path, std::set<fs::path>> expected = {{out_ / "train", {}}, {out_ / "test", {}}};
    const auto expect = [&](const fs::path& path) {
      expected[path.parent_path()].insert({path, fs::path(path) += kPartSuffix});  // of a killed run
    };
    for (std::size_t i = 0; i < size(); ++i)
      for (const char* suffix : kSuffixes) expect(file(i, suffix));
    if (!has_sequences()) return expected;
    for (const fs::path& config : configs()) expect(config);
    for (std::size_t scene = 0; scene < num_scenes_; ++scene)
      for (const fs::path& path : {folder(scene), folder(scene) / "times.txt", folder(scene) / "poses.txt"})
        expect(path);
    return expected;
  }

  /// Refuses frames in the output folder itself, which would hide those of the splits, and in its other sub-folders,
  /// whose dataset.toml a new one would become.
  void refuse_frames_beside() const {
    const auto refuse = [&](const fs::path& folder) {
      const std::string frame = frame_file_in(folder);
      FW_CHECK(frame.empty(), Usage,
               out_.string() << " holds frames of another data set ("
                             << (folder / frame).lexically_relative(out_).string()
                             << "), which would mix with this one; choose another output folder");
    };
    refuse(out_);
    if (has_sequences() || fs::exists(out_ / "dataset.toml")) return;
    std::error_code failure, ignored;
    for (fs::directory_iterator entry(out_, failure), end; !failure && entry != end; entry.increment(failure))
      if (entry->path() != out_ / "train" && entry->path() != out_ / "test" &&
          !fs::exists(entry->path() / "dataset.toml", ignored))
        refuse(entry->path());
  }

  static void refuse_other_files(const fs::path& folder, const std::set<fs::path>& expected, bool is_repeated) {
    std::error_code failure, ignored;
    std::set<fs::path> found;  // sorted: the same is named wherever the folder lies
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
      found.insert(entry->path());
    for (const fs::path& path : found) {
      const bool is_expected = expected.count(path) > 0;
      FW_CHECK(is_expected && (is_repeated || fs::is_directory(path, ignored)), Usage,
               folder.string() << " holds " << path.filename().string()
                               << (is_expected ? ", but no dataset.toml says that it is of this data set"
                                               : ", which is not of this data set and would mix with it")
                               << "; remove what is in the folder or choose another output folder");
    }
  }

  fs::path out_;
  std::size_t num_train_, num_scenes_, length_;
};

/// A foreign dataset.toml is not overwritten.
void check_toml_is_ours(const fs::path& path) {
  if (!fs::exists(path)) return;
  const std::vector<std::uint8_t> bytes = read_file(path);
  FW_CHECK(bytes.size() >= kFirstLine.size() && std::equal(kFirstLine.begin(), kFirstLine.end(), bytes.begin()), Usage,
           path.string() << " belongs to another data set; choose another output folder");
}

void write_toml(std::ostream& file, const GenerateOptions& options) {
  constexpr std::array kKinds = {"", "parts of things, ", "rare things, "};  // [SceneClasses]
  file << kFirstLine << "description = \"Synthetic indoor scenes, " << kKinds[static_cast<std::size_t>(options.classes)]
       << options.width << "x" << options.height << ", seed " << options.seed;
  if (options.holes) file << ", holes " << *options.holes;
  if (options.sequence > 0) file << ", " << options.fps << " frames per second";
  if (options.moving_things > 0) file << ", moving things " << options.moving_things;
  file << "\"\ncamera = " << image::to_string(generated_camera(options)) << "\n";
  for (const image::ClassInfo& c : generated_classes(options).classes)
    file << "\n[[classes]]\nname = \"" << c.name << "\"\ncolor = [" << int{c.color.r} << ", " << int{c.color.g} << ", "
         << int{c.color.b} << "]\n";
}

void write_text(const fs::path& path, Durability durability, const auto& write) {
  write_file_atomically(
      path, NamedBy::kFernwood, [&](std::ostream& file) { write(file); }, durability);
}

void write_recording(const Files& files, std::size_t scene, const GenerateOptions& options,
                     const std::vector<image::RigidMotion>& poses) {
  const std::size_t first = scene * files.length();
  TextOutput times, places;
  places << dataset::kQuaternionPoses;
  for (std::size_t i = 0; i < files.length(); ++i) {
    const std::string name = files.name(first + i);
    times << name << " " << format_text("%.6f", static_cast<double>(i) / options.fps) << "\n";
    const auto& [rotation, moved] = poses[first + i];
    const auto& [x, y, z] = rotation;
    const std::array<double, 12> matrix = {x.x, x.y, x.z, moved.x, y.x, y.y, y.z, moved.y, z.x, z.y, z.z, moved.z};
    places << dataset::pose_line(name, *dataset::pose_of_matrix(matrix));
  }
  const fs::path folder = files.folder(scene);
  write_text(folder / "times.txt", Durability::kProcess, [&](std::ostream& file) { file << std::move(times).str(); });
  write_text(folder / "poses.txt", Durability::kProcess, [&](std::ostream& file) { file << std::move(places).str(); });
}

}  // namespace

void generate_dataset(const fs::path& out, const GenerateOptions& options, ThreadPool& pool,
                      const ProgressCallback& progress) {
  const DefaultFloats floats;
  options.check();
  const Files files(out, options);
  make_folder(out);
  const OutputLock lock(out);
  for (const fs::path& config : files.configs()) check_toml_is_ours(config);
  files.prepare_folders();
  for (const fs::path& config : files.configs())
    write_text(config, Durability::kPowerFailure, [&](std::ostream& file) { write_toml(file, options); });

  std::mutex mutex;
  std::size_t done = 0;
  std::vector<image::RigidMotion> poses(files.size());
  dataset::for_each_in_order_of_failure(pool, files.size(), [&](std::size_t i, int) {
    const auto scene = static_cast<std::uint32_t>(files.scene(i));
    const SyntheticFrame made =
        files.has_sequences() ? generate_sequence_frame(options, scene, static_cast<std::uint32_t>(i % files.length()))
                              : generate_frame(options, scene);
    poses[i] = made.pose;
    dataset::write_png(files.file(i, kSuffixes[0]), made.frame.color);
    dataset::write_png16(files.file(i, kSuffixes[1]), made.frame.depth_mm);
    dataset::write_png(files.file(i, kSuffixes[2]), dataset::colorize_labels(made.labels, generated_classes(options)));
    dataset::write_png16(files.file(i, kSuffixes[3]), made.instances);
    const std::lock_guard lock(mutex);
    if (progress) progress(++done, files.size());
  });
  if (files.has_sequences())
    for (std::size_t scene = 0; scene < files.num_scenes(); ++scene) write_recording(files, scene, options, poses);
  for (const fs::path& folder : files.folders()) sync_folder(folder);
}

}  // namespace fernwood::generate
