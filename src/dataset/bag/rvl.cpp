// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/rvl.h"

#include "fernwood/core/error.h"
#include "ros/byte_reader.h"

namespace fernwood::dataset {

namespace {

/// Variable-length numbers of three bits per digit, the lowest first; the fourth bit indicates a further digit. The
/// first digit of a word is its highest four bits.
class RvlNumbers {
 public:
  RvlNumbers(std::span<const std::uint8_t> bytes, const std::string& place) : reader_(bytes, place), place_(place) {}

  std::uint32_t next() {
    constexpr int kMostShift = 29;
    std::uint32_t number = 0;
    for (int shift = 0;; shift += 3) {
      FW_CHECK(shift <= kMostShift, Data, place_ << ": the depth is damaged (its RVL has a number without an end)");
      if (num_digits_ == 0) {
        word_ = reader_.number<std::uint32_t>();
        num_digits_ = 8;
      }
      const std::uint32_t digit = word_ >> 28;
      word_ <<= 4;
      --num_digits_;
      number |= (digit & 7) << shift;
      if ((digit & 8) == 0) return number;
    }
  }

 private:
  ros::ByteReader reader_;
  const std::string& place_;
  std::uint32_t word_ = 0;
  int num_digits_ = 0;
};

}  // namespace

Array2<std::uint16_t> unpack_rvl(std::span<const std::uint8_t> packed, std::size_t rows, std::size_t cols,
                                 const std::string& place) {
  Array2<std::uint16_t> depth(rows, cols);
  RvlNumbers numbers(packed, place);
  std::uint32_t previous = 0;
  for (std::size_t at = 0; at < depth.size();) {
    const std::size_t num_zeros = numbers.next(), num_known = numbers.next();
    FW_CHECK(num_zeros + num_known <= depth.size() - at && num_zeros + num_known > 0, Data,
             place << ": the depth is damaged (its RVL data have other pixels than the " << depth.size() << " of "
                   << cols << " x " << rows << ")");
    at += num_zeros;
    for (std::size_t i = 0; i < num_known; ++i) {
      const std::uint32_t folded = numbers.next();  // zigzag: 0, -1, 1, -2 … are stored as 0, 1, 2, 3 …
      previous += (folded >> 1) ^ (0u - (folded & 1));
      depth.data()[at++] = static_cast<std::uint16_t>(previous);
    }
  }
  return depth;
}

}  // namespace fernwood::dataset
