// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/result_json.h"
#include "fernwood/core/text.h"
#include "fernwood/report/description.h"

namespace fernwood::report {

ProcessorFacts processor_facts(const forest::GatherReport& gather) {
  const bool gathers = gather.choice == "gather";
  const std::string rates =
      format_text("%s: %.0f million responses a second with %s, %.0f with the other (%s, one core; ",
                  gather.choice.c_str(), 1e-6 * (gathers ? gather.gather_rate : gather.scalar_rate),
                  gathers ? "gather instructions" : "one load after another",
                  1e-6 * (gathers ? gather.scalar_rate : gather.gather_rate), gather.instruction_set.c_str());
  const Json json = {{"gather",
                      {{"choice", gather.choice},
                       {"instruction_set", gather.instruction_set},
                       {"gather_responses_per_second", gather.gather_rate},
                       {"scalar_responses_per_second", gather.scalar_rate},
                       {"remembered", gather.remembered}}}};
  return {{{"gather", rates + (gather.remembered ? "measured by an earlier run)" : "measured now)")}}, dump(json)};
}

}  // namespace fernwood::report
