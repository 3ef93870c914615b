// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <dds/ddsi/ddsi_sertype.h>

#include <string>

namespace fernwood::apps {

/// A type of messages that Cyclone DDS sends and delivers as they are: fernwood codes and decodes them (src/ros), so
/// that no code is generated for each type, and what strangers send is looked at by one reader only. A sample is an
/// EncodedMessage. Without type information, for which 0.10 is not safe: its discovery of peers that have some ends in
/// memory that is not its own.
/// @return  To be given to dds_create_topic_sertype(), which owns it then.
ddsi_sertype* make_bytes_type(const std::string& type_name);

/// Most bytes of a message that is accepted.
inline constexpr std::size_t kMostSampleBytes = std::size_t{1} << 28;

}  // namespace fernwood::apps
