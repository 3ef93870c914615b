// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/stream/stream_command.h"

#include "apps/commands.h"
#include "apps/records/records_command.h"
#include "fernwood/core/error.h"

namespace fernwood::apps {

namespace {

/// "a, b or c": the names of all values.
template <typename Values>
std::string listed(const Values& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i == 0 ? "" : i + 1 < values.size() ? ", " : " or ") + to_string(values[i]);
  return text;
}

template <typename Values>
auto parse_word(const char* option, const std::string& word, const Values& values) {
  for (const auto value : values)
    if (word == to_string(value)) return value;
  throw Error(ErrorKind::kUsage, std::string(option) + " is \"" + word + "\"; give " + listed(values));
}

}  // namespace

void StreamArguments::add_to(CLI::App& command) {
  stream::StreamOptions& o = options;
  const auto number = [&](const char* name, auto& value, const char* help) {
    command.add_option(name, value, help)->option_text("N (" + std::to_string(value) + ")");
  };
  command
      .add_option(
          "--schedule", schedule,
          "Records of a level: passes (all, again and again), fresh (new ones for each level) or hoeffding (new "
          "ones, and leaves are split as soon as it is decided)")
      ->option_text("NAME (passes)");
  command.add_option("--criterion", criterion, "What tests make small: gini or entropy")->option_text("NAME (gini)");
  number("--bins", o.bins, "Bins of an attribute in a leaf, at most 255");
  number("--max-depth", o.max_depth, "Levels below the root, at most 24");
  number("--max-leaves", o.max_leaves, "Leaves of the tree, those that gain most first; 0: no limit");
  number("--min-samples", o.min_samples, "A leaf with fewer records is not split");
  number("--min-leaf-samples", o.min_leaf_samples, "No test may leave a side with fewer records");
  command
      .add_option("--min-gain", o.min_gain, "Least decrease of impurity by a split, of Gini's or in bits of entropy")
      ->option_text("X (0)");
  number("--samples-per-leaf", o.samples_per_leaf, "fresh: records that a level reads for each open leaf");
  number("--batch", o.batch, "hoeffding: records between two rounds of decisions");
  number("--grace-period", o.grace_period, "hoeffding: records that a leaf sees between two decisions");
  command
      .add_option("--failure-probability", failure_probability,
                  "Of splitting by another attribute than all records to come would show; 0: no such test")
      ->option_text("P (hoeffding 1e-7, else 0)");
  command
      .add_option("--tie", o.tie,
                  "With a failure probability: gains that surely differ by less are as good as each other")
      ->option_text("X (0.05)");
  command.add_flag("--prune", o.prune, "Cut back, at the end, what does not pay for its description");
}

stream::StreamOptions StreamArguments::finish() const {
  stream::StreamOptions finished = options;
  finished.schedule = parse_word("--schedule", schedule, stream::kSchedules);
  finished.criterion = parse_word("--criterion", criterion, records::kCriteria);
  finished.failure_probability =
      failure_probability.value_or(stream::StreamOptions::for_schedule(finished.schedule).failure_probability);
  finished.check();
  return finished;
}

stream::Parallel parse_parallel(const std::string& word) { return parse_word("--parallel", word, stream::kParallels); }
std::string list_parallels() { return listed(stream::kParallels); }

void add_stream_command(CLI::App& app) {
  CLI::App* stream =
      app.add_subcommand("stream", "Trees grown from streams of records, on one process or many")->fallthrough();
  stream->require_subcommand(1);
  stream->footer(
      "\nExample:\n  fernwood stream generate --records 100000 --out train.libsvm\n"
      "  fernwood stream train --data train.libsvm --out tree.fernwood\n"
      "  fernwood stream generate --skip 100000 --records 20000 --out test.libsvm\n"
      "  fernwood stream evaluate --model tree.fernwood --data test.libsvm");
  add_stream_generate(*stream);
  add_stream_train(*stream);
  // A tree from a stream is a forest over records.
  add_records_predict(*stream);
  add_records_evaluate(*stream);
}

}  // namespace fernwood::apps
