// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

#include "fernwood/image/frame.h"

namespace fernwood::apps {

/// A single frame given by its files instead of a folder.
struct SingleFrame {
  std::filesystem::path color, depth, maps;

  void add_options(CLI::App& command);
  bool is_given() const { return !color.empty() || !depth.empty() || !maps.empty(); }
  const std::filesystem::path& name_giver() const { return color.empty() ? depth : color; }
  /// The images it has, for predict::check_images(). @throws Error as read_maps() does.
  image::FrameContent content() const;
  /// @throws Error as reading its files does.
  image::Frame read() const;
};

}  // namespace fernwood::apps
