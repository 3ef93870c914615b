// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// CityHash64 in its first version (Pike and Alakuijala, version 1.0); later versions return other numbers.
#include <bit>
#include <cstring>
#include <utility>

#include "fernwood/records/category_table.h"

namespace fernwood::records {

namespace {

using u64 = std::uint64_t;

constexpr u64 kPrime0 = 0xc3a5c85c97cb3127, kPrime1 = 0xb492b66fbe98f273, kPrime2 = 0x9ae16a3b2f90404f,
              kPrime3 = 0xc949d7c7509e6557;

/// Little-endian numbers in a text, by their byte offset.
struct HashedText {
  std::string_view text;

  std::size_t size() const { return text.size(); }
  template <typename T>
  T number(std::size_t place) const {
    T value;
    std::memcpy(&value, text.data() + place, sizeof(T));
    return value;
  }
  u64 at(std::size_t place) const { return number<u64>(place); }
  u64 before_end(std::size_t bytes) const { return at(size() - bytes); }
  u64 byte(std::size_t place) const { return static_cast<unsigned char>(text[place]); }
};

u64 fold(u64 value) { return value ^ (value >> 47); }

/// Reduces 128 bits to 64.
u64 merge(u64 low, u64 high) {
  constexpr u64 kFactor = 0x9ddfea08eb382d69;
  const u64 inner = fold((low ^ high) * kFactor);
  return fold((high ^ inner) * kFactor) * kFactor;
}

u64 hash_up_to_16(const HashedText& text) {
  const std::size_t size = text.size();
  if (size > 8) {
    const u64 last = text.before_end(8);
    return merge(text.at(0), std::rotr(last + size, static_cast<int>(size))) ^ last;
  }
  if (size >= 4) {
    const u64 first = text.number<std::uint32_t>(0);
    return merge(size + (first << 3), text.number<std::uint32_t>(size - 4));
  }
  if (size == 0) return kPrime2;
  const u64 front = text.byte(0) + (text.byte(size / 2) << 8), back = size + (text.byte(size - 1) << 2);
  return fold((front * kPrime2) ^ (back * kPrime3)) * kPrime2;
}

u64 hash_up_to_32(const HashedText& text) {
  const u64 a = text.at(0) * kPrime1, b = text.at(8), c = text.before_end(8) * kPrime2,
            d = text.before_end(16) * kPrime0;
  return merge(std::rotr(a - b, 43) + std::rotr(c, 30) + d, a + std::rotr(b ^ kPrime3, 20) - c + text.size());
}

using Pair = std::pair<u64, u64>;

/// Mixes 32 bytes from `place` on, of which `a` already includes the first eight.
Pair mix_half(const HashedText& text, std::size_t place, u64 a, u64 z) {
  u64 b = std::rotr(a + z, 52), c = std::rotr(a, 37);
  a += text.at(place + 8);
  c += std::rotr(a, 7);
  a += text.at(place + 16);
  return {a + z, b + std::rotr(a, 31) + c};
}

u64 hash_up_to_64(const HashedText& text) {
  const std::size_t size = text.size();
  const Pair front = mix_half(text, 0, text.at(0) + (size + text.before_end(16)) * kPrime0, text.at(24));
  const Pair back = mix_half(text, size - 32, text.at(16) + text.before_end(32), text.before_end(8));
  const u64 mixed = fold((front.first + back.second) * kPrime2 + (back.first + front.second) * kPrime0);
  return fold(mixed * kPrime0 + front.second) * kPrime2;
}

/// Mixes 32 bytes from `place` on.
Pair mix_32(const HashedText& text, std::size_t place, u64 a, u64 b) {
  const u64 last = text.at(place + 24);
  a += text.at(place);
  b = std::rotr(b + a + last, 21);
  const u64 sum = a + text.at(place + 8) + text.at(place + 16);
  return {sum + last, b + std::rotr(sum, 44) + a};
}

u64 hash_longer(const HashedText& text) {
  const std::size_t size = text.size();
  u64 x = text.at(0), y = text.before_end(16) ^ kPrime1, z = text.before_end(56) ^ kPrime0;
  Pair v = mix_32(text, size - 64, size, y), w = mix_32(text, size - 32, size * kPrime1, kPrime0);
  z += fold(v.second) * kPrime1;
  x = std::rotr(z + x, 39) * kPrime1;
  y = std::rotr(y, 33) * kPrime1;
  const std::size_t whole = (size - 1) / 64 * 64;
  for (std::size_t place = 0; place < whole; place += 64) {
    x = std::rotr(x + y + v.first + text.at(place + 16), 37) * kPrime1;
    y = std::rotr(y + v.second + text.at(place + 48), 42) * kPrime1;
    x ^= w.second;
    y ^= v.first;
    z = std::rotr(z ^ w.first, 33);
    v = mix_32(text, place, v.second * kPrime1, x + w.first);
    w = mix_32(text, place + 32, z + w.second, y);
    std::swap(z, x);
  }
  return merge(merge(v.first, w.first) + fold(y) * kPrime1 + z, merge(v.second, w.second) + x);
}

}  // namespace

std::uint32_t category_of_text(std::string_view text) {
  const HashedText hashed{text};
  const std::size_t size = text.size();
  return static_cast<std::uint32_t>(size <= 16   ? hash_up_to_16(hashed)
                                    : size <= 32 ? hash_up_to_32(hashed)
                                    : size <= 64 ? hash_up_to_64(hashed)
                                                 : hash_longer(hashed));
}

}  // namespace fernwood::records
