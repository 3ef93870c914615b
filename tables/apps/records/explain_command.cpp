// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <charconv>
#include <iostream>
#include <utility>

#include "apps/records/records_command.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/shap.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct RecordsExplainArguments {
  TableArguments input;
  std::filesystem::path model, background, out;
  BlockOptions block{16384};
  int threads = 0;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    input.add_to(command);
    command
        .add_option("--background", background,
                    "table of records, about 100, whose values stand for attributes that are not known, read like "
                    "--data (default: shares of training records)")
        ->option_text("FILE");
    command.add_option("--out", out, "CSV file to write, a record and output a line; -: standard output")
        ->required()
        ->option_text("FILE");
    add_table(command, block);
    add_threads_option(command, threads);
  }
  CommandFiles files() const {
    if (out == "-") return {};
    return {.reads = {{"--model", model}, {"--data", input.data}, {"--background", background}},
            .writes = {{"--out", out}}};
  }
};

/// Names of the outputs: classes, class 1 if the single output is its log-odds, or targets.
std::vector<std::string> output_names(const records::RecordForest& forest) {
  if (forest.link == records::Link::kLogistic) return {forest.classes[1]};
  return forest.has_classes() ? forest.classes : forest.targets;
}

/// Formats blocks of records as lines of text: one for each record and output.
class Explainer {
 public:
  Explainer(const records::RecordForest& forest, int threads, const records::RecordView& background)
      : evaluator_(forest, threads, background) {
    for (const std::string& name : output_names(forest)) outputs_.push_back(csv_field(name));
    for (const std::string& name : forest.attributes) header_ += "," + csv_field(name);
  }

  std::string header() const { return "record,output" + header_ + ",expected value\n"; }

  /// @param first  Number of the block's first record.
  std::string lines(const records::RecordView& records, std::size_t first) {
    const std::size_t row_size = records.num_attributes + 1;
    values_.resize(records.num_records * outputs_.size() * row_size);
    evaluator_.find(records, values_.data());
    std::string text;
    const double* value = values_.data();
    for (std::size_t i = 0; i < records.num_records; ++i)
      for (const std::string& output : outputs_) {
        text += std::to_string(first + i) + "," + output;
        for (std::size_t a = 0; a < row_size; ++a) append_number(*value++, text);
        text += '\n';
      }
    return text;
  }

 private:
  /// The shortest decimal that reads back as the same number.
  static void append_number(double value, std::string& text) {
    char digits[32];
    text.append(1, ',').append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }

  records::ShapEvaluator evaluator_;
  std::vector<std::string> outputs_;
  std::string header_;
  std::vector<double> values_;
};

/// With the values of linear leaves, which a table of several blocks does not have.
records::RecordTable read_background(const std::filesystem::path& file, const records::TableOptions& options,
                                     ThreadPool& pool) {
  constexpr std::size_t kMostRecords = 10000;
  records::TableReader reader(file, options, pool);
  records::RecordTable background, more;
  reader.read(background, kMostRecords);
  FW_CHECK(!reader.read(more, 1), Data,
           reader.name() << " has more than " << kMostRecords << " background records, each of which is compared with "
                         << "each record to explain; use about 100");
  return background;
}

std::size_t explain_all(records::TableReader& reader, Explainer& explainer, std::size_t block_size, ProgressBar& bar,
                        const std::filesystem::path& file, std::ostream& out) {
  std::size_t next = 1;
  return take_blocks(reader, block_size, "explaining", bar, [&](const records::RecordTable& block) {
    if (next == 1) out << explainer.header();
    out << explainer.lines(block.view(), next);
    next += block.values.rows();
    check_written(out, file);
  });
}

void run(const RecordsExplainArguments& arguments) {
  arguments.block.check();
  records::TableOptions table_options = arguments.input.options();
  const bool to_stdout = arguments.out == "-";
  const records::RecordForest forest = table_options.match(records::load_records(arguments.model));
  table_options.labels = records::LabelKind::kIgnored;
  ThreadPool pool(arguments.threads);
  records::RecordTable background;
  if (!arguments.background.empty()) background = read_background(arguments.background, table_options, pool);
  Explainer explainer(forest, arguments.threads, background.view());
  records::TableReader reader(arguments.input.data, table_options, pool);
  ProgressBar bar;
  const double start_s = seconds_now();
  std::size_t num_records = 0;
  const auto write = [&](std::ostream& out) {
    num_records = explain_all(reader, explainer, arguments.block.records, bar, arguments.out, out);
  };
  to_stdout ? write(std::cout) : write_file_atomically(arguments.out, NamedBy::kUser, write);
  bar.clear();
  if (to_stdout) return;
  print() << format_count(num_records) << (num_records == 1 ? " record" : " records") << " explained, "
          << format_rate(static_cast<double>(num_records) / (seconds_now() - start_s)) << "/s; values are in "
          << arguments.out << "\n";
}

}  // namespace

void add_records_explain(CLI::App& records) {
  add_command<RecordsExplainArguments>(
      records,
      {.name = "explain",
       .summary = "Print the contribution of each attribute to a prediction (SHAP values)",
       .example = "fernwood " + records.get_name() + " explain --model letters.fernwood --data new.csv --out shap.csv",
       .files = &RecordsExplainArguments::files,
       .run = run});
}

}  // namespace fernwood::apps
