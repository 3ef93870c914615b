// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_checkpoint.h"

#include "core/json_field.h"
#include "core/model_container.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::stream {

namespace {

constexpr std::uint64_t kMostStateBytes = std::uint64_t{1} << 40;

ModelArray place_state(std::uint64_t size_bytes) { return {"state", "uint8", {size_bytes}, 0, size_bytes, ""}; }

}  // namespace

void save_stream_checkpoint(const Bytes& state, const std::string& options_json, const std::filesystem::path& path) {
  const ModelPlace place = saving(path.string());
  ModelArray array = place_state(state.size());
  sign(array, state.data());
  nlohmann::json header = {{"options", canonical_object(options_json, "options_json", place)},
                           {"state_bytes", state.size()},
                           {"arrays", nlohmann::json::array({encode_array(array)})}};
  const std::string text = encode_header(std::move(header), kStreamCheckpoint, place);
  write_file_atomically(path, [&](std::ostream& out) { write_container(out, text, {{&array, state.data()}}); });
}

Bytes load_stream_checkpoint(const std::filesystem::path& path, const std::string& options_json) {
  const ModelPlace place = loading(path.string());
  const std::vector<std::uint8_t> bytes = read_file(path);
  const std::string_view text = header_text(bytes, kStreamCheckpoint.maker, place);
  const nlohmann::json header = parse_header(text, place);
  const JsonField root(header, "", place);
  check_format(root, kStreamCheckpoint, place);
  const std::string difference = json_difference(root.at("options").object(), options_json);
  FW_CHECK(difference.empty(), Usage,
           path.string() << ": this checkpoint was made with other options:" << difference
                         << " give the same, or train without --resume");
  ModelArray array = place_state(root.at("state_bytes").whole(1, kMostStateBytes));
  const JsonField arrays = root.at("arrays");
  arrays.size(1, 1);
  decode_array(arrays.at(std::size_t{0}), array);
  ArrayReader reader(bytes, text.size(), array.end(), place);
  const std::span<const std::uint8_t> state = reader.next(array);
  return {state.begin(), state.end()};
}

}  // namespace fernwood::stream
