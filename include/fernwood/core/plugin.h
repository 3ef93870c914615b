// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Parts that need large libraries (windows, video, cameras, .mat files, MPI) are files of their own, fernwood_NAME.so,
// loaded when they are first needed, so that the program starts fast and runs without those libraries. They are looked
// for in the folder that the environment variable FERNWOOD_PLUGINS names, in ../lib/fernwood/plugins beside the
// program's, and in fernwood/plugins beside the library that this code is part of.
//
// A plug-in is compiled with the headers of the same version of fernwood, and exports with C names:
//     const char* fernwood_plugin_version();   // BuildInfo::plugin_version of what it was compiled with
// and, if it brings a kind of source NAME: for open_source(),
//     FrameSource* fernwood_open_source(const char* place, const SourceOptions* options);   // owned by the caller
// That of MPI exports what src/core/messages.h says, that of .mat files what src/dataset/import/mat_reader.h says,
// that of recordings of ROS what src/dataset/bag/bag_plugin.h says.

#include <string>
#include <vector>

namespace fernwood {

/// Where a function of a plug-in is; null when no such plug-in is there.
/// @param plugin  Letters, digits and _ only, else it is not there.
/// @throws Error(kRuntime) when it is there but cannot be loaded, is of another version or lacks the function.
void* find_plugin_function(const std::string& plugin, const char* function);

/// Names of the plug-ins that are there and have a function, sorted. Loads them; those that cannot be are left out.
std::vector<std::string> plugins_with(const char* function);

/// The same as a function; `Function` is its type, which the plug-in must agree on.
template <typename Function>
Function* find_plugin(const std::string& plugin, const char* function) {
  return reinterpret_cast<Function*>(find_plugin_function(plugin, function));
}

}  // namespace fernwood
