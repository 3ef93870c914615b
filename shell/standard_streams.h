// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

namespace fernwood::apps {

/// Opens those of the descriptors 0 to 2 that the caller left closed, so that no file opened later becomes standard
/// output. Reading and writing them still fails, as on a closed stream.
void reserve_standard_streams();

/// Flushes standard output. @throws Error when not everything could be written: kResource for a full disk, kRuntime
/// otherwise.
void check_standard_output();

}  // namespace fernwood::apps
