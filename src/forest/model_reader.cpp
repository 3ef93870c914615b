// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/model_reader.h"

#include <algorithm>
#include <cstring>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/forest/model_file.h"
#include "forest/model_header.h"
#include "forest/tree_check.h"

namespace fernwood {

namespace {

using Bytes = std::span<const std::uint8_t>;

ModelPrefix read_prefix(Bytes bytes, const ModelPlace& place) {
  FW_CHECK(!bytes.empty(), Model, place.file << ": is empty" << place.remedy);
  const std::size_t num_magic = std::min(bytes.size(), kModelMagic.size());
  FW_CHECK(std::equal(kModelMagic.begin(), kModelMagic.begin() + num_magic, bytes.begin()), Model,
           place.file << ": is not a fernwood model, which begins with " << kModelMagic
                      << "; name a file that fernwood train wrote");
  FW_CHECK(bytes.size() >= sizeof(ModelPrefix), Model,
           place.file << ": is truncated: has " << bytes.size() << " bytes, at least " << sizeof(ModelPrefix)
                      << " were expected" << place.remedy);
  ModelPrefix prefix;
  std::memcpy(&prefix, bytes.data(), sizeof(prefix));
  FW_CHECK(prefix.version <= kModelVersion, Model,
           place.file << ": was written by a newer fernwood (format " << prefix.version << "); this build reads format "
                      << kModelVersion << ": update fernwood");
  FW_CHECK(prefix.version == kModelVersion && prefix.reserved == 0, Model,
           place.file << ": format " << prefix.version << " with reserved bytes " << prefix.reserved
                      << " does not exist" << place.remedy);
  return prefix;
}

std::string_view header_text(Bytes bytes, const ModelPrefix& prefix, const ModelPlace& place) {
  const std::uint64_t available = bytes.size() - sizeof(ModelPrefix);
  FW_CHECK(prefix.header_bytes <= available, Model,
           place.file << ": is truncated: has " << bytes.size() << " bytes, a header of " << prefix.header_bytes
                      << " bytes and more were expected" << place.remedy);
  const Bytes header = bytes.subspan(sizeof(ModelPrefix), prefix.header_bytes);
  FW_CHECK(checksum(header.data(), header.size()) == prefix.header_checksum, Model,
           place.file << ": the header's checksum is " << to_hex(checksum(header.data(), header.size())) << ", not "
                      << to_hex(prefix.header_checksum) << place.remedy);
  return {reinterpret_cast<const char*>(header.data()), header.size()};
}

void check_size(Bytes bytes, std::uint64_t header_bytes, const ModelHeader& header, const ModelPlace& place) {
  const std::uint64_t expected =
      header.trees.empty() ? sizeof(ModelPrefix) + header_bytes : data_start(header_bytes) + header.data_bytes;
  FW_CHECK(bytes.size() == expected, Model,
           place.file << ": " << (bytes.size() < expected ? "is truncated" : "is too long") << ": has " << bytes.size()
                      << " bytes, " << expected << " were expected" << place.remedy);
}

/// Copies the arrays of a file, in their order, checking what lies between them too.
class ArrayReader {
 public:
  ArrayReader(Bytes bytes, std::uint64_t header_bytes, const ModelPlace& place)
      : bytes_(bytes), start_(data_start(header_bytes)), end_(sizeof(ModelPrefix) + header_bytes), place_(place) {}

  /// @param out  Room for array.size_bytes.
  void copy(const ModelArray& array, void* out) {
    const std::uint64_t begin = start_ + array.offset;
    const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
    FW_CHECK(std::ranges::all_of(bytes_.subspan(end_, begin - end_), is_zero), Model,
             place_.file << ": the bytes before array " << array.name << " are not 0" << place_.remedy);
    const Bytes data = bytes_.subspan(begin, array.size_bytes);
    const std::string found = to_hex(checksum(data.data(), data.size()));
    FW_CHECK(found == array.xxh3, Model,
             place_.file << ": the checksum of array " << array.name << " is " << found << ", not " << array.xxh3
                         << place_.remedy);
    std::memcpy(out, data.data(), data.size());
    end_ = begin + array.size_bytes;
  }

 private:
  Bytes bytes_;
  std::uint64_t start_, end_;
  const ModelPlace& place_;
};

}  // namespace

Forest read_forest(Bytes bytes, const std::string& name) {
  const ModelPlace place = loading(name);
  const ModelPrefix prefix = read_prefix(bytes, place);
  ModelHeader header = decode_header(header_text(bytes, prefix, place), place);
  // From here on every size is known to fit into the file, so that no lie can make us allocate more.
  check_size(bytes, prefix.header_bytes, header, place);

  Forest forest = std::move(header.forest);
  ArrayReader arrays(bytes, prefix.header_bytes, place);
  for (const TreeArrays& of_tree : header.trees) {
    Tree& tree = forest.trees.emplace_back();
    tree.nodes.resize(of_tree.nodes.shape[0]);
    tree.leaf_counts = Array2<std::uint32_t>(of_tree.leaf_counts.shape[0], of_tree.leaf_counts.shape[1]);
    arrays.copy(of_tree.nodes, tree.nodes.data());
    arrays.copy(of_tree.leaf_counts, tree.leaf_counts.data());
    check_tree(tree, forest.trees.size() - 1, forest, place);
  }
  return forest;
}

Forest load_forest(const std::filesystem::path& path) { return read_forest(read_file(path), path.string()); }

std::string model_checksum(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return to_hex(checksum(bytes.data(), bytes.size()));
}

}  // namespace fernwood
