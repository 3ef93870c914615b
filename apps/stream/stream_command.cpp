// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/stream/stream_command.h"

#include "apps/commands.h"
#include "apps/records/records_command.h"
#include "apps/shell/options.h"
#include "fernwood/core/text.h"

namespace fernwood::apps {

void StreamArguments::add_to(CLI::App& command) {
  stream::StreamOptions& o = options;
  command
      .add_option(
          "--schedule", schedule,
          "Records of a level: passes (all, again and again), fresh (new ones for each level) or hoeffding (new "
          "ones, and leaves are split as soon as it is decided)")
      ->option_text("NAME (passes)");
  command.add_option("--criterion", criterion, "What tests make small: gini or entropy")->option_text("NAME (gini)");
  add_number(command, "--bins", o.bins, "Bins of an attribute in a leaf, at most 255");
  add_number(command, "--max-depth", o.max_depth, "Levels below the root, at most 24");
  add_number(command, "--max-leaves", o.max_leaves, "Leaves of the tree, those that gain most first; 0: no limit");
  add_number(command, "--min-samples", o.min_samples, "A leaf with fewer records is not split");
  add_number(command, "--min-leaf-samples", o.min_leaf_samples, "No test may leave a side with fewer records");
  add_number(command, "--min-gain", o.min_gain,
             "Least decrease of impurity by a split, of Gini's or in bits of entropy");
  add_number(command, "--samples-per-leaf", o.samples_per_leaf, "fresh: records that a level reads for each open leaf");
  add_number(command, "--batch", o.batch, "hoeffding: records between two rounds of decisions");
  add_number(command, "--grace-period", o.grace_period, "hoeffding: records that a leaf sees between two decisions");
  command
      .add_option("--failure-probability", failure_probability,
                  "Of splitting by another attribute than all records to come would show; 0: no such test")
      ->option_text("P (hoeffding 1e-7, else 0)");
  add_number(command, "--tie", o.tie,
             "With a failure probability: gains that surely differ by less are as good as each other");
  command.add_flag("--prune", o.prune, "Cut back, at the end, what does not pay for its description");
}

stream::StreamOptions StreamArguments::finish() const {
  stream::StreamOptions finished = options;
  finished.schedule = parse_name("--schedule", schedule, stream::kSchedules);
  finished.criterion = parse_name("--criterion", criterion, records::kCriteria);
  finished.failure_probability =
      failure_probability.value_or(stream::StreamOptions::for_schedule(finished.schedule).failure_probability);
  finished.check();
  return finished;
}

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
