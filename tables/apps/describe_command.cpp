// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/tables_commands.h"
#include "fernwood/core/error.h"
#include "fernwood/core/model_format.h"
#include "fernwood/records/record_file.h"
#include "fernwood/report/records.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

void describe_records(const std::filesystem::path& model, bool json) {
  FW_CHECK(!model.empty(), Usage, "the model file is missing; write fernwood-tables describe FILE");
  const records::RecordForest forest = records::load_records(model);
  const records::RecordSummary summary = summarize(forest);
  const std::string checksum = model_checksum(model);
  std::cout << (json ? report::model_json(forest, summary, checksum) : report::model_table(forest, summary, checksum));
}

}  // namespace

void add_records_describe(CLI::App& app) {
  struct DescribeArguments {
    std::filesystem::path model;
    bool json = false;
  };
  auto arguments = std::make_shared<DescribeArguments>();
  CLI::App* command = app.add_subcommand("describe", "Describe a model file")->fallthrough();
  command->add_option("model,--model", arguments->model, "Model file")->option_text("FILE");
  add_json_flag(*command, arguments->json);
  command->footer("\nExample:\n  fernwood-tables describe model.fernwood");
  command->callback([arguments] { describe_records(arguments->model, arguments->json); });
}

}  // namespace fernwood::apps
