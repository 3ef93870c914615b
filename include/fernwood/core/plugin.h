// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Parts that need large libraries (windows, video, cameras, .mat files, MPI) are plug-ins: separate files
// fernwood_NAME.so, loaded when first needed, so that the program starts fast and runs without those libraries. They
// are searched for in part_folders("plugins") of fernwood/core/machine.h.
//
// A plug-in is compiled with the headers of the same version of fernwood, and exports with C linkage:
//     const char* fernwood_plugin_version();   // BuildInfo::plugin_version of the fernwood it was compiled with
// and, if it provides a kind of source NAME: for open_source(),
//     FrameSource* fernwood_open_source(const char* place, const SourceOptions* options);   // owned by the caller
// The exports of the MPI plug-in are described in src/core/messages.h, those of the plug-in for .mat files in
// src/formats/import/mat_file.h, and those of the plug-in for ROS recordings in src/recordings/bag/bag_file.h.

#include <string>
#include <vector>

namespace fernwood {

/// Address of a function of a plug-in; null if the plug-in is not installed.
/// @param plugin  Name of letters, digits and _; plug-ins with other names are never found.
/// @throws Error(kRuntime) if the plug-in exists but cannot be loaded, has another version or lacks the function.
void* find_plugin_function(const std::string& plugin, const char* function);

/// Names of the installed plug-ins that have a function, sorted. Loads them, and omits those that cannot be loaded.
std::vector<std::string> plugins_with(const char* function);

/// find_plugin_function() with a typed result. @tparam Function  Type of the function, which must match the plug-in's.
template <typename Function>
Function* find_plugin(const std::string& plugin, const char* function) {
  return reinterpret_cast<Function*>(find_plugin_function(plugin, function));
}

}  // namespace fernwood
