// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/formats/import.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dataset/folder_in_progress.h"
#include "dataset/nyu_class_maps.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/image_io.h"
#include "formats/import/mat_file.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

/// The required arrays of nyu_depth_v2_labeled.mat; N frames.
struct LabeledMat {
  MatFile file;
  MatArray<std::uint8_t> images;   // [rows][cols][3][N]
  MatArray<float> depths;          // [rows][cols][N], metres
  MatArray<std::uint16_t> labels;  // [rows][cols][N], 0 = unlabelled
  std::vector<std::string> names;  // of labels 1, 2, ...

  LabeledMat(const fs::path& path, bool raw_depth)
      : file(path),
        images(file, "images", 4),
        depths(file, raw_depth ? "rawDepths" : "depths", 3),
        labels(file, "labels", 3) {
    FW_CHECK(images.shape()[2] == 3, Data,
             images.place() << " must be rows x columns x 3 x frames, its third size is " << images.shape()[2]);
    FW_CHECK(rows() > 0 && cols() > 0 && num_frames() > 0, Data, images.place() << " is empty; take the whole file");
    check_fits(depths.shape(), depths.place());
    check_fits(labels.shape(), labels.place());
    names = file.has("names") ? file.read_strings("names") : dataset::nyu_label_names();
  }

  std::size_t rows() const { return images.shape()[0]; }
  std::size_t cols() const { return images.shape()[1]; }
  std::size_t num_frames() const { return images.num_slices(); }

 private:
  void check_fits(const std::vector<std::size_t>& shape, const std::string& place) const {
    FW_CHECK(shape[0] == rows() && shape[1] == cols() && shape[2] == num_frames(), Data,
             place << " is " << shape[0] << " x " << shape[1] << " x " << shape[2] << ", but the images are " << rows()
                   << " x " << cols() << " x 3 x " << num_frames() << "; take all arrays from one file");
  }
};

/// A frame requested by a split.
struct Wanted {
  const char* split;   // the sub-folder
  std::size_t number;  // 1-based
};

void add_split(const MatFile& file, const std::string& variable, const char* split, std::vector<const char*>* split_of,
               std::vector<Wanted>* wanted) {
  const MatArray<double> numbers(file, variable, 2);
  std::vector<double> column;
  for (std::size_t i = 0; i < numbers.num_slices(); ++i) {
    numbers.read_slice(i, column);
    for (const double number : column) {
      FW_CHECK(number >= 1 && number <= static_cast<double>(split_of->size()) && number == std::floor(number), Data,
               numbers.place() << " holds " << number << ", but the frames are numbered 1 to " << split_of->size()
                               << "; use the splits.mat that belongs to the images");
      const char*& known = (*split_of)[static_cast<std::size_t>(number) - 1];
      FW_CHECK(known == nullptr, Data,
               numbers.place() << " holds frame " << number << ", which is already in the split " << known
                               << "; a frame must not be in two splits or twice in one");
      known = split;
      wanted->push_back({split, static_cast<std::size_t>(number)});
    }
  }
}

std::vector<Wanted> read_splits(const fs::path& path, std::size_t num_frames) {
  const MatFile file(path);
  std::vector<const char*> split_of(num_frames, nullptr);
  std::vector<Wanted> wanted;
  add_split(file, "trainNdxs", "train", &split_of, &wanted);
  add_split(file, "testNdxs", "test", &split_of, &wanted);
  FW_CHECK(!wanted.empty(), Data, path.string() << ": both splits are empty; use the splits.mat of the data set");
  // In the order of the file, so that chunks with several frames are read only once.
  std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.number < b.number; });
  return wanted;
}

/// Colour of each label number; empty for names that are not in the class map.
std::vector<std::optional<image::Rgb>> colors_of_labels(const std::vector<std::string>& names,
                                                        const dataset::NyuClasses& classes) {
  std::vector<std::optional<image::Rgb>> colors = {image::Rgb{}};  // 0 is void
  for (const std::string& name : names) {
    const auto found = classes.class_of_label.find(name);
    colors.push_back(found == classes.class_of_label.end() ? std::nullopt
                                                           : std::optional(classes.classes[found->second].color));
  }
  return colors;
}

struct ColumnMajorFrame {
  std::size_t rows = 0, cols = 0;
  std::vector<std::uint8_t> color;    // [rows][cols][3]
  std::vector<float> depth_m;         // [rows][cols]
  std::vector<std::uint16_t> labels;  // [rows][cols]

  template <typename T, typename Value>
  Array2<T> to_rows(const Value& value_at) const {
    Array2<T> image(rows, cols);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t col = 0; col < cols; ++col) image(row, col) = value_at(col * rows + row);
    return image;
  }
};

class Importer {
 public:
  Importer(const LabeledMat& mat, const dataset::NyuClasses& classes, const fs::path& out)
      : mat_(mat), colors_(colors_of_labels(mat.names, classes)), out_(out) {}

  void read(const Wanted& wanted, ColumnMajorFrame* frame) const {
    frame->rows = mat_.rows();
    frame->cols = mat_.cols();
    mat_.images.read_slice(wanted.number - 1, frame->color);
    mat_.depths.read_slice(wanted.number - 1, frame->depth_m);
    mat_.labels.read_slice(wanted.number - 1, frame->labels);
  }

  void write(const Wanted& wanted, const ColumnMajorFrame& frame) const {
    const std::size_t plane = frame.rows * frame.cols;
    const auto color_at = [&](std::size_t i) {
      return image::Rgb{frame.color[i], frame.color[i + plane], frame.color[i + 2 * plane]};
    };
    const auto depth_at = [&](std::size_t i) { return image::to_depth_mm(frame.depth_m[i]); };
    const auto truth_at = [&](std::size_t i) { return color_of(frame.labels[i], wanted); };
    const Array2<image::Rgb> truth = frame.to_rows<image::Rgb>(truth_at);  // first, because it may find an error
    const std::string name = format_text("%04zu", wanted.number);
    const fs::path folder = out_ / wanted.split;
    dataset::write_png(folder / (name + "_colors.png"), frame.to_rows<image::Rgb>(color_at));
    dataset::write_png16(folder / (name + "_depth.png"), frame.to_rows<std::uint16_t>(depth_at));
    dataset::write_png(folder / (name + "_ground_truth.png"), truth);
  }

 private:
  image::Rgb color_of(std::uint16_t label, const Wanted& wanted) const {
    FW_CHECK(label < colors_.size(), Data,
             mat_.labels.place() << ": frame " << wanted.number << " has the label " << label
                                 << ", but the names end at " << mat_.names.size()
                                 << "; take labels and names from one file");
    FW_CHECK(colors_[label], Data,
             mat_.labels.place() << ": frame " << wanted.number << " has the label " << label << " \""
                                 << mat_.names[label - 1]
                                 << "\", which has no class; the known names are listed in datasets/nyu/labels.csv");
    return *colors_[label];
  }

  const LabeledMat& mat_;
  std::vector<std::optional<image::Rgb>> colors_;
  fs::path out_;
};

}  // namespace

void ImportNyuOptions::check() const {
  dataset::nyu_classes(classes);
  FW_CHECK(!labeled_mat.empty(), Usage, "labeled_mat is empty; name the file nyu_depth_v2_labeled.mat");
  FW_CHECK(!splits_mat.empty(), Usage, "splits_mat is empty; name the file splits.mat");
  FW_CHECK(!out.empty(), Usage, "out is empty; name the folder to create");
}

void import_nyu(const ImportNyuOptions& options, ThreadPool& pool, const ProgressCallback& progress) {
  const DefaultFloats floats;
  options.check();
  const LabeledMat mat(options.labeled_mat, options.raw_depth);
  const std::vector<Wanted> wanted = read_splits(options.splits_mat, mat.num_frames());
  const dataset::NyuClasses classes = dataset::nyu_classes(options.classes);
  dataset::FolderInProgress folder(options.out);
  for (const char* split : {"train", "test"}) make_folder_within(folder.path(), split);

  // One thread reads (the .mat libraries are not thread-safe) a batch of frames, which are then encoded in parallel.
  const Importer importer(mat, classes, folder.path());
  std::vector<ColumnMajorFrame> batch(static_cast<std::size_t>(pool.num_threads()));
  for (std::size_t done = 0; done < wanted.size();) {
    const std::size_t count = std::min(batch.size(), wanted.size() - done);
    for (std::size_t i = 0; i < count; ++i) importer.read(wanted[done + i], &batch[i]);
    dataset::for_each_in_order_of_failure(pool, count,
                                          [&](std::size_t i, int) { importer.write(wanted[done + i], batch[i]); });
    done += count;
    if (progress) progress(done, wanted.size());
  }
  write_file_atomically(folder.path() / "dataset.toml", NamedBy::kFernwood, classes.toml);
  folder.finish();
}

}  // namespace fernwood::formats
