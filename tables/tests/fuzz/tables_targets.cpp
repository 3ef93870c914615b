// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fuzz/tables_targets.h"

namespace fernwood::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> table = {
      {"record_model", fuzz_record_model, record_model_seeds, sign_model, damage_model},
      {"stream_checkpoint", fuzz_stream_checkpoint, stream_checkpoint_seeds, sign_model, damage_model},
      {"messages", fuzz_messages, message_seeds},
      {"import", fuzz_import, import_seeds},
      {"import_ubjson", fuzz_import, ubjson_seeds},
      {"import_catboost", fuzz_import, catboost_seeds},
      {"import_onnx", fuzz_import, onnx_seeds},
      {"choices", fuzz_choices, choices_seeds},
      {"table", fuzz_table, table_seeds},
      {"record_calls", fuzz_record_calls, record_call_seeds}};
  return table;
}

}  // namespace fernwood::fuzz
