// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/core/file.h"

namespace fernwood::apps {

/// The files of a run, by the options that name them; paths of options that are not given are empty.
struct CommandFiles {
  std::vector<NamedPath> reads, writes;
  std::vector<NamedPath> opens = {};  ///< Also written, but checked where the work opens them, such as a video.
};

/// Sets the files that are read whatever the command is, such as that of --config: the checks below count them as
/// inputs.
void set_common_inputs(std::vector<NamedPath> inputs);
/// Sets the rule of the checks below.
void set_input_rule(InputRule is_read);
InputRule input_rule();
/// These inputs, as the checks below count them.
std::vector<NamedPath> all_inputs(std::vector<NamedPath> inputs);
/// As in core. An input named - is standard input, which may be a file.
void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);
/// Checks before the work that the files can be written and replace no input, and locks them.
std::vector<OutputLock> claim_outputs(const CommandFiles& files);

/// The file or folder of a source of frames: "room.mcap" of "mcap:room.mcap?color=/rgb".
std::filesystem::path path_of_source(const std::string& source);

}  // namespace fernwood::apps
