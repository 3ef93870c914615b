// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/search/search.h"

namespace fernwood::apps {

/// Another program as the sampler. It writes a proposal to our standard input, a line as in a file of
/// --external-sampler, and reads the results on our standard output, one line each in the order of the proposals; then
/// it may write the next proposal. Trials in the journal are sent before the first proposal is read. A configuration
/// that was tried already is answered at once. The end of the input ends the race. The sampler throws Error(kData) for
/// a line that is not a proposal; Error(kInterrupted) while it waits.
search::Sampler sampler_at_standard_input();

}  // namespace fernwood::apps
