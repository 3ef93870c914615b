// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/records/records_command.h"
#include "fernwood/core/file.h"
#include "fernwood/records/import_model.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/record_summary.h"

namespace fernwood::apps {

namespace {

struct RecordsImportArguments {
  std::filesystem::path from, out;
  std::string format = "auto";
  records::ImportOptions options;
  bool json = false;
};

void run(RecordsImportArguments arguments) {
  arguments.options.format = records::parse_model_source(arguments.format);
  check_writable(arguments.out);
  const records::RecordForest forest = records::import_model(arguments.from, arguments.options);
  records::save_records(forest, arguments.out);
  const auto summary = records::summarize(forest);
  if (arguments.json)
    std::cout << records::summary_json(forest, summary, model_checksum(arguments.out));
  else
    std::cout << summary.trees.size() << (summary.trees.size() == 1 ? " tree" : " trees") << " with "
              << summary.num_leaves << " leaves: " << arguments.out.string() << "\nnext    fernwood describe "
              << arguments.out.string() << "\n";
}

}  // namespace

void add_records_import(CLI::App& records) {
  auto arguments = std::make_shared<RecordsImportArguments>();
  CLI::App* command =
      records.add_subcommand("import", "Turn a model of another library into a model file")->fallthrough();
  command
      ->add_option("--from", arguments->from,
                   "XGBoost's .json, LightGBM's .txt, Treelite's JSON, or what scripts/export_sklearn writes")
      ->required()
      ->option_text("FILE");
  command->add_option("--out", arguments->out, "Model file to write")->required()->option_text("FILE");
  command->add_option("--format", arguments->format, "auto, sklearn, xgboost, lightgbm or treelite")
      ->option_text("NAME (auto)");
  command->add_option("--classes", arguments->options.classes, "Names of the classes, in the order of their numbers")
      ->delimiter(',')
      ->option_text("A,B,...");
  command->add_option("--attributes", arguments->options.attributes, "Names of the attributes, in the table's order")
      ->delimiter(',')
      ->option_text("A,B,...");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("\nExample:\n  fernwood records import --from model.json --out model.fernwood --classes no,yes");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::apps
