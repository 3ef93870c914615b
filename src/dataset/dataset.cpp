// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/dataset.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/messages.h"
#include "dataset/check/unread_files.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/image_metadata.h"
#include "dataset/files/user_text.h"
#include "dataset/folder_in_progress.h"
#include "dataset/frame_reader.h"
#include "dataset/index_labels.h"
#include "dataset/taught_truth.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/image/camera.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// Whether a name only repeats the colour or the number, for want of another name.
bool is_assumed_name(const image::ClassInfo& info) {
  const std::optional<std::uint32_t> index = index_of(info.color);
  return info.name == class_name_of(info.color) || (index && info.name == std::to_string(*index));
}

/// The class of a model that a class of data is: that of its name or, where one of the two has none, of its colour;
/// else void.
std::uint16_t class_of(const image::ClassInfo& own, const std::vector<image::ClassInfo>& classes) {
  auto found = std::ranges::find(classes, own.name, &image::ClassInfo::name);
  if (found == classes.end()) {
    found = std::ranges::find(classes, own.color, &image::ClassInfo::color);
    if (found != classes.end() && !is_assumed_name(own) && !is_assumed_name(*found)) found = classes.end();
  }
  return found == classes.end() ? image::kVoid : static_cast<std::uint16_t>(found - classes.begin());
}

/// Colours that the user ignores stay ignored, even if a model has them as classes.
image::ClassMap with_ignored(image::ClassMap classes, const DatasetConfig& config, const DatasetOptions& options) {
  for (const auto* more : {&config.ignored_colors, &options.ignored_colors})
    classes.void_colors.insert(classes.void_colors.end(), more->begin(), more->end());
  if (config.labels != LabelEncoding::kIndex) return classes;
  classes.void_colors.push_back(kIgnoredIndexColor);
  const image::Rgb last = index_color(255);
  const bool is_class = std::ranges::find(classes.classes, last, &image::ClassInfo::color) != classes.classes.end();
  if (!is_class && !config.ignore_index && config.classes.empty()) classes.void_colors.push_back(last);
  return classes;
}

/// Labels of the data's colours: those of its listed classes first, then those of `classes`.
ColorLookup lookup_in(const image::ClassMap& classes, const Dataset& dataset, const DatasetOptions& options) {
  const DatasetConfig& config = dataset.config();
  const image::ClassMap own = make_class_map(config, options.ignored_colors, {});
  std::vector<std::pair<image::Rgb, std::uint16_t>> first;
  bool has_known = config.classes.empty() || config.classes == classes.classes;
  if (!has_known)
    for (const image::ClassInfo& info : own.classes) {
      first.emplace_back(info.color, class_of(info, classes.classes));
      has_known |= first.back().second != image::kVoid;
    }
  FW_CHECK(has_known, Data,
           dataset.folder().string() << ": none of its classes, " << to_string(own.classes)
                                     << ", is one of the model, which has " << to_string(classes.classes)
                                     << "; name them as the model does");
  return ColorLookup(with_ignored(classes, config, options), first);
}

Dataset::Scan count_known(const Dataset& dataset, ThreadPool& pool, const image::ClassMap& classes,
                          Communicator* ranks) {
  // [worker][class], void last. Sums of whole numbers do not depend on which thread counted which frame.
  std::vector<std::vector<std::uint64_t>> counts(static_cast<std::size_t>(pool.num_threads()),
                                                 std::vector<std::uint64_t>(classes.size() + 1));
  const Deal own = strided_share(ranks);
  for_each_in_order_of_failure(pool, own.count_of(dataset.size()), [&](std::size_t i, int worker) {
    std::vector<std::uint64_t>& mine = counts[static_cast<std::size_t>(worker)];
    const image::LabelImage labels = dataset.read_labels(own.number(i), classes);
    for (const std::uint16_t label : labels)
      if (label != image::kVoid) ++mine[label];
    mine.back() +=
        static_cast<std::uint64_t>(std::ranges::count(labels, image::kVoid));  // most pixels, if truth is strokes
  });
  std::vector<std::uint64_t> all;  // over all threads and ranks
  for (const std::vector<std::uint64_t>& mine : counts) all.insert(all.end(), mine.begin(), mine.end());
  all = join_shares(std::move(all), ranks, classes.size() + 1);
  Dataset::Scan scan{classes, std::vector<std::uint64_t>(classes.size())};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t c = i % (classes.size() + 1);
    (c < classes.size() ? scan.class_pixels[c] : scan.void_pixels) += all[i];
  }
  return scan;
}

Dataset::Scan to_scan(image::ClassMap classes, const std::vector<ColorCount>& found, const fs::path& folder) {
  FW_CHECK(classes.size() > 0, Data,
           folder.string() << ": the ground truth has no labelled pixel, all are void (black or ignored); label some "
                              "pixels, for example in fernwood teach");
  Dataset::Scan scan{std::move(classes), {}};
  scan.warnings = discovery_warnings(scan.classes, found, folder);
  const ColorLookup lookup(scan.classes);
  scan.class_pixels.resize(scan.classes.size());
  for (const ColorCount& count : found) {
    const std::uint16_t label = lookup.find(count.color).value_or(image::kVoid);
    (label == image::kVoid ? scan.void_pixels : scan.class_pixels[label]) += count.num_pixels;
  }
  return scan;
}

Dataset::ColorRuns runs_of(const Array2<image::Rgb>& colors) {
  Dataset::ColorRuns truth{colors.rows(), colors.cols()};
  for (const image::Rgb color : colors)
    if (truth.runs.empty() || truth.runs.back().first != color)
      truth.runs.emplace_back(color, 1u);
    else
      ++truth.runs.back().second;
  truth.runs.shrink_to_fit();  // all frames' runs are held at the same time
  return truth;
}

/// @param lookup  Must have all colours, as that of classes found in this ground truth.
image::LabelImage labels_of(const Dataset::ColorRuns& truth, const ColorLookup& lookup) {
  image::LabelImage labels(truth.rows, truth.cols);
  std::uint16_t* out = labels.data();
  for (const auto& [color, num_pixels] : truth.runs)
    out = std::fill_n(out, num_pixels, lookup.find(color).value_or(image::kVoid));
  return labels;
}

/// [frame] A number for the folder, that is the recording, of each frame; empty if all frames are in one.
std::vector<std::uint32_t> groups_by_recording(const std::vector<FrameFiles>& frames) {
  std::vector<std::uint32_t> groups;
  fs::path last;
  for (const FrameFiles& files : frames) {
    const fs::path own = (files.color.empty() ? files.depth : files.color).parent_path();
    groups.push_back(groups.empty() ? 0 : groups.back() + (own == last ? 0 : 1));
    last = own;
  }
  return groups.empty() || groups.back() == 0 ? std::vector<std::uint32_t>{} : groups;
}

/// Frames with the maps of an encoder.
class EncodedFrames final : public DatasetFrames {
 public:
  EncodedFrames(std::shared_ptr<const DatasetFrames> frames, std::shared_ptr<const encoder::Encoder> encoder)
      : frames_(std::move(frames)), encoder_(std::move(encoder)) {}

  image::Frame read_frame(std::size_t number, const image::FrameContent& content) const override {
    image::Frame frame = frames_->read_frame(number, {content.color, content.depth});
    frame.maps = encoder_->encode(frame);
    FW_CHECK(frame.maps.num_maps == content.num_maps, Data,
             "the encoder " << encoder_->info().name << " gives " << frame.maps.num_maps << " maps for a frame and "
                            << content.num_maps << " for the first one; it must give all frames the same maps");
    return frame;
  }
  image::LabelImage read_labels(std::size_t number, const image::ClassMap& classes,
                                const ColorLookup& lookup) const override {
    return frames_->read_labels(number, classes, lookup);
  }
  bool has_instances(std::size_t number) const override { return frames_->has_instances(number); }
  image::InstanceImage read_instances(std::size_t number) const override { return frames_->read_instances(number); }
  FrameSize size(std::size_t number) const override { return frames_->size(number); }
  std::optional<image::Camera> camera(std::size_t number) const override { return frames_->camera(number); }
  void add_depths(std::size_t number, DepthHistogram& depths) const override { frames_->add_depths(number, depths); }

 private:
  std::shared_ptr<const DatasetFrames> frames_;
  std::shared_ptr<const encoder::Encoder> encoder_;
};

constexpr std::size_t kSampledHeaders = 200, kSampledFrames = 5;

}  // namespace

Dataset Dataset::open(const fs::path& folder, const DatasetOptions& options, const std::string& split_hint) {
  const DefaultFloats floats;
  Dataset dataset;
  dataset.folder_ = find_frame_folder(folder, split_hint);
  dataset.options_ = options;
  const FolderListing listing = list_folder(dataset.folder_);
  dataset.config_ = read_folder_config(dataset.folder_, listing.frames);
  dataset.truth_problem_ = dataset::truth_problem(dataset.folder_);
  if (options.needs_truth) dataset.check_truth_is_current();
  const UnreadFiles unread(dataset.folder_, listing, options.needs_truth);
  const std::vector<MissingPartner> missing = missing_partners(listing.frames, options.needs_truth);
  FW_CHECK(missing.empty(), Data, sentence(dataset.folder_, missing.front(), unread.note_on(missing.front())));
  for (const DatasetProblem& problem : unread.problems(folder, dataset.config_))
    dataset.folder_warnings_.push_back(problem.message.on_command_line());
  try {
    std::string assumed = settle_labels(dataset.folder_, listing.frames, &dataset.config_);
    if (options.needs_truth && !assumed.empty()) dataset.folder_warnings_.push_back(std::move(assumed));
  } catch (const Error& error) {
    if (options.needs_truth) throw;
    dataset.folder_warnings_.push_back(error.what());
  }
  for (std::string& assumed : depth_notes(dataset.folder_, listing.frames.front(), dataset.config_))
    dataset.folder_warnings_.push_back(std::move(assumed));
  for (std::string& warning : camera_warnings(dataset.config_, dataset.folder_, listing.frames.front()))
    dataset.folder_warnings_.push_back(std::move(warning));
  const FrameFiles& first = listing.frames.front();
  dataset.content_ = {!first.color.empty(), !first.depth.empty(),
                      first.maps.empty() ? 0 : read_maps(first.maps).num_maps};
  std::vector<FrameFiles> frames = take_evenly(listing.frames, options.max_frames);
  if (!dataset.truth_problem_.empty())
    for (FrameFiles& files : frames) files.truth.clear(), files.instances.clear();
  dataset.set_files(std::move(frames));
  dataset.frames_ = frames_in_files(dataset.folder_, dataset.files_, dataset.config_);
  return dataset;
}

void Dataset::check_truth_is_current() const { FW_CHECK(truth_problem_.empty(), Data, truth_problem_); }

void Dataset::set_files(std::vector<FrameFiles> files) {
  numbers_.resize(files.size());
  std::iota(numbers_.begin(), numbers_.end(), 0u);
  files_ = std::make_shared<const std::vector<FrameFiles>>(std::move(files));
}

Dataset Dataset::with_encoder(std::shared_ptr<const encoder::Encoder> encoder) const {
  FW_CHECK(!has_maps(), Usage,
           folder_.string() << ": the frames have maps already, which those of the encoder " << encoder->info().name
                            << " would replace; leave out one of them");
  Dataset encoded = *this;
  encoded.encoder_ = encoder->info();
  encoded.content_.num_maps = encoder->encode(read_frame(0)).num_maps;
  encoded.frames_ = std::make_shared<EncodedFrames>(frames_, std::move(encoder));
  return encoded;
}

Dataset Dataset::with_frames(const std::vector<std::uint32_t>& frames) const {
  Dataset some = *this;
  some.numbers_.clear();
  for (const std::uint32_t frame : frames) some.numbers_.push_back(numbers_[frame]);
  return some;
}

std::vector<std::string> Dataset::names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size(); ++i) names.push_back(files(i).name);
  return names;
}

std::vector<FrameFiles> Dataset::files_of_all() const {
  std::vector<FrameFiles> all;
  for (const std::uint32_t number : numbers_) all.push_back((*files_)[number]);
  return all;
}

Dataset Dataset::from_memory(std::shared_ptr<const InMemoryFrames> supply) {
  supply->check();
  Dataset dataset;
  dataset.folder_ = supply->name;
  dataset.config_ = supply->config;
  dataset.groups_ = supply->groups;
  dataset.depth_origin_ = supply->depth_origin;
  dataset.encoder_ = supply->encoder;
  std::vector<FrameFiles> frames(supply->num_frames);
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i].name = supply->frame_name(i);
  dataset.set_files(std::move(frames));
  const image::Frame first = supply->frame(0);
  dataset.content_ = {!first.color.empty(), !first.depth_mm.empty(), first.maps.num_maps};
  FW_CHECK(dataset.has_color() || dataset.has_depth(), Usage,
           supply->name << ": the first frame has neither colour nor depth; use one of them");
  DatasetConfig config = dataset.config_;
  if (!config.camera) config.camera = first.camera;
  dataset.folder_warnings_ = camera_warnings(config, supply->name, {first.rows(), first.cols()});
  dataset.config_.camera_origin = supply->name;
  dataset.frames_ = std::move(supply);
  return dataset;
}

image::Frame Dataset::read_frame(std::size_t index) const {
  const DefaultFloats floats;
  return frames_->read_frame(numbers_[index], content_);
}

std::optional<image::Camera> Dataset::camera() const {
  if (config_.camera) return config_.camera;
  if (!config_.frame_cameras.empty()) return config_.frame_cameras.begin()->second;
  return numbers_.empty() ? std::nullopt : frames_->camera(numbers_.front());
}

std::string Dataset::camera_text() const {
  std::vector<std::optional<image::Camera>> cameras;
  for (std::size_t i = 0; i < size(); ++i) {
    cameras.push_back(frames_->camera(numbers_[i]));
    if (!cameras.back()) cameras.back() = config_.camera_of(files(i).name);
  }
  return describe_cameras(cameras, config_.camera_origin);
}

std::string Dataset::camera_note(const image::Preparation& preparation) const {
  // Without geometry the camera is not asked for: in memory, a frame may have to be created for it.
  if (!preparation.channels.needs_geometry()) return "";
  return image::camera_note(preparation, camera().has_value(), folder_.string());
}

std::vector<std::string> Dataset::file_warnings() const {
  std::vector<std::string> warnings = folder_warnings_;
  const std::vector<FrameFiles> frames = files_of_all();
  std::vector<fs::path> sampled;
  for (const FrameFiles& frame : take_evenly(frames, kSampledHeaders))
    sampled.insert(sampled.end(), {frame.color, frame.truth});
  if (auto warning = orientation_warning(folder_.string(), sampled)) warnings.push_back(std::move(*warning));
  std::ranges::copy(transparency_notes(folder_, frames, config_), std::back_inserter(warnings));
  return warnings;
}

std::vector<std::string> Dataset::input_warnings() const {
  std::vector<std::string> warnings = file_warnings();
  if (!has_depth() || size() == 0) return warnings;
  DepthHistogram depths(depth_origin_, depth_step_mm({files(0)}, config_), config_.depth_missing);
  const std::size_t num_sampled = std::min(size(), kSampledFrames);
  for (std::size_t i = 0; i < num_sampled; ++i) {
    try {
      frames_->add_depths(numbers_[i * (size() - 1) / std::max<std::size_t>(1, num_sampled - 1)], depths);
    } catch (const Error&) {  // reported when the frame is read
    }
  }
  if (std::string note = depths.note(folder_.string()); !note.empty()) warnings.push_back(std::move(note));
  return warnings;
}

image::LabelImage Dataset::read_labels(std::size_t index, const image::ClassMap& classes) const {
  return frames_->read_labels(numbers_[index], classes, lookup_in(classes, *this, options_));
}

bool Dataset::has_instances() const {
  for (std::size_t i = 0; i < size(); ++i)
    if (has_instances(i)) return true;
  return false;
}

image::InstanceImage Dataset::read_instances(std::size_t index) const {
  FW_CHECK(has_instances(index), Data,
           (folder_ / files(index).name).string()
               << ": the frame has no instance truth (" << files(index).name << "_instances.png is missing); add it");
  return frames_->read_instances(numbers_[index]);
}

std::vector<std::string> Dataset::class_warnings(ThreadPool& pool, const image::ClassMap& classes,
                                                 Communicator* ranks) const {
  // A map of only the classes that the model lacks: pixels of all others are void.
  image::ClassMap unknown;
  for (const image::ClassInfo& info : make_class_map(config_, options_.ignored_colors, {}).classes)
    if (class_of(info, classes.classes) == image::kVoid) unknown.classes.push_back(info);
  if (unknown.classes.empty()) return {};
  for (const image::ClassInfo& info : classes.classes) unknown.void_colors.push_back(info.color);
  unknown.void_colors.insert(unknown.void_colors.end(), classes.void_colors.begin(), classes.void_colors.end());
  std::vector<std::uint32_t> labelled;
  for (std::uint32_t i = 0; i < size(); ++i)
    if (is_in_memory() || !files(i).truth.empty()) labelled.push_back(i);
  const std::vector<std::uint64_t> pixels = count_known(with_frames(labelled), pool, unknown, ranks).class_pixels;
  std::vector<image::ClassInfo> found;
  std::uint64_t num_pixels = 0;
  for (std::size_t c = 0; c < unknown.size(); num_pixels += pixels[c++])
    if (pixels[c] > 0) found.push_back(unknown.classes[c]);
  if (found.empty()) return {};
  return {folder_.string() + ": the model has no class " + to_string(found) + "; these " + std::to_string(num_pixels) +
          " pixels count as void"};
}

Dataset::Scan Dataset::scan_truth(ThreadPool& pool, const image::ClassMap* known, Communicator* ranks) const {
  if (known != nullptr) return count_known(*this, pool, *known, ranks);
  if (!config_.classes.empty())
    return count_known(*this, pool, make_class_map(config_, options_.ignored_colors, {}), ranks);
  return discover_classes(pool, ranks, nullptr);
}

Dataset::FoundClasses Dataset::find_classes(ThreadPool& pool, Communicator* ranks) const {
  if (!config_.classes.empty()) return {make_class_map(config_, options_.ignored_colors, {})};
  FoundClasses found;
  found.truth.resize(strided_share(ranks).count_of(size()));
  Scan scan = discover_classes(pool, ranks, &found.truth);
  found.classes = std::move(scan.classes);
  found.warnings = std::move(scan.warnings);
  return found;
}

Dataset::Scan Dataset::discover_classes(ThreadPool& pool, Communicator* ranks, std::vector<ColorRuns>* truth) const {
  const Deal own = strided_share(ranks);
  std::vector<std::vector<ColorCount>> of_frame(own.count_of(size()));
  for_each_in_order_of_failure(pool, of_frame.size(), [&](std::size_t i, int) {
    const FrameFiles& frame = files(own.number(i));
    const Array2<image::Rgb> colors = read_truth_of(folder_, frame, config_);
    of_frame[i] = count_colors(colors, config_.labels == LabelEncoding::kColors);
    check_few_colors(of_frame[i], frame.truth);
    if (truth) (*truth)[i] = runs_of(colors);
  });
  std::vector<ColorCount> of_own, found;
  for (const std::vector<ColorCount>& counts : of_frame) {
    add_counts(counts, &of_own);
    check_few_colors(of_own, folder_);
  }
  add_counts(join_shares(std::move(of_own), ranks), &found);
  check_few_colors(found, folder_);
  const BlendFinding blends = judge_blends(found);
  FW_CHECK(!blends.is_error, Data, folder_.string() << ": " << blends.sentence);
  return to_scan(make_class_map(config_, options_.ignored_colors, found), found, folder_);
}

std::vector<std::uint32_t> Dataset::groups(bool needs_all) const {
  if (is_in_memory()) {
    std::vector<std::uint32_t> groups;
    if (!groups_.empty())
      for (const std::uint32_t number : numbers_) groups.push_back(groups_[number]);
    return groups;
  }
  const std::filesystem::path path = folder_ / "groups.txt";
  if (!std::filesystem::exists(path)) return groups_by_recording(files_of_all());
  return parse_groups(read_user_text(path), path, names(), needs_all);
}

Dataset::Content Dataset::read_all(ThreadPool& pool, FoundClasses found, Communicator* ranks,
                                   const std::function<void(std::size_t index, LabelledFrame frame)>& keep) const {
  struct FrameContent {
    std::uint64_t rows, cols, color, depth, labels, others;
  };
  const auto checksum_of = [](const auto& image) {
    return checksum(image.data(), image.size() * sizeof(*image.data()));
  };
  // 0 for a frame that has only images, so that additions here do not change the checksums of other frames.
  const auto others_of = [&](const image::Frame& frame) {
    const std::uint64_t up = frame.up == config_.up ? 0 : checksum(&frame.up, sizeof frame.up);
    const image::SuppliedMaps& maps = frame.maps;
    const std::array<std::uint64_t, 4> of_maps = {maps.num_maps, maps.rows, maps.cols,
                                                  checksum(maps.values.data(), maps.values.size() * sizeof(float))};
    return maps.empty() ? up : up + checksum(of_maps.data(), sizeof of_maps);
  };
  const ColorLookup lookup = lookup_in(found.classes, *this, options_);
  const std::size_t num_classes = found.classes.size();
  const Deal own = strided_share(ranks);
  std::vector<FrameContent> contents(own.count_of(size()));
  std::vector<std::uint64_t> class_pixels(contents.size() * num_classes);
  for_each_in_order_of_failure(pool, contents.size(), [&](std::size_t i, int) {
    image::Frame frame = read_frame(own.number(i));
    image::LabelImage labels = found.truth.empty() ? read_labels(own.number(i), found.classes)
                                                   : labels_of(std::exchange(found.truth[i], {}), lookup);
    contents[i] = {frame.rows(),        frame.cols(),    checksum_of(frame.color), checksum_of(frame.depth_mm),
                   checksum_of(labels), others_of(frame)};
    std::vector<std::uint64_t> counts(num_classes);
    for (const std::uint16_t label : labels)
      if (label != image::kVoid) ++counts[label];
    std::ranges::copy(counts, class_pixels.begin() + static_cast<std::ptrdiff_t>(i * num_classes));
    if (keep) keep(own.number(i), {std::move(frame), std::move(labels)});
  });
  contents = join_dealt(std::move(contents), ranks);
  class_pixels = join_dealt(std::move(class_pixels), ranks, std::max<std::size_t>(1, num_classes));
  Content content{checksum(contents.data(), contents.size() * sizeof(FrameContent)), {size(), num_classes}};
  std::ranges::copy(class_pixels, content.class_pixels.begin());
  return content;
}

std::uint64_t Dataset::listing_checksum() const {
  std::string listing;
  for (const FrameFiles& files : files_of_all()) {
    listing += files.name;
    const auto add = [&](const fs::path& path) {
      std::error_code ignored;  // reported when the file is read
      listing += "\n" + (path.empty() ? "" : std::to_string(fs::file_size(path, ignored)));
    };
    for (const fs::path& path : {files.color, files.depth, files.truth, files.up}) add(path);
    if (!files.maps.empty()) add(files.maps);
  }
  if (encoder_) listing += "\n" + encoder_->checksum;
  return checksum(listing.data(), listing.size());
}

}  // namespace fernwood::dataset
