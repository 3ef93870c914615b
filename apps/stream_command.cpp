// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream_command.h"

#include "commands.h"
#include "records_command.h"

namespace fernwood {

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
  CLI::App* bench =
      stream->add_subcommand("bench", "Measure sketches, and repeat two papers' experiments")->fallthrough();
  bench->require_subcommand(1);
  bench->footer("\nExample:\n  fernwood stream bench sketches --values 100000");
  add_stream_bench_sketches(*bench);
  add_stream_bench_svantesson(*bench);
  add_stream_bench_ding(*bench);
}

}  // namespace fernwood
