// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_checkpoint.h"

#include <utility>

#include "core/json_field.h"
#include "core/model_container.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::stream {

namespace {

constexpr std::uint64_t kMaxStateBytes = std::uint64_t{1} << 40;

ModelArray place_state(std::uint64_t size_bytes) { return {"state", "uint8", {size_bytes}, 0, size_bytes, ""}; }

}  // namespace

void save_stream_checkpoint(const Bytes& state, const std::string& options_json, const std::filesystem::path& path) {
  const ErrorContext place = saving(path.string());
  ModelArray array = place_state(state.size());
  sign(array, state.data());
  nlohmann::json header = {{"options", canonical_object(options_json, "options_json", place)},
                           {"state_bytes", state.size()},
                           {"arrays", nlohmann::json::array({encode_array(array)})}};
  const std::string text = encode_header(std::move(header), {}, kStreamCheckpoint, place);
  write_file_atomically(path, NamedBy::kFernwood, [&](std::ostream& out) {
    write_container(out, text, {{&array, state.data()}});
  });
}

Bytes load_stream_checkpoint(const std::filesystem::path& path, const std::string& options_json) {
  const ErrorContext place = loading_checkpoint(path.string());
  const std::vector<std::uint8_t> bytes = read_file(path);
  const std::string_view text = header_text(bytes, kStreamCheckpoint.maker, place);
  const nlohmann::json header = parse_header(text, place);
  const JsonField root(header, "", place);
  check_format(root, kStreamCheckpoint, {}, place);
  const std::string difference = json_difference(root.at("options").object(), options_json);
  FW_CHECK(difference.empty(), Usage,
           path.string() << ": this checkpoint was made with other options:" << difference
                         << " give the same, or train without " << named_option("resume"));
  ModelArray array = place_state(root.at("state_bytes").whole(1, kMaxStateBytes));
  const JsonField arrays = root.at("arrays");
  arrays.size(1, 1);
  decode_array(arrays.at(std::size_t{0}), array);
  ArrayReader reader(bytes, text.size(), array.end(), place);
  const std::span<const std::uint8_t> state = reader.next(array);
  return {state.begin(), state.end()};
}

void check_checkpoint_file(const std::filesystem::path& path) {
  check_replaced_checkpoint(path, kStreamCheckpoint, "a stream", [](const JsonField&) { return true; });
}

StreamCheckpoints::StreamCheckpoints(StreamGrowth& growth, const std::string& options_json)
    : growth_(growth), options_json_(options_json), saved_at_s_(seconds_now()) {}

BetweenRounds decide_between_rounds(const StreamCheckpointOptions& checkpoint, bool stops, double saved_at_s,
                                    Communicator& communicator) {
  BetweenRounds now;
  if (communicator.rank() == 0) {
    const bool due = seconds_now() - saved_at_s >= checkpoint.every_s;
    now = {!checkpoint.file.empty() && (due || stops), stops};
  }
  if (communicator.size() == 1) return now;
  Bytes bytes;
  Packer packer(bytes);
  packer.put(now.saves);
  packer.put(now.stops);
  const std::vector<Bytes> wishes = communicator.gather_all(bytes);
  Unpacker unpacker(wishes[0]);
  unpacker.get(now.saves);
  unpacker.get(now.stops);
  return now;
}

void StreamCheckpoints::save_or_stop() {
  BetweenRounds now;
  {
    const Stopwatch communicating(growth_.report.times.communicate_s);
    now = decide_between_rounds(growth_.work.checkpoint, growth_.is_stopping(), saved_at_s_, growth_.communicator);
  }
  if (now.saves) save();
  if (now.stops) growth_.stop();
}

void StreamCheckpoints::save() {
  const Stopwatch saving(growth_.report.times.checkpoint_s);
  Communicator& communicator = growth_.communicator;
  const Bytes whole = state();
  if (communicator.rank() == 0) save_stream_checkpoint(whole, options_json_, growth_.work.checkpoint.file);
  // No process continues or ends before the file is written.
  communicator.gather_all({});
  saved_at_s_ = seconds_now();
}

Bytes StreamCheckpoints::state() {
  Communicator& communicator = growth_.communicator;
  std::vector<Bytes> outgoing(static_cast<std::size_t>(communicator.size()));
  Packer mine(outgoing[0]);
  // In passes a level begins without counts.
  if (!in_passes()) growth_.backend.pack_counted(growth_.leaves.slots(), mine);
  const std::vector<Bytes> counted = communicator.exchange(std::move(outgoing));
  return communicator.rank() == 0 ? state_with(counted) : Bytes();
}

/// @param counted  [rank] Counts of each process.
Bytes StreamCheckpoints::state_with(const std::vector<Bytes>& counted) const {
  Bytes state;
  Packer packer(state);
  growth_.loader.pack(packer);
  growth_.leaves.pack(packer);
  if (in_passes()) return state;
  packer.put(growth_.round_records);
  growth_.tests.pack(packer);
  growth_.adaptation.pack(packer);
  packer.put(std::uint64_t{counted.size()});
  for (const Bytes& bytes : counted) packer.put(bytes);
  return state;
}

bool resume_state(const std::filesystem::path& path, const std::string& options_json, Communicator& communicator,
                  const std::function<void(const Bytes& state)>& restore) {
  Bytes state;
  if (communicator.rank() == 0 && std::filesystem::exists(path)) state = load_stream_checkpoint(path, options_json);
  state = std::move(communicator.gather_all(state)[0]);
  if (state.empty()) return false;  // nothing to resume: growing starts from the beginning
  try {
    restore(state);
  } catch (const Error& error) {
    throw Error(ErrorKind::kModel, path.string() + ": the checkpoint cannot be gone on from, because " +
                                       error.sentence() + "; train without " + named_option("resume"));
  }
  return true;
}

void StreamCheckpoints::resume() {
  if (resume_state(growth_.work.checkpoint.file, options_json_, growth_.communicator,
                   [&](const Bytes& state) { restore(state); }))
    growth_.loader.begin_again();
}

void StreamCheckpoints::restore(const Bytes& state) {
  Unpacker unpacker(state);
  unpack(unpacker);
  FW_CHECK(unpacker.place() == state.size(), Model, "it has unexpected data at its end");
}

void StreamCheckpoints::unpack(Unpacker& unpacker) {
  BatchLoader& loader = growth_.loader;
  loader.unpack(unpacker);
  growth_.leaves.unpack(unpacker, loader.attributes().size(), loader.classes().size());
  if (in_passes()) return;
  unpacker.get(growth_.round_records);
  growth_.tests.unpack(unpacker, growth_.leaves.tree(), loader.layout());
  growth_.adaptation.unpack(unpacker, growth_.leaves.tree().nodes().size());
  growth_.backend.reset(loader.layout(), 0);
  growth_.backend.prepare_slots({}, growth_.leaves.num_slots(), true);
  const std::vector<std::size_t> slots = growth_.leaves.slots();
  for (auto left = unpacker.get<std::uint64_t>(); left > 0; --left) {
    Bytes of_rank;
    unpacker.get(of_rank);
    Unpacker counted(of_rank);
    growth_.backend.unpack_counted(slots, counted);
  }
}

}  // namespace fernwood::stream
