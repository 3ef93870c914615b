// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/import_options.h"

namespace fernwood::apps {

void add_import_choices(const dataset::ImportFormat& format, dataset::ImportOptions& options, CLI::App& command) {
  const bool has_topics = format.name == "rosbag";
  const bool has_patterns = format.has(dataset::kChoosesColors);  // of files, not of pictures that something else names
  const char* const word = has_topics ? "TOPIC" : "PATTERN";
  if (format.has(dataset::kChoosesColors))
    command
        .add_option("--colors", options.colors,
                    has_topics ? "Topic of colour; guessed where none is named"
                               : "Where colour pictures are, {} for a frame's name: 'rgb/{}.jpg'")
        ->option_text(word);
  if (format.has(dataset::kChoosesLabels))
    command.add_option("--labels", options.labels, "Where label images or arrays are: 'label/{}.png'")
        ->option_text(word);
  if (format.has(dataset::kChoosesImages))
    command.add_option("--images", options.images, "Folder of the pictures, if they are not beside the annotations")
        ->option_text("DIR");
  if (format.has(dataset::kChoosesDepth))
    command
        .add_option("--depth", options.depth,
                    has_topics     ? "Topic of depth; guessed where none is named"
                    : has_patterns ? "Where depth images or arrays are: 'depth/{}.png'"
                                   : "Where depth is, {} for a picture's name: 'depth/{}.png'")
        ->option_text(word);
  if (format.has(dataset::kChoosesClasses))
    command
        .add_option("--classes", options.classes, "List of the classes: CSV of number and name, JSON, or a name a line")
        ->option_text("FILE");
  if (format.has(dataset::kChoosesBackground))
    command
        .add_option("--background", options.background, "Class of pixels without annotation, which are void otherwise")
        ->option_text("NAME");
  if (format.has(dataset::kChoosesConfidence))
    command
        .add_option("--min-confidence", options.min_confidence,
                    "Depth of less confidence is unknown: 0 (keeps all), 1 or 2")
        ->option_text("N (1)");
  command.add_option("--depth-scale", options.depth_scale_to_mm, "Millimetres per step of depth (1)")->option_text("X");
}

}  // namespace fernwood::apps
