// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "commands.h"
#include "fernwood/core/error.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/forest/summary.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/record_summary.h"

namespace fernwood {

namespace {

struct Arguments {
  std::filesystem::path model;
  bool json = false;
};

/// @tparam AnyForest  Over pixels or over records.
template <typename AnyForest>
void print(const AnyForest& forest, const Arguments& arguments) {
  const auto summary = summarize(forest);
  const std::string checksum = model_checksum(arguments.model);
  std::cout << (arguments.json ? summary_json(forest, summary, checksum) : summary_table(forest, summary, checksum));
}

void run(const Arguments& arguments) {
  FW_CHECK(!arguments.model.empty(), Usage, "the model file is missing; write fernwood describe FILE");
  if (model_format(arguments.model) == kRecordModel.name)
    print(load_records(arguments.model), arguments);
  else
    print(load_forest(arguments.model), arguments);
}

}  // namespace

void add_describe_command(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("describe", "Show what is in a model file")->fallthrough();
  command->add_option("model,--model", arguments->model, "Model file")->option_text("FILE");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood describe rooms.fernwood");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood
