// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream_command.h"

#include "commands.h"

namespace fernwood {

void add_stream_command(CLI::App& app) {
  CLI::App* stream = app.add_subcommand("stream", "Trees over streams of records: data, sketches")->fallthrough();
  stream->require_subcommand(1);
  stream->footer("\nExample:\n  fernwood stream generate --records 100000 --out records.libsvm");
  add_stream_generate(*stream);
  CLI::App* bench = stream->add_subcommand("bench", "Measure what sketches lose and cost")->fallthrough();
  bench->require_subcommand(1);
  bench->footer("\nExample:\n  fernwood stream bench sketches --values 100000");
  add_stream_bench_sketches(*bench);
}

}  // namespace fernwood
