// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/evaluator.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/train_records.h"
#include "fernwood/search/search.h"
#include "fernwood/search/search_records.h"
#include "fernwood/stream/record_source.h"
#include "fernwood/stream/stream_options.h"
#include "python/common/src/bindings.h"
#include "python/src/bindings.h"

namespace fernwood::python {

void bind_options(nb::module_& module) {
  const auto all_options = [] {
    nb::dict all;
    add_options(all, "search", search::DataSearchOptions());
    add_options(all, "search.records", search::RecordSearchOptions());
    add_options(all, "train", records::RecordTrainOptions());
    add_options(all, "predict", records::EvaluatorOptions());
    add_options(all, "tables", records::TableOptions());
    add_options(all, "import", records::ImportOptions());
    add_options(all, "streams", stream::StreamOptions());
    add_options(all, "streams", stream::StreamWork());
    add_options(all, "streams.files", stream::FolderOptions());
    add_options(all, "streams.files", stream::StreamCheckpointOptions());
    return all;
  };
  module.def("options", all_options, "The tables of options by the work that takes them, a dict for each option.");
}

}  // namespace fernwood::python
