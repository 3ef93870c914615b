// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fuzz/target.h"

namespace fernwood::fuzz {

// The targets of the annex, each with its seeds.
int fuzz_record_model(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> record_model_seeds();
int fuzz_stream_checkpoint(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> stream_checkpoint_seeds();
int fuzz_messages(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> message_seeds();
int fuzz_import(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> import_seeds();
/// Models in Universal Binary JSON. fuzz_import() recognises the format by its content, also for the seeds below.
std::vector<Bytes> ubjson_seeds();
std::vector<Bytes> catboost_seeds();
std::vector<Bytes> onnx_seeds();
int fuzz_choices(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> choices_seeds();
int fuzz_table(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> table_seeds();
int fuzz_record_calls(const std::uint8_t* data, std::size_t size);
std::vector<Bytes> record_call_seeds();

}  // namespace fernwood::fuzz
