// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/generate/generate.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/ordered_loop.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "generate/camera.h"

namespace fernwood::generate {

namespace fs = std::filesystem;

namespace {

using SceneOptions = GenerateOptions;

constexpr std::array kGenerateRows = {
    option<&SceneOptions::frames>("frames", "Frames to train on").in(from_to(1, 100000)),
    option<&SceneOptions::test_frames>("test-frames", "Frames to test on").in(from_to(0, 100000)),
    option<&SceneOptions::seed>("seed", "Same seed, same frames"),
    option<&SceneOptions::holes>("holes", "Fraction of pixels without depth in each frame")
        .in(from_to(0, 0.9))
        .default_means("a camera's"),
    choice_option<kSceneClasses, &SceneOptions::classes>(
        "classes",
        "things: furniture, 9 classes; parts: the same frames, 31 classes; rare: small things of five classes, "
        "each about 0.5 % of the pixels"),
};

constexpr std::size_t kFineCols = 320;  // in coarser frames borders of 2 pixels would swallow a table's legs

}  // namespace

std::size_t margin_px(std::size_t cols) { return std::max<std::size_t>(1, cols / 160); }

image::LabelImage truth_of(const Rendering& seen, const Scene& scene) {
  const std::size_t rows = seen.part.rows(), cols = seen.part.cols(), margin = margin_px(cols);
  const bool both_sides = cols >= kFineCols;
  const auto object_at = [&](std::size_t y, std::size_t x) {
    const std::int32_t part = seen.part(y, x);
    return part < 0 ? -1 : scene.parts[static_cast<std::size_t>(part)].object;
  };
  image::LabelImage labels(rows, cols, image::kVoid);
  for (std::size_t y = margin; y + margin < rows; ++y)
    for (std::size_t x = margin; x + margin < cols; ++x) {
      const int object = object_at(y, x);
      bool inside = object_at(y, x + 1) == object && object_at(y + 1, x) == object;
      if (both_sides) inside = inside && object_at(y, x - 1) == object && object_at(y - 1, x) == object;
      if (object >= 0 && inside) labels(y, x) = scene.parts[static_cast<std::size_t>(seen.part(y, x))].label;
    }
  return labels;
}

OptionTable<GenerateOptions> GenerateOptions::table() { return kGenerateRows; }

void GenerateOptions::check() const {
  constexpr int kMinSize = 32, kMaxSize = 4096;
  check_options(table(), *this);
  FW_CHECK(width >= kMinSize && width <= kMaxSize && height >= kMinSize && height <= kMaxSize, Usage,
           "--size is " << width << "x" << height << "; give a width and a height from " << kMinSize << " to "
                        << kMaxSize << " pixels");
}

image::Camera generated_camera(const GenerateOptions& options) {
  const float focal = focal_px_at(options.width);
  const auto middle = [](int side) { return 0.5f * (static_cast<float>(side) - 1.0f); };
  return {options.width, options.height, focal, focal, middle(options.width), middle(options.height)};
}

SyntheticFrame generate_frame(const GenerateOptions& options, std::uint32_t scene_index) {
  const DefaultFloats floats;
  options.check();
  const Scene scene = make_scene(options.seed, scene_index, options.width, options.height, options.classes);
  const Rendering seen = render(scene, options.width, options.height);
  return {{sense_color(seen.color, options.seed, scene_index),
           sense_depth(seen, scene, {options.seed, scene_index, options.holes}), generated_camera(options)},
          truth_of(seen, scene)};
}

namespace {

constexpr std::string_view kFirstLine = "# Written by `fernwood dataset generate`.\n";
constexpr const char* kSuffixes[] = {"_colors.png", "_depth.png", "_ground_truth.png"};

/// Where each scene goes: the folder and the file names up to the suffix.
class Files {
 public:
  Files(const fs::path& out, const GenerateOptions& options)
      : out_(out),
        num_train_(static_cast<std::size_t>(options.frames)),
        num_all_(num_train_ + static_cast<std::size_t>(options.test_frames)) {}

  std::size_t size() const { return num_all_; }
  fs::path folder(std::size_t scene) const { return out_ / (scene < num_train_ ? "train" : "test"); }
  /// As many digits as the last number needs, at least four, so that names sort like numbers.
  std::string name(std::size_t scene) const {
    const std::string number = std::to_string(scene), last = std::to_string(num_all_ - 1);
    return "scene" + std::string(std::max<std::size_t>(4, last.size()) - number.size(), '0') + number;
  }
  fs::path file(std::size_t scene, const char* suffix) const { return folder(scene) / (name(scene) + suffix); }

  /// Makes the folders and tries them out. Generating the same set again is fine; files beside it are not, because
  /// they would silently join the data set.
  void prepare_folders() const {
    std::set<fs::path> expected;
    for (std::size_t scene = 0; scene < num_all_; ++scene)
      for (const char* suffix : kSuffixes) {
        expected.insert(file(scene, suffix));
        expected.insert(file(scene, suffix) += kPartSuffix);  // of a run that was killed
      }
    for (const char* split : {"train", "test"}) refuse_strangers(out_ / split, expected);
    for (const std::size_t first : {std::size_t{0}, num_all_ - 1}) {
      make_folder(folder(first));
      check_writable(file(first, kSuffixes[0]));
    }
    check_writable(out_ / "dataset.toml");
  }

 private:
  static void refuse_strangers(const fs::path& folder, const std::set<fs::path>& expected) {
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
      FW_CHECK(expected.count(entry->path()) > 0, Usage,
               folder.string() << ": holds " << entry->path().filename().string()
                               << ", which is not of this data set and would mix with it; remove what is in the folder "
                                  "or choose another output folder");
  }

  fs::path out_;
  std::size_t num_train_, num_all_;
};

/// Somebody else's dataset.toml is not overwritten.
void check_toml_is_ours(const fs::path& path) {
  if (!fs::exists(path)) return;
  const std::vector<std::uint8_t> bytes = read_file(path);
  FW_CHECK(bytes.size() >= kFirstLine.size() && std::equal(kFirstLine.begin(), kFirstLine.end(), bytes.begin()), Usage,
           path.string() << ": belongs to another data set; choose another output folder");
}

const char* description_of(SceneClasses classes) {
  switch (classes) {
    case SceneClasses::kParts:
      return "parts of things, ";
    case SceneClasses::kRare:
      return "rare things, ";
    case SceneClasses::kThings:
      break;
  }
  return "";
}

void write_toml(std::ostream& file, const GenerateOptions& options) {
  file << kFirstLine << "description = \"Synthetic indoor scenes, " << description_of(options.classes) << options.width
       << "x" << options.height << ", seed " << options.seed;
  if (options.holes) file << ", holes " << *options.holes;
  file << "\"\ncamera = " << image::to_string(generated_camera(options)) << "\n";
  for (const image::ClassInfo& c : generated_classes(options).classes)
    file << "\n[[classes]]\nname = \"" << c.name << "\"\ncolor = [" << int{c.color.r} << ", " << int{c.color.g} << ", "
         << int{c.color.b} << "]\n";
}

}  // namespace

void generate_dataset(const fs::path& out, const GenerateOptions& options, ThreadPool& pool,
                      const ProgressCallback& progress) {
  const DefaultFloats floats;
  options.check();
  const Files files(out, options);
  check_toml_is_ours(out / "dataset.toml");
  files.prepare_folders();
  write_file_atomically(
      out / "dataset.toml", [&](std::ostream& file) { write_toml(file, options); }, Durability::kPowerFailure,
      NamedBy::kFernwood);

  std::mutex mutex;
  std::size_t done = 0;
  dataset::for_each_in_order_of_failure(pool, files.size(), [&](std::size_t scene, int) {
    const SyntheticFrame made = generate_frame(options, static_cast<std::uint32_t>(scene));
    dataset::write_png(files.file(scene, kSuffixes[0]), made.frame.color);
    dataset::write_png16(files.file(scene, kSuffixes[1]), made.frame.depth_mm);
    dataset::write_png(files.file(scene, kSuffixes[2]),
                       dataset::colorize_labels(made.labels, generated_classes(options)));
    const std::lock_guard lock(mutex);
    if (progress) progress(++done, files.size());
  });
  for (const std::size_t scene : {std::size_t{0}, files.size() - 1}) sync_folder(files.folder(scene));
}

}  // namespace fernwood::generate
