// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "plugins/dds_bytes.h"

#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/q_radmin.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "fernwood/ros/messages.h"

namespace fernwood::apps {

namespace {

/// A message in Cyclone DDS: reference-counted, and freed by free_sample().
struct Sample : ddsi_serdata {
  ros::EncodedMessage bytes;  ///< Padded to whole words.
  std::uint32_t size = 0;

  Sample(const ddsi_sertype* of_type, ddsi_serdata_kind of_kind) : ddsi_serdata{} {
    ddsi_serdata_init(this, of_type, of_kind);
  }
  void resize(std::size_t num_bytes) {
    constexpr std::size_t kWord = 4;
    bytes.resize((num_bytes + kWord - 1) / kWord * kWord);
    size = static_cast<std::uint32_t>(num_bytes);
  }
};

const Sample& as_sample(const ddsi_serdata* data) { return *static_cast<const Sample*>(data); }

/// Null if it is too large or memory is exhausted: then only this message is lost.
Sample* new_sample(const ddsi_sertype* type, ddsi_serdata_kind kind, std::size_t num_bytes) noexcept {
  if (num_bytes > kMaxSampleBytes) return nullptr;
  try {
    auto sample = std::make_unique<Sample>(type, kind);
    sample->resize(num_bytes);
    return sample.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Functions of a message that Cyclone DDS calls.

bool have_equal_keys(const ddsi_serdata*, const ddsi_serdata*) { return true; }  // no message has a key
std::uint32_t size_of(const ddsi_serdata* data) { return as_sample(data).size; }

/// Assembles a message. Fragments may overlap: of each, only the part after the end of the previous ones is copied.
ddsi_serdata* from_fragments(const ddsi_sertype* type, ddsi_serdata_kind kind, const nn_rdata* fragment,
                             std::size_t size) {
  Sample* const sample = new_sample(type, kind, size);
  std::size_t end = 0;
  for (; sample != nullptr && fragment != nullptr; fragment = fragment->nextfrag) {
    if (fragment->maxp1 <= end) continue;
    const std::size_t fragment_end = std::min<std::size_t>(fragment->maxp1, size);
    if (fragment->min > end || fragment_end <= end) break;  // a gap
    const std::uint8_t* const bytes = NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
    std::memcpy(sample->bytes.data() + end, bytes + (end - fragment->min), fragment_end - end);
    end = fragment_end;
  }
  if (sample != nullptr && end == size) return sample;
  delete sample;
  return nullptr;
}

ddsi_serdata* from_parts(const ddsi_sertype* type, ddsi_serdata_kind kind, ddsrt_msg_iovlen_t num_parts,
                         const ddsrt_iovec_t* parts, std::size_t size) {
  Sample* const sample = new_sample(type, kind, size);
  std::size_t end = 0;
  for (ddsrt_msg_iovlen_t i = 0; sample != nullptr && i < num_parts && end < size; ++i) {
    const std::size_t count = std::min<std::size_t>(parts[i].iov_len, size - end);
    std::memcpy(sample->bytes.data() + end, parts[i].iov_base, count);
    end += count;
  }
  return sample;
}

ddsi_serdata* from_key(const ddsi_sertype* type, const ddsi_keyhash*) { return new_sample(type, SDK_KEY, 0); }

ddsi_serdata* from_message(const ddsi_sertype* type, ddsi_serdata_kind kind, const void* message) {
  const auto& bytes = *static_cast<const std::span<const std::uint8_t>*>(message);
  Sample* const sample = new_sample(type, kind, bytes.size());
  if (sample != nullptr) std::ranges::copy(bytes, sample->bytes.begin());
  return sample;
}

void to_bytes(const ddsi_serdata* data, std::size_t offset, std::size_t size, void* bytes) {
  std::memcpy(bytes, as_sample(data).bytes.data() + offset, size);
}

ddsi_serdata* to_bytes_kept(const ddsi_serdata* data, std::size_t offset, std::size_t size, ddsrt_iovec_t* bytes) {
  bytes->iov_base = const_cast<std::uint8_t*>(as_sample(data).bytes.data() + offset);
  bytes->iov_len = size;
  return ddsi_serdata_ref(data);
}
void release_bytes(ddsi_serdata* data, const ddsrt_iovec_t*) { ddsi_serdata_unref(data); }

bool to_message(const ddsi_serdata* data, void* message, void**, void*) {
  const Sample& sample = as_sample(data);
  try {
    static_cast<ros::EncodedMessage*>(message)->assign(sample.bytes.begin(), sample.bytes.begin() + sample.size);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

ddsi_serdata* to_untyped(const ddsi_serdata* data) {
  Sample* const key = new_sample(data->type, SDK_KEY, 0);
  if (key != nullptr) key->type = nullptr;
  return key;
}
bool untyped_to_message(const ddsi_sertype*, const ddsi_serdata*, void* message, void**, void*) {
  static_cast<ros::EncodedMessage*>(message)->clear();
  return true;
}

void free_sample(ddsi_serdata* data) { delete static_cast<Sample*>(data); }

std::size_t print_sample(const ddsi_sertype*, const ddsi_serdata* data, char* text, std::size_t size) {
  return static_cast<std::size_t>(std::snprintf(text, size, "%u bytes", as_sample(data).size));
}

void key_of(const ddsi_serdata*, ddsi_keyhash* key, bool) { std::memset(key, 0, sizeof(*key)); }

const ddsi_serdata_ops& sample_functions() {
  static const ddsi_serdata_ops functions = [] {
    ddsi_serdata_ops all{};
    all.eqkey = have_equal_keys;
    all.get_size = size_of;
    all.from_ser = from_fragments;
    all.from_ser_iov = from_parts;
    all.from_keyhash = from_key;
    all.from_sample = from_message;
    all.to_ser = to_bytes;
    all.to_ser_ref = to_bytes_kept;
    all.to_ser_unref = release_bytes;
    all.to_sample = to_message;
    all.to_untyped = to_untyped;
    all.untyped_to_sample = untyped_to_message;
    all.free = free_sample;
    all.print = print_sample;
    all.get_keyhash = key_of;
    return all;
  }();
  return functions;
}

// Functions of the type. Cyclone DDS allocates samples only for callers that provide no memory; this caller does.

void free_type(ddsi_sertype* type) {
  ddsi_sertype_fini(type);
  delete type;
}
void clear_samples(const ddsi_sertype*, void*, std::size_t) {}
void allocate_samples(void**, const ddsi_sertype*, void*, std::size_t, std::size_t) {}
void free_samples(const ddsi_sertype*, void**, std::size_t, dds_free_op_t) {}
bool are_equal(const ddsi_sertype*, const ddsi_sertype*) { return true; }  // the names were already compared
std::uint32_t hash_of(const ddsi_sertype*) { return 0; }

const ddsi_sertype_ops& type_functions() {
  static const ddsi_sertype_ops functions = [] {
    ddsi_sertype_ops all{};
    all.version = ddsi_sertype_v0;
    all.free = free_type;
    all.zero_samples = clear_samples;
    all.realloc_samples = allocate_samples;
    all.free_samples = free_samples;
    all.equal = are_equal;
    all.hash = hash_of;
    return all;
  }();
  return functions;
}

}  // namespace

ddsi_sertype* make_bytes_type(const std::string& type_name) {
  auto* const type = new ddsi_sertype{};
  ddsi_sertype_init_flags(type, type_name.c_str(), &type_functions(), &sample_functions(),
                          DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
  type->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1 | DDS_DATA_REPRESENTATION_FLAG_XCDR2;
  return type;
}

}  // namespace fernwood::apps
