// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/common/src/options.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/train_records.h"
#include "fernwood/search/search.h"
#include "fernwood/search/search_records.h"
#include "fernwood/stream/record_source.h"
#include "fernwood/stream/stream_options.h"
#include "python/src/bindings.h"

namespace fernwood::python {

namespace {

nb::dict all_options() {
  OptionTables all;
  all.add("search", search::DataSearchOptions());
  all.add("search.records", search::RecordSearchOptions());
  all.add("train", records::RecordTrainOptions());
  all.add("predict", records::EvaluatorOptions());
  all.add("tables", records::TableOptions());
  all.add("import", records::ImportOptions());
  all.add("streams", stream::StreamOptions());
  all.add("streams", stream::StreamWork());
  all.add("streams.files", stream::FolderOptions());
  all.add("streams.files", stream::StreamCheckpointOptions());
  return all.to_dict();
}

}  // namespace

void bind_options(nb::module_& module) {
  module.def("options", all_options, "The tables of options by the work that takes them, a dict for each option.");
}

}  // namespace fernwood::python
