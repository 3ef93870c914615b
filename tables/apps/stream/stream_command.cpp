// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/stream/stream_command.h"

#include "apps/records/records_command.h"

namespace fernwood::apps {

stream::StreamOptions StreamArguments::finish() const {
  stream::StreamOptions options;
  stream::set_options(given, options);
  options.check();
  return options;
}

void add_stream_command(CLI::App& app) {
  CLI::App* stream =
      app.add_subcommand("stream", "Trees grown from streams of records, on one process or many")->fallthrough();
  stream->require_subcommand(1);
  stream->footer(
      "\nExample:\n  fernwood-tables generate --records 100000 --out train.libsvm\n"
      "  fernwood-tables stream train --data train.libsvm --out tree.fernwood\n"
      "  fernwood-tables generate --skip 100000 --records 20000 --out test.libsvm\n"
      "  fernwood-tables evaluate --model tree.fernwood --data test.libsvm");
  add_stream_train(*stream);
  // A tree trained on a stream is a forest over records.
  add_records_predict(*stream);
  add_records_evaluate(*stream);
}

}  // namespace fernwood::apps
