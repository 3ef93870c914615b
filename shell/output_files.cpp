// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/output_files.h"

#include <system_error>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::apps {

namespace fs = std::filesystem;

namespace {

std::vector<NamedPath> common_inputs;
InputRule is_read_with_inputs = &is_kept_in;

}  // namespace

std::vector<NamedPath> all_inputs(std::vector<NamedPath> inputs) {
  for (NamedPath& input : inputs)
    if (input.second == "-") input.second = "/dev/stdin";  // leads to the file that it is redirected from
  inputs.insert(inputs.end(), common_inputs.begin(), common_inputs.end());
  return inputs;
}

void set_common_inputs(std::vector<NamedPath> inputs) { common_inputs = std::move(inputs); }
void set_input_rule(InputRule is_read) { is_read_with_inputs = is_read; }
InputRule input_rule() { return is_read_with_inputs; }

void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs) {
  // Commands that write text to standard output do so before they check their files.
  for (const auto& [option, path] : outputs)
    FW_CHECK(path != "-", Usage,
             option << " is -, and this output cannot go to standard output; name a file, or ./- for one called -");
  fernwood::refuse_replaced_files(outputs, all_inputs(inputs), is_read_with_inputs);
}

std::vector<OutputLock> claim_outputs(const CommandFiles& files) {
  std::vector<NamedPath> outputs = files.opens;
  outputs.insert(outputs.end(), files.writes.begin(), files.writes.end());
  refuse_replaced_files(outputs, files.reads);
  std::vector<OutputLock> locks;
  for (const auto& [option, path] : files.writes)
    if (!path.empty()) check_writable(path, NamedBy::kUser);
  for (const auto& [option, path] : files.writes)
    if (!path.empty()) locks.emplace_back(path);
  return locks;
}

fs::path path_of_source(const std::string& source) {
  std::error_code ignored;
  if (fs::exists(source, ignored)) return source;
  const std::string place = source.substr(source.find(':') + 1);  // the whole text without a colon
  return place.substr(0, place.find('?'));
}

}  // namespace fernwood::apps
