// Where special tokens stand in a text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace bpe_lab {

// The special tokens, sorted: those that begin like the text at a place stand side by side. Each byte narrows their
// range, and the rest of the only one left is compared at once: what a place costs hardly grows with their number.
class SpecialTokens {
 public:
  explicit SpecialTokens(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
    std::sort(tokens_.begin(), tokens_.end());
    for (const std::string& token : tokens_) {
      longest_ = std::max(longest_, token.size());
      ++range_[byte_of(token[0]) + 1];
      one_first_byte_ = one_first_byte_ && token[0] == tokens_[0][0];
    }
    for (std::size_t byte = 0; byte < 256; ++byte) range_[byte + 1] += range_[byte];
  }
  SpecialTokens(const SpecialTokens&) = delete;
  SpecialTokens& operator=(const SpecialTokens&) = delete;

  std::size_t longest() const { return longest_; }

  // The next one in [p, end): its first byte, and its length in `length`; `end` when there is none.
  const std::uint8_t* find(const std::uint8_t* p, const std::uint8_t* end,
                           std::size_t& length) const {
    length = 0;
    if (tokens_.empty()) return end;
    for (; p < end; ++p) {
      if (one_first_byte_) {
        p = static_cast<const std::uint8_t*>(
            std::memchr(p, tokens_[0][0], static_cast<std::size_t>(end - p)));
        if (p == nullptr) return end;
      } else if (range_[*p] == range_[*p + 1]) {
        continue;
      }
      length = match(p, end);
      if (length != 0) return p;
    }
    return end;
  }

  // Whether one begins before `cut` and ends after it.
  bool span(const std::uint8_t* begin, const std::uint8_t* cut, const std::uint8_t* end) const {
    if (tokens_.empty()) return false;
    const std::uint8_t* p = cut - std::min(longest_ - 1, static_cast<std::size_t>(cut - begin));
    for (; p < cut; ++p) {
      if (match(p, end) > static_cast<std::size_t>(cut - p)) return true;
    }
    return false;
  }

 private:
  // The length of the longest one that begins at p; 0: none does.
  std::size_t match(const std::uint8_t* p, const std::uint8_t* end) const {
    const std::size_t left = static_cast<std::size_t>(end - p);
    auto low = tokens_.begin() + range_[*p], high = tokens_.begin() + range_[*p + 1];
    std::size_t longest = 0;
    // All in the range have their first `at` bytes in common with the text, and the shortest stands first.
    for (std::size_t at = 1; low != high; ++at) {
      while (low != high && low->size() == at) {
        longest = at;
        ++low;
      }
      if (low == high || at == left) break;
      if (high - low == 1) {
        const std::size_t size = low->size();
        return size <= left && std::memcmp(p + at, low->data() + at, size - at) == 0 ? size : longest;
      }
      const std::uint8_t byte = p[at], least = byte_of((*low)[at]), most = byte_of(high[-1][at]);
      if (byte < least || byte > most) break;
      if (least == most) continue;  // a beginning that all share, as they mostly do
      low = std::partition_point(low, high, [&](const std::string& token) { return byte_of(token[at]) < byte; });
      high = std::partition_point(low, high, [&](const std::string& token) { return byte_of(token[at]) == byte; });
    }
    return longest;
  }

  static std::uint8_t byte_of(char c) { return static_cast<std::uint8_t>(c); }

  std::vector<std::string> tokens_;  // sorted
  std::uint32_t range_[257] = {};    // by first byte: where those that begin with it stand, up to the next one
  bool one_first_byte_ = true;
  std::size_t longest_ = 0;
};

}  // namespace bpe_lab
