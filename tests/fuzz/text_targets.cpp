// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <sstream>

#include "dataset/dataset_folder.h"
#include "dataset/poses.h"
#include "fernwood/core/parallel.h"
#include "fuzz/target.h"
#include "recordings/source/recording.h"

namespace fernwood::fuzz {

using namespace std::string_literals;

int fuzz_dataset_toml(const std::uint8_t* data, std::size_t size) {
  reads([&] { dataset::parse_dataset_config(text_of(data, size), "dataset.toml"); });
  return 0;
}

std::vector<Bytes> dataset_toml_seeds() {
  return {bytes_of("name = \"rooms\"\nbackground = \"floor\"\ndepth_scale = 0.2\ndepth_missing = 7\nup = [0, -1, 0.5]\n"
                   "ignored_colors = [[255, 255, 255]]\nsensor = \"kinect\"\n"
                   "classes = [{name = \"floor\", color = [7, 54, 66]}, {name = 'prop', color = [181, 137, 0]}]\n"),
          bytes_of("[[classes]]\nname = \"\"\"a\nb\"\"\" # it's\ncolor = [0x10, 0b1, 1_0]\n"
                   "[camera]\nwidth = 640\nheight = 480\nfx = 525\nfy = 5.25e2\ncx = 319.5\ncy = 239.5\n")};
}

int fuzz_lists(const std::uint8_t* data, std::size_t size) {
  const std::string text(text_of(data, size));
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const std::string first = text.substr(0, cut), second = cut < text.size() ? text.substr(cut + 1) : "";
  reads([&] { dataset::parse_groups(first, "groups.txt", {"a", "b"}); });
  reads([&] { dataset::parse_frame_cameras(first, "frame_cameras.txt"); });
  reads([&] { dataset::parse_up(first, "a_up.txt"); });
  reads([&] { dataset::parse_times("times.txt", first); });
  reads([&] { dataset::parse_frame_poses("poses.txt", first); });
  reads([&] { dataset::parse_trajectory("groundtruth.txt", first); });
  reads([&] {
    const recordings::Recording recording = recordings::associate_tum("folder", first, second);
    for (const recordings::RecordedFrame& frame : recording.frames)
      for (const std::filesystem::path& path : {frame.color, frame.depth})
        law(*path.begin() == "folder" && std::find(path.begin(), path.end(), "..") == path.end(),
            "an image is outside of its recording");
  });
  return 0;
}

std::vector<Bytes> list_seeds() {
  return {bytes_of("# frame group\na room1\nb room2\n"), bytes_of("0 -1 0.5\n"),
          bytes_of("# time path\n1.5 rgb/1.png\n1.53 rgb/2.png\n\0"
                   "1.501 depth/a.png\n1.54 depth/b.png\n"s),
          bytes_of("a 0\nb 0.033\n"), bytes_of("# name\na 1 2 3 0 0 0 1\nb 1 0 0 4 0 1 0 5 0 0 1 6\n")};
}

}  // namespace fernwood::fuzz
