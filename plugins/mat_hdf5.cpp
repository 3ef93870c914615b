// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "plugins/mat_hdf5.h"

#include <dlfcn.h>
#include <zlib.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/saturated.h"
#include "fernwood/core/error.h"
#include "formats/import/mat_file.h"

// Arrays of HDF5 files that were not written by MATLAB.

namespace fernwood {

using namespace hdf5;
using formats::Hdf5Numbers;
using formats::mat_place;

namespace {

constexpr int kGroup = 2, kDataset = 5;                                   // H5I_type_t
constexpr int kHardLink = 0;                                              // H5L_type_t
constexpr int kReference = 7;                                             // H5T_class_t
constexpr int kCompact = 0, kContiguous = 1, kChunked = 2, kVirtual = 3;  // H5D_layout_t
constexpr int kDeflate = 1, kShuffle = 2, kFletcher = 3;                  // H5Z_filter_t: the filters that MATLAB
                                                                          // writes
constexpr int kMaxDims = 32;

// Limits.

constexpr Size kMaxElementBytes = 256, kMaxAttributeBytes = Size{1} << 20, kMaxChunkBytes = Size{1} << 25;
constexpr Size kMaxCells = 65535;
/// Stored chunks below this size inflate to at most 64 MiB; larger ones are inflated here, without storing the result.
constexpr Size kSmallStored = Size{1} << 16;
constexpr int kDeepest = 8;
constexpr std::size_t kMaxObjects = std::size_t{1} << 20;  // number of visits; an object may be reached in several
                                                           // ways

std::string bytes_text(Size bytes) { return std::to_string(bytes) + " bytes"; }

/// A name without control characters, for terminals. Plug-ins cannot call printable() of the program.
std::string shown(const std::string& name) {
  std::string text = name.substr(0, 80);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return text;
}

struct Walk {
  std::string path;
  const char* ending;  ///< End of error messages.
  bool is_thorough;
  std::size_t num_objects = 0;
  int depth = 0;
  std::exception_ptr failure = {};

  void fail(const std::string& name, const std::string& what) const {
    throw Error(ErrorKind::kData, path + ": variable \"" + shown(name) + "\" " + what + ending +
                                      "; take the file from the data set's authors again");
  }
};

Size elements_of(Id space) {
  const auto count = call<long long>("H5Sget_simple_extent_npoints", space);
  return count < 0 ? 0 : static_cast<Size>(count);
}

/// Bytes of a stored element; for variable-length texts, which are stored elsewhere, of the reference to them.
Size type_bytes(Id type) { return call<std::size_t>("H5Tget_size", type); }

void check_attributes(const Walk& walk, Id object, const std::string& name) {
  Size largest = 0;
  const auto look = +[](Id location, const char* attribute, const void*, void* data) -> int {
    const Handle opened(call<Id>("H5Aopen", location, attribute, kDefault), "H5Aclose");
    if (opened.id() < 0) return 0;
    const Handle type(call<Id>("H5Aget_type", opened.id()), "H5Tclose");
    const Handle space(call<Id>("H5Aget_space", opened.id()), "H5Sclose");
    Size& bytes = *static_cast<Size*>(data);
    if (type.id() >= 0 && space.id() >= 0)
      bytes = std::max<Size>(bytes, saturated_product(type_bytes(type.id()), elements_of(space.id())));
    return 0;
  };
  Size from = 0;
  call<int>("H5Aiterate2", object, 0, 0, &from, look, static_cast<void*>(&largest));
  if (largest > kMaxAttributeBytes) walk.fail(name, "has an attribute of " + bytes_text(largest));
}

/// Size of an inflated chunk; a value above `most` if it exceeds that.
Size unfolded_bytes(const std::vector<std::uint8_t>& stored, Size most) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return 0;
  stream.next_in = const_cast<std::uint8_t*>(stored.data());
  stream.avail_in = static_cast<uInt>(stored.size());
  std::array<std::uint8_t, 16384> out;
  int state = Z_OK;
  while (state == Z_OK && stream.total_out <= most) {
    stream.next_out = out.data();
    stream.avail_out = out.size();
    state = inflate(&stream, Z_NO_FLUSH);
  }
  const Size bytes = stream.total_out;
  inflateEnd(&stream);
  return bytes;
}

/// Filters in the order in which chunks pass them when written.
struct Pipeline {
  std::vector<int> filters = {};

  std::ptrdiff_t count(int filter) const { return std::ranges::count(filters, filter); }
  /// @param mask  Bits of the filters that were skipped for a chunk.
  bool deflates(unsigned mask) const {
    const auto index = std::ranges::find(filters, kDeflate) - filters.begin();
    return index < static_cast<std::ptrdiff_t>(filters.size()) && (index >= 32 || (mask >> index & 1) == 0);
  }
  /// Bytes of the checksums added to a chunk: before compression, or in total.
  Size checksum_bytes(bool before_deflate) const {
    constexpr Size kChecksum = 4;
    const auto end = before_deflate ? std::ranges::find(filters, kDeflate) : filters.end();
    return kChecksum * static_cast<Size>(std::count(filters.begin(), end, kFletcher));
  }
};

/// HDF5 inflates a chunk to its full content even if it exceeds the chunk size, but reads chunk-size bytes of the
/// result.
void check_stored_chunks(const Walk& walk, Id dataset, Id space, const std::string& name, Size chunk_bytes,
                         const Pipeline& pipeline) {
  const Size most = chunk_bytes + 64;  // 64 bytes for checksums
  Size count = 0;
  call<int>("H5Dget_num_chunks", dataset, space, &count);
  std::vector<std::uint8_t> stored;
  for (Size i = 0; i < count; ++i) {
    std::array<Size, kMaxDims> offset{};
    unsigned mask = 0;
    std::uint64_t address = 0;
    Size stored_bytes = 0;
    if (call<int>("H5Dget_chunk_info", dataset, space, i, offset.data(), &mask, &address, &stored_bytes) < 0) return;
    if (stored_bytes > most + most / 1000) walk.fail(name, "has a chunk that is larger than it unfolds to");
    const bool is_folded = pipeline.deflates(mask);
    const Size least = chunk_bytes + pipeline.checksum_bytes(is_folded);
    if (walk.is_thorough && !is_folded && stored_bytes < least) walk.fail(name, "has a chunk that is cut off");
    if (!is_folded || (!walk.is_thorough && stored_bytes <= kSmallStored)) continue;
    // Several chunks may be stored for one position, and HDF5 finds the chunk that it reads by its position.
    Size found_bytes = 0;
    if (call<int>("H5Dget_chunk_storage_size", dataset, static_cast<const Size*>(offset.data()), &found_bytes) < 0 ||
        found_bytes != stored_bytes)
      walk.fail(name, "has chunks that lie over each other");
    stored.resize(stored_bytes);
    std::uint32_t filters = 0;
    if (call<int>("H5Dread_chunk", dataset, kDefault, static_cast<const Size*>(offset.data()), &filters,
                  static_cast<void*>(stored.data())) < 0)
      return;  // reading the data would fail, too
    const Size unfolded = unfolded_bytes(stored, most);
    if (unfolded > most) walk.fail(name, "has a chunk that unfolds to more than its size");
    if (walk.is_thorough && unfolded < least) walk.fail(name, "has a chunk that unfolds to less than its size");
  }
}

void check_chunks(const Walk& walk, Id dataset, Id space, Id layout, const std::string& name, Size element_bytes) {
  std::array<Size, kMaxDims> sizes{};
  const int rank = call<int>("H5Pget_chunk", layout, kMaxDims, sizes.data());
  Size chunk_bytes = element_bytes;
  for (int i = 0; i < std::min(rank, kMaxDims); ++i)
    chunk_bytes = saturated_product(chunk_bytes, sizes[static_cast<std::size_t>(i)]);
  if (chunk_bytes > kMaxChunkBytes) walk.fail(name, "has chunks of " + bytes_text(chunk_bytes));
  const int num_filters = call<int>("H5Pget_nfilters", layout);
  Pipeline pipeline;
  for (unsigned i = 0; i < static_cast<unsigned>(std::max(num_filters, 0)); ++i) {
    unsigned flags = 0, configuration = 0;
    std::size_t num_values = 0;
    char filter_name[1];
    const int filter = call<int>("H5Pget_filter2", layout, i, &flags, &num_values, static_cast<unsigned*>(nullptr),
                                 std::size_t{0}, static_cast<char*>(filter_name), &configuration);
    pipeline.filters.push_back(filter);
    if (filter != kDeflate && filter != kShuffle && filter != kFletcher)
      walk.fail(name, "is compressed by filter " + std::to_string(filter));
  }
  if (pipeline.count(kDeflate) > 1) walk.fail(name, "is compressed twice");
  if (walk.is_thorough || pipeline.count(kDeflate) > 0)
    check_stored_chunks(walk, dataset, space, name, chunk_bytes, pipeline);
}

/// HDF5 reads out of bounds if the file stores fewer bytes of an array than its elements need.
void check_extent(const Walk& walk, Id dataset, const std::string& name, bool is_compact, Size bytes) {
  constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  const Size file_bytes = std::filesystem::file_size(walk.path);
  if (bytes > file_bytes) walk.fail(name, "has " + bytes_text(bytes) + ", more than the file");
  const auto offset = call<std::uint64_t>("H5Dget_offset", dataset);
  if (offset == kNowhere && !is_compact) return;  // no data are stored
  const Size stored = call<Size>("H5Dget_storage_size", dataset);
  if (stored != bytes) walk.fail(name, "has " + bytes_text(bytes) + " of which " + bytes_text(stored) + " are stored");
  if (!is_compact && (offset > file_bytes || bytes > file_bytes - offset)) walk.fail(name, "ends after the file");
}

void check_object(Walk& walk, Id object, const std::string& name);

/// Checks the objects that cells refer to: matio follows references without a limit, even in cycles.
void check_cells(Walk& walk, Id dataset, Size count, const std::string& name) {
  if (count > kMaxCells)
    walk.fail(name, "has " + std::to_string(count) + " cells, more than " + std::to_string(kMaxCells));
  std::vector<std::uint64_t> references(count);
  const auto* const type = static_cast<const Id*>(dlsym(RTLD_DEFAULT, "H5T_STD_REF_OBJ_g"));
  if (!type ||
      call<int>("H5Dread", dataset, *type, kDefault, kDefault, kDefault, static_cast<void*>(references.data())) < 0)
    return;
  for (const std::uint64_t& reference : references) {
    const Handle object(call<Id>("H5Rdereference2", dataset, kDefault, 0, static_cast<const void*>(&reference)),
                        "H5Oclose");
    if (object.id() >= 0) check_object(walk, object.id(), name);
  }
}

void check_dataset(Walk& walk, Id dataset, const std::string& name) {
  const Handle type(call<Id>("H5Dget_type", dataset), "H5Tclose");
  const Handle space(call<Id>("H5Dget_space", dataset), "H5Sclose");
  const Handle layout(call<Id>("H5Dget_create_plist", dataset), "H5Pclose");
  if (type.id() < 0 || space.id() < 0 || layout.id() < 0) walk.fail(name, "cannot be opened");
  const Size element_bytes = type_bytes(type.id()), count = elements_of(space.id());
  if (element_bytes > kMaxElementBytes) walk.fail(name, "has elements of " + bytes_text(element_bytes));
  if (call<int>("H5Pget_external_count", layout.id()) > 0) walk.fail(name, "lies in another file");
  const int kind = call<int>("H5Pget_layout", layout.id());
  if (kind == kVirtual) walk.fail(name, "lies in another file");
  if (kind == kContiguous || kind == kCompact)
    check_extent(walk, dataset, name, kind == kCompact, saturated_product(count, element_bytes));
  if (kind == kChunked) check_chunks(walk, dataset, space.id(), layout.id(), name, element_bytes);
  if (call<int>("H5Tget_class", type.id()) == kReference) check_cells(walk, dataset, count, name);
}

void check_group(Walk& walk, Id group) {
  const auto look = +[](Id location, const char* name, const void* about, void* data) -> int {
    auto& state = *static_cast<Walk*>(data);
    try {
      int kind = 0;  // first member of the struct in all versions of HDF5
      std::copy_n(static_cast<const char*>(about), sizeof(kind), reinterpret_cast<char*>(&kind));
      if (kind != kHardLink) state.fail(name, "is a link");
      const Handle object(call<Id>("H5Oopen", location, name, kDefault), "H5Oclose");
      if (object.id() < 0) state.fail(name, "cannot be opened");
      check_object(state, object.id(), name);
    } catch (...) {  // exceptions must not pass through C code
      state.failure = std::current_exception();
    }
    return state.failure ? -1 : 0;
  };
  Size from = 0;
  const char* const iterates = dlsym(RTLD_DEFAULT, "H5Literate") ? "H5Literate" : "H5Literate1";
  call<int>(iterates, group, 0, 2, &from, look, static_cast<void*>(&walk));  // by name, in native order
  if (walk.failure) std::rethrow_exception(walk.failure);
}

void check_object(Walk& walk, Id object, const std::string& name) {
  if (++walk.num_objects > kMaxObjects) walk.fail(name, "leads to too many others");
  if (walk.depth >= kDeepest) walk.fail(name, "is nested deeper than " + std::to_string(kDeepest) + " levels");
  ++walk.depth;
  check_attributes(walk, object, name);
  const int kind = call<int>("H5Iget_type", object);
  if (kind == kGroup) check_group(walk, object);
  if (kind == kDataset) check_dataset(walk, object, name);
  --walk.depth;
}

}  // namespace

void check_hdf5(const std::filesystem::path& path, Hdf5Check check) {
  const Handle file(call<Id>("H5Fopen", path.c_str(), 0u, kDefault), "H5Fclose");
  FW_CHECK(file.id() >= 0, Data,
           path.string() << " is damaged, HDF5 cannot open it; take the file from its authors again");
  Walk walk{path.string(), check == Hdf5Check::kMatlab ? ", which no MATLAB file has" : ", and is not read",
            check == Hdf5Check::kThorough};
  check_group(walk, file.id());
}

namespace {

constexpr const char *kSingle = "H5T_IEEE_F32LE_g", *kSingleBig = "H5T_IEEE_F32BE_g";
constexpr std::array kNumberTypes = {kSingle,           kSingleBig,        "H5T_IEEE_F64LE_g", "H5T_IEEE_F64BE_g",
                                     "H5T_STD_I8LE_g",  "H5T_STD_U8LE_g",  "H5T_STD_I8BE_g",   "H5T_STD_U8BE_g",
                                     "H5T_STD_I16LE_g", "H5T_STD_I16BE_g", "H5T_STD_U16LE_g",  "H5T_STD_U16BE_g",
                                     "H5T_STD_I32LE_g", "H5T_STD_I32BE_g", "H5T_STD_U32LE_g",  "H5T_STD_U32BE_g"};
constexpr int kMaxRank = 3;
constexpr Size kMaxNumbers = Size{1} << 24;  // 4096 x 4096, and 64 MiB as floats

/// The size of each dimension. @throws Error(kData) for an array that is too large or empty.
std::vector<std::size_t> shape_of(Id dataset, const std::string& place) {
  const Handle space(call<Id>("H5Dget_space", dataset), "H5Sclose");
  const int rank = space.id() < 0 ? -1 : call<int>("H5Sget_simple_extent_ndims", space.id());
  FW_CHECK(rank >= 1 && rank <= kMaxRank, Data,
           place << " has " << rank << " dimensions, and 1 to " << kMaxRank
                 << " are read; take the file from the data set's authors again");
  std::array<Size, kMaxRank> sizes{};
  call<int>("H5Sget_simple_extent_dims", space.id(), sizes.data(), static_cast<Size*>(nullptr));
  Size count = 1;
  for (const Size size : std::span(sizes).first(static_cast<std::size_t>(rank))) {
    FW_CHECK(size >= 1 && size <= kMaxNumbers / count, Data,
             place << " is empty, or has more than " << kMaxNumbers
                   << " numbers; take the file from the data set's authors again");
    count *= size;
  }
  return {sizes.begin(), sizes.begin() + rank};
}

Id type_named(const char* name) {
  const auto* const type = static_cast<const Id*>(dlsym(RTLD_DEFAULT, name));
  FW_CHECK(type, Data, "this build's HDF5 has no " << name << "; install libhdf5 1.10 or later");
  return *type;
}

/// Whether a type is IEEE 754 binary16, for which HDF5 has no predefined type.
bool is_half(Id type, const char* single) {
  const Handle half(call<Id>("H5Tcopy", type_named(single)), "H5Tclose");
  call<int>("H5Tset_fields", half.id(), std::size_t{15}, std::size_t{10}, std::size_t{5}, std::size_t{0},
            std::size_t{10});
  call<int>("H5Tset_size", half.id(), std::size_t{2});
  call<int>("H5Tset_ebias", half.id(), std::size_t{15});
  return call<int>("H5Tequal", type, half.id()) > 0;
}

/// Accepts only native numeric types: HDF5 writes out of bounds for some invalid types that a file can define.
void check_numeric(Id dataset, const std::string& place) {
  const Handle type(call<Id>("H5Dget_type", dataset), "H5Tclose");
  const auto is_type = [&](const char* name) { return call<int>("H5Tequal", type.id(), type_named(name)) > 0; };
  const bool is_known = type.id() >= 0 && (std::ranges::any_of(kNumberTypes, is_type) || is_half(type.id(), kSingle) ||
                                           is_half(type.id(), kSingleBig));
  FW_CHECK(is_known, Data,
           place << " holds something else than integers of up to 32 bits or floating-point numbers of up to 64; take "
                    "the file from the data set's authors again");
}

Hdf5Numbers read_numbers(const std::string& path, const std::string& name) {
  check_hdf5(path, Hdf5Check::kThorough);
  const std::string place = mat_place(path, name);
  const Handle file(call<Id>("H5Fopen", path.c_str(), 0u, kDefault), "H5Fclose");
  const Handle dataset(call<Id>("H5Dopen2", file.id(), name.c_str(), kDefault), "H5Dclose");
  FW_CHECK(dataset.id() >= 0, Data, place << " is missing; take the file from the data set's authors again");
  check_numeric(dataset.id(), place);
  Hdf5Numbers numbers{shape_of(dataset.id(), place), {}};
  std::size_t count = 1;
  for (const std::size_t size : numbers.shape) count *= size;
  numbers.values.resize(count);
  const bool is_read = call<int>("H5Dread", dataset.id(), type_named("H5T_NATIVE_FLOAT_g"), kDefault, kDefault,
                                 kDefault, static_cast<void*>(numbers.values.data())) >= 0;
  FW_CHECK(is_read, Data, place << " cannot be read: the file is cut off or damaged; copy or download it again");
  return numbers;
}

}  // namespace

}  // namespace fernwood

extern "C" {

void fernwood_read_hdf5(const char* path, const char* name, fernwood::formats::Hdf5Numbers* numbers) {
  static std::mutex mutex;  // HDF5 may be built without thread safety
  const std::lock_guard lock(mutex);
  FW_CHECK(dlsym(RTLD_DEFAULT, "H5Fopen"), Usage,
           path << " is an HDF5 file, and this build's matio has no HDF5; install one that has (Debian and Ubuntu: "
                   "libmatio-dev), configure and build fernwood again");
  const fernwood::hdf5::QuietHdf5 quiet;
  *numbers = fernwood::read_numbers(path, name);
}
}
