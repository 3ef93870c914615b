// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// TartanAir: sequences of simulated flights, of both versions.

#include <algorithm>
#include <bit>

#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "formats/import/annotations.h"
#include "formats/import/formats.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

namespace {

/// Location of a sequence's frames in one version of the data set.
struct FlightForm {
  const char* folder;  ///< Contained in each sequence.
  const char *colors, *depths, *labels;
  image::Camera camera;
  bool has_packed_depth;  ///< The four bytes of a float are the channels of an image.
};

constexpr FlightForm kFlightForms[] = {{"image_left",
                                        "image_left/{}_left.png",
                                        "depth_left/{}_left_depth.npy",
                                        "seg_left/{}_left_seg.npy",
                                        {640, 480, 320, 320, 320, 240},
                                        false},
                                       {"image_lcam_front",
                                        "image_lcam_front/{}_lcam_front.png",
                                        "depth_lcam_front/{}_lcam_front_depth.png",
                                        "seg_lcam_front/{}_lcam_front_seg.png",
                                        {640, 640, 320, 320, 320, 320},
                                        true}};

/// A simulated environment; numbers of labels have the same meaning only within one environment.
struct Environment {
  std::string name;
  std::map<std::uint32_t, std::string> names = {};  ///< [number]
  bool is_named = false;                            ///< By seg_label_map.json; else by the numbers found.
};

/// Depth in metres, whose bytes are in the order blue, green, red, alpha, as OpenCV writes them.
Array2<std::uint16_t> read_packed_depth(const fs::path& file) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  const dataset::ImageHeader header = dataset::inspect_image(file, bytes);
  FW_CHECK(header.is_png && !header.is_palette && header.bits == 8 && header.num_channels == 4, Data,
           file.string() << ": the depth image has " << dataset::kind_text(header)
                         << ", and that of TartanAir has 8 bits and 4 channels, a float for each pixel; unpack it "
                            "again, or import folders");
  Array2<std::uint32_t> pixels(header.height, header.width);
  dataset::decode_png_rgba(file, bytes, header, &pixels);
  Array2<std::uint16_t> depth_mm(pixels.rows(), pixels.cols());
  std::ranges::transform(pixels, depth_mm.begin(), [](std::uint32_t rgba) {
    const std::uint32_t red = rgba & 255, blue = rgba >> 16 & 255;
    return image::to_depth_mm(std::bit_cast<float>((rgba & 0xff00ff00u) | red << 16 | blue));
  });
  return depth_mm;
}

/// The folder of a sequence's environment: the nearest parent that is not a level or a number, such as Easy/P000.
fs::path environment_of(const fs::path& sequence) {
  fs::path folder = full_path(sequence);
  const auto is_level = [](const std::string& name) {
    const bool is_number = name.size() > 1 && name[0] == 'P' &&
                           std::ranges::all_of(name.substr(1), [](char c) { return c >= '0' && c <= '9'; });
    return is_number || name == "Easy" || name == "Hard" || name.starts_with("Data_");
  };
  while (folder.has_relative_path() && is_level(folder.filename().string())) folder = folder.parent_path();
  return folder;
}

Environment read_environment(const fs::path& folder) {
  Environment environment{folder.filename().string()};
  const fs::path file = folder / "seg_label_map.json";
  if (!fs::exists(file)) return environment;
  const dataset::DatasetConfig listed = read_class_list(file).config;
  for (std::size_t c = 0; c < listed.classes.size(); ++c)
    environment.names.emplace(listed.class_indices[c], listed.classes[c].name);
  environment.is_named = true;
  return environment;
}

using Environments = std::map<fs::path, Environment>;

/// The labels of a frame, with the environment that defines their numbers.
struct FlightLabels {
  std::size_t frame;
  fs::path file, environment;
};

void add_flight(const fs::path& root, const fs::path& sequence, const FlightForm& form, ImportPlan& plan,
                std::vector<FlightLabels>& labels) {
  const std::size_t first = plan.frames.size();
  const fs::path relative = sequence.lexically_relative(root);
  std::string group = relative == "." ? folder_name(root) : relative.generic_string();
  std::ranges::replace(group, '/', '_');
  add_sequence(group, files_if_any(sequence, {form.colors}), files_if_any(sequence, {form.depths}), plan);
  const dataset::FilesByName files = files_if_any(sequence, {form.labels});
  const fs::path environment = environment_of(sequence);
  for (std::size_t i = first; i < plan.frames.size(); ++i) {
    ImportedFrame& frame = plan.frames[i];
    frame.camera = form.camera;
    if (form.has_packed_depth && !frame.depth.empty())
      frame.read_depth_mm = [file = frame.depth] { return read_packed_depth(file); };
    const auto file = files.find(frame.name.substr(group.size() + 1));
    if (file != files.end()) labels.push_back({i, file->second, environment});
  }
}

/// For labels without names, the numbers that occur.
Environments environments_of(const std::vector<FlightLabels>& labels) {
  Environments environments;
  for (const FlightLabels& own : labels) {
    const auto found = environments.find(own.environment);
    Environment& environment =
        found != environments.end()
            ? found->second
            : environments.emplace(own.environment, read_environment(own.environment)).first->second;
    if (environment.is_named) continue;
    labels_by_number(own.file, [&](std::uint32_t number) {
      environment.names.emplace(number, "class " + std::to_string(number));
      return image::kVoid;
    });
  }
  return environments;
}

void name_flight_classes(const std::vector<FlightLabels>& labels, const Environments& environments, ImportPlan& plan) {
  const auto num_unnamed = std::ranges::count_if(environments, [](const auto& of) { return !of.second.is_named; });
  ClassNames names;
  std::map<fs::path, std::map<std::uint32_t, std::uint16_t>> classes;
  for (const auto& [folder, environment] : environments)
    for (const auto& [number, name] : environment.names)
      classes[folder][number] =
          names.add(environment.is_named || environments.size() == 1 ? name : environment.name + " " + name);
  plan.config.classes = names.classes();
  for (const FlightLabels& own : labels)
    plan.frames[own.frame].truth = [file = own.file, of = classes[own.environment]](const dataset::FrameSize&) {
      return labels_by_number(file, [&](std::uint32_t number) {
        const auto found = of.find(number);
        return found == of.end() ? image::kVoid : found->second;
      });
    };
  if (num_unnamed > 0)
    plan.notes.push_back("seg_label_map.json is not in " + std::to_string(num_unnamed) + " of " +
                         std::to_string(environments.size()) +
                         " environments, so classes are called by their number, which means something within one "
                         "environment only");
}

}  // namespace

ImportPlan plan_tartanair(const ImportOptions& options) {
  ImportPlan plan;
  std::vector<FlightLabels> labels;
  for (const FlightForm& form : kFlightForms)
    for (const fs::path& sequence : folders_with(options.in, form.folder))
      add_flight(options.in, sequence, form, plan, labels);
  check_found(plan, options.in,
              "sequences such as ENV/Easy/P000 with image_left/, depth_left/ and seg_left/, or ENV/Data_easy/P000 with "
              "image_lcam_front/, depth_lcam_front/ and seg_lcam_front/");
  name_flight_classes(labels, environments_of(labels), plan);
  settle_names(options.in, plan.frames);
  return plan;
}

}  // namespace fernwood::formats
