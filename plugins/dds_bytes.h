// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <dds/ddsi/ddsi_sertype.h>

#include <string>

namespace fernwood::apps {

/// A type whose messages Cyclone DDS sends and delivers as bytes: fernwood encodes and decodes them (src/ros), so that
/// no code is generated for each type, and untrusted bytes are parsed in only one place. A sample is an EncodedMessage.
/// The type has no type information: with it, the discovery in version 0.10 of peers that have some accesses invalid
/// memory.
/// @return  For dds_create_topic_sertype(), which takes ownership.
ddsi_sertype* make_bytes_type(const std::string& type_name);

/// Maximum size of an accepted message, in bytes.
inline constexpr std::size_t kMaxSampleBytes = std::size_t{1} << 28;

}  // namespace fernwood::apps
