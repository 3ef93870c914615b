// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

namespace fernwood::apps {

/// Occupies those of the descriptors 0 to 2 that the caller left closed, so that no file that is opened later becomes
/// standard output and is printed into. Reading and writing them still fails, as of a closed stream.
void reserve_standard_streams();

/// Hands over what was printed. @throws Error when standard output did not take all of it: kResource for a full disk,
/// kRuntime otherwise.
void check_standard_output();

}  // namespace fernwood::apps
