// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "commands.h"
#include "fernwood/core/error.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/forest/summary.h"

namespace fernwood {

namespace {

struct Arguments {
  std::filesystem::path model;
  bool json = false;
};

void run(const Arguments& arguments) {
  FW_CHECK(!arguments.model.empty(), Usage, "the model file is missing; write fernwood describe FILE");
  const Forest forest = load_forest(arguments.model);
  const auto print = arguments.json ? summary_json : summary_table;
  std::cout << print(forest, summarize(forest), model_checksum(arguments.model));
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
