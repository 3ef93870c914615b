// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/ordered_loop.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/generate/generate.h"

namespace fernwood::generate {

namespace fs = std::filesystem;

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
      for (const char* suffix : kSuffixes) expected.insert(file(scene, suffix));
    for (const char* split : {"train", "test"}) refuse_strangers(out_ / split, expected);
    for (const std::size_t first : {std::size_t{0}, num_all_ - 1}) {
      std::error_code failure;
      fs::create_directories(folder(first), failure);
      FW_CHECK(!failure, Runtime,
               folder(first).string() << ": the folder cannot be made: " << failure.message()
                                      << "; choose another output folder");
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

void write_toml(std::ostream& file, const GenerateOptions& options) {
  file << kFirstLine << "description = \"Synthetic indoor scenes, " << options.width << "x" << options.height
       << ", seed " << options.seed;
  if (options.holes) file << ", holes " << *options.holes;
  file << "\"\ncamera = " << image::to_string(generated_camera(options)) << "\n";
  for (const image::ClassInfo& c : synthetic_classes().classes)
    file << "\n[[classes]]\nname = \"" << c.name << "\"\ncolor = [" << int{c.color.r} << ", " << int{c.color.g} << ", "
         << int{c.color.b} << "]\n";
}

}  // namespace

void generate_dataset(const fs::path& out, const GenerateOptions& options, ThreadPool& pool,
                      const ProgressCallback& progress) {
  options.check();
  const Files files(out, options);
  check_toml_is_ours(out / "dataset.toml");
  files.prepare_folders();
  write_file_atomically(out / "dataset.toml", [&](std::ostream& file) { write_toml(file, options); });

  std::mutex mutex;
  std::size_t done = 0;
  dataset::for_each_in_order_of_failure(pool, files.size(), [&](std::size_t scene, int) {
    const SyntheticFrame made = generate_frame(options, static_cast<std::uint32_t>(scene));
    dataset::write_png(files.file(scene, kSuffixes[0]), made.frame.color);
    dataset::write_png16(files.file(scene, kSuffixes[1]), made.frame.depth_mm);
    dataset::write_png(files.file(scene, kSuffixes[2]), dataset::colorize_labels(made.labels, synthetic_classes()));
    const std::lock_guard lock(mutex);
    if (progress) progress(++done, files.size());
  });
}

}  // namespace fernwood::generate
