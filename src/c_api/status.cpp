// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <string>

#include "c_api/guard.h"
#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"

namespace fernwood::c_api {

namespace {

thread_local std::string last_error;

fernwood_status note(fernwood_status status, const char* sentence) noexcept {
  try {
    last_error = sentence;
  } catch (...) {
    last_error.clear();  // out of memory for the sentence; the status code remains
  }
  return status;
}

/// The option in the form of the C interface: "device=cpu".
std::string as_text(const NamedOption& option) {
  return option.name + (option.value.empty() ? "" : "=" + option.value);
}

}  // namespace

std::string in_c(const OptionSentence& sentence) { return sentence.worded(as_text); }

fernwood_status note_failure() noexcept {
  try {
    const Failure failure = failure_in_hand();
    return note(static_cast<fernwood_status>(failure.kind), in_c(failure.sentence).c_str());
  } catch (...) {
    return note(FERNWOOD_RESOURCE, "no memory");  // for the sentence itself
  }
}

void check_extent(const char* name, std::size_t count, std::size_t bytes) {
  FW_CHECK(count == 0 || bytes <= PTRDIFF_MAX / count, Usage,
           name << ": " << count << " of them, " << bytes
                << " bytes from one to the next, are more than memory has; use the true number");
}

OptionTexts option_texts(const char* const* options, std::size_t num_options) {
  OptionTexts texts;
  if (num_options > 0) required(options, "options");
  check_extent("options", num_options, sizeof(*options));
  for (std::size_t i = 0; i < num_options; ++i) {
    const std::string text = &required(options[i], "an option");
    const std::size_t equals = text.find('=');
    FW_CHECK(equals != std::string::npos, Usage, "the option \"" << text << "\" has no value; write name=value");
    texts.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return texts;
}

}  // namespace fernwood::c_api

extern "C" {

int fernwood_c_version() { return FERNWOOD_C_VERSION; }

const char* fernwood_version() { return fernwood::build_info().version.c_str(); }

const char* fernwood_last_error() { return fernwood::c_api::last_error.c_str(); }
}
