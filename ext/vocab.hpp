// The bytes of every token, as far as the rule needs them that decides between pairs of equal counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "stage.hpp"

namespace bpe_lab {

class Vocab {
 public:
  // Ids below `first_id` are the bytes, what `merges` make, and special tokens, which are in no pair.
  explicit Vocab(const Setup& setup)
      : max_token_bytes_(setup.max_token_bytes),
        length_(setup.first_id, 0),
        first_bytes_(setup.first_id, 0),
        begin_(setup.first_id, 0) {
    for (std::uint32_t id = 0; id < 256; ++id) {
      length_[id] = 1;
      first_bytes_[id] = std::uint64_t{id} << 56;
    }
    for (const Merge& merge : setup.merges) join(merge);
  }

  std::size_t length(std::uint32_t id) const { return length_[id]; }

  // Whether the token of a pair is short enough. That never changes: a pair that is not allowed is no candidate, ever.
  bool allows(Pair pair) const {
    return max_token_bytes_ == UINT32_MAX || length(left_of(pair)) + length(right_of(pair)) <= max_token_bytes_;
  }

  void add(std::uint32_t left, std::uint32_t right) {
    const auto new_id = static_cast<std::uint32_t>(length_.size());
    length_.push_back(0);
    first_bytes_.push_back(0);
    begin_.push_back(0);
    join({left, right, new_id});
  }

  // Whether (left bytes, right bytes) of `a` is smaller than that of `b`; a prefix is smaller. The order is
  // total, for no two ids have equal bytes: between two boundaries that no merge has crossed yet, what
  // merges have made of the same bytes is the same everywhere.
  bool less(Pair a, Pair b) const {
    const int left = compare(left_of(a), left_of(b));
    return left != 0 ? left < 0 : compare(right_of(a), right_of(b)) < 0;
  }

 private:
  void join(const Merge& merge) {
    const auto [left, right, new_id] = merge;
    const std::uint32_t left_length = length_[left], length = left_length + length_[right];
    const std::uint64_t behind = left_length < 8 ? first_bytes_[right] >> 8 * left_length : 0;
    first_bytes_[new_id] = first_bytes_[left] | behind;
    length_[new_id] = length;
    begin_[new_id] = bytes_.size();
    if (length <= 8) return;
    spell(left);
    spell(right);
  }

  int compare(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return 0;
    // Eight bytes as one number decide nearly always; a zero may be a byte or the end.
    if (first_bytes_[a] != first_bytes_[b]) return first_bytes_[a] < first_bytes_[b] ? -1 : 1;
    const std::uint32_t shorter = std::min(length_[a], length_[b]);
    const int order = shorter <= 8 ? 0 : std::memcmp(&bytes_[begin_[a]], &bytes_[begin_[b]], shorter);
    return order != 0 ? order : length_[a] < length_[b] ? -1 : 1;
  }

  // Appends the bytes of a part of a token of more than eight.
  void spell(std::uint32_t part) {
    const std::size_t length = length_[part], end = bytes_.size();
    bytes_.resize(end + length);
    if (length > 8) {
      std::memcpy(&bytes_[end], &bytes_[begin_[part]], length);
      return;
    }
    for (std::size_t i = 0; i < length; ++i) {
      bytes_[end + i] = static_cast<std::uint8_t>(first_bytes_[part] >> (56 - 8 * i));
    }
  }

  const std::size_t max_token_bytes_;
  std::vector<std::uint32_t> length_;       // a word is shorter than 4 GB
  std::vector<std::uint64_t> first_bytes_;  // the first is the highest; zeros behind the end
  std::vector<std::size_t> begin_;          // in bytes_
  std::vector<std::uint8_t> bytes_;         // of the tokens of more than eight
};

}  // namespace bpe_lab
