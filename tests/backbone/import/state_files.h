// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// State files in the format of torch.save(), written without PyTorch.

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "backbone/import/state_file.h"

namespace fernwood::backbone {

using StateBytes = std::vector<std::uint8_t>;

/// Writes pickle opcodes.
class PickleWriter {
 public:
  PickleWriter() { text_ = "\x80\x02"; }
  PickleWriter& raw(const std::string& bytes) {
    text_ += bytes;
    return *this;
  }
  PickleWriter& text(const std::string& value) { return raw("X" + little(value.size(), 4) + value); }
  PickleWriter& number(std::uint64_t value) { return raw("J" + little(value, 4)); }
  PickleWriter& global(const std::string& module, const std::string& name) {
    return raw("c" + module + "\n" + name + "\n");
  }
  PickleWriter& numbers(const std::vector<std::int64_t>& values) {
    raw("(");
    for (const std::int64_t value : values) number(static_cast<std::uint64_t>(value));
    return raw("t");
  }
  std::string done() const { return text_ + "."; }

  static std::string little(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
    return text;
  }

 private:
  std::string text_;
};

/// A tensor to save, as a strided view of its storage.
struct SavedTensor {
  std::string name;
  std::vector<std::int64_t> shape, strides;
  std::vector<float> storage;
  std::int64_t offset = 0;
};

inline std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

inline SavedTensor saved(const std::string& name, const Tensor& tensor) {
  return {name, tensor.shape, strides_of(tensor.shape), tensor.values};
}

inline std::string storage_bytes(const SavedTensor& tensor) {
  std::string bytes(tensor.storage.size() * sizeof(float), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), tensor.storage.data(), bytes.size());
  return bytes;
}

/// The pickle of a dictionary of tensors, with their indices as storage keys.
inline std::string state_pickle(const std::vector<SavedTensor>& tensors) {
  PickleWriter writer;
  writer.global("collections", "OrderedDict").raw(")R(");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const SavedTensor& tensor = tensors[i];
    writer.text(tensor.name).global("torch._utils", "_rebuild_tensor_v2").raw("((").text("storage");
    writer.global("torch", "FloatStorage").text(std::to_string(i)).text("cpu").number(tensor.storage.size()).raw("tQ");
    writer.number(static_cast<std::uint64_t>(tensor.offset)).numbers(tensor.shape).numbers(tensor.strides);
    writer.raw("\x89").global("collections", "OrderedDict").raw(")RtR");
  }
  return writer.raw("u").done();
}

/// A file in the format before PyTorch 1.6. @param pickle  As from state_pickle().
inline StateBytes legacy_file(const std::vector<SavedTensor>& tensors, const std::string& pickle) {
  std::string file("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  file += PickleWriter().number(1001).done() + PickleWriter().raw("}").done() + pickle;
  PickleWriter keys;
  keys.raw("](");
  for (std::size_t i = 0; i < tensors.size(); ++i) keys.text(std::to_string(i));
  file += keys.raw("e").done();
  for (const SavedTensor& tensor : tensors)
    file += PickleWriter::little(tensor.storage.size(), 8) + storage_bytes(tensor);
  return {file.begin(), file.end()};
}
inline StateBytes legacy_file(const std::vector<SavedTensor>& tensors) {
  return legacy_file(tensors, state_pickle(tensors));
}

/// A ZIP archive. @param method  Compression method in the headers; the files are always stored uncompressed.
inline StateBytes stored_zip(const std::vector<std::pair<std::string, std::string>>& files, int method = 0) {
  const auto little = PickleWriter::little;
  std::string file, directory;
  for (const auto& [name, content] : files) {
    const std::string sizes = little(0, 4) + little(content.size(), 4) + little(content.size(), 4);
    const std::string names = little(name.size(), 2) + little(0, 2);
    const std::string common =
        little(20, 2) + little(0, 2) + little(static_cast<std::uint64_t>(method), 2) + little(0, 4);
    directory += "PK\1\2" + little(20, 2) + common + sizes + names + little(0, 10) + little(file.size(), 4) + name;
    file += "PK\3\4" + common + sizes + names + name + content;
  }
  const std::size_t start = file.size();
  file += directory;
  file += "PK\5\6" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) + little(directory.size(), 4) +
          little(start, 4) + little(0, 2);
  return {file.begin(), file.end()};
}

/// A file in the format since PyTorch 1.6.
inline StateBytes archive_file(const std::vector<SavedTensor>& tensors) {
  std::vector<std::pair<std::string, std::string>> files = {{"state/data.pkl", state_pickle(tensors)}};
  for (std::size_t i = 0; i < tensors.size(); ++i)
    files.emplace_back("state/data/" + std::to_string(i), storage_bytes(tensors[i]));
  files.emplace_back("state/version", "3\n");
  return stored_zip(files);
}

}  // namespace fernwood::backbone
