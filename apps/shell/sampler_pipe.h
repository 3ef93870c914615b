// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/search/search.h"

namespace fernwood::apps {

/// Another program as the sampler: it writes a proposal to our standard input, a line as in a file of
/// --external-sampler, and reads on our standard output, a line each in the order of proposal, what came of it; then it
/// may propose the next. Trials that the journal knows are told before the first proposal is read. A setting that was
/// tried already is answered at once. The input's end ends the race. The sampler throws Error(kData) for a line that is
/// no proposal; Error(kInterrupted) while it waits.
search::Sampler sampler_at_standard_input();

}  // namespace fernwood::apps
