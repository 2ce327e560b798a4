// The characters of UTF-8 and their classes, as the installed `regex` package has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unicode_classes.hpp"

namespace bpe_lab {

enum Class : unsigned { kOther = 0, kLetter = 1, kNumber = 2, kSpace = 3, kInvalid = 16 };

// What a pattern with cases wants to know, too, as bits beside the class: in which part of a word a letter or a
// combining mark may stand.
enum Part : unsigned { kUpperPart = 4, kLowerPart = 8, kAnyPart = 12 };

// The class, and with kCases its parts.
template <bool kCases>
constexpr unsigned kind_of(std::uint32_t code_point) {
  if constexpr (kCases) {
    const unsigned packed = kCasedBlocks[kCasedIndex[code_point >> 8] * 128 + ((code_point & 255) >> 1)];
    return (packed >> ((code_point & 1) * 4)) & 15;
  } else {
    const unsigned packed = kClassBlocks[kClassIndex[code_point >> 8] * 64 + ((code_point & 255) >> 2)];
    return (packed >> ((code_point & 3) * 2)) & 3;
  }
}

// The same for code points below U+10000, in one step: the classes of several to a byte.
template <bool kCases>
struct BasicPlane {
  static constexpr unsigned kBits = kCases ? 4 : 2, kShift = kCases ? 1 : 2, kBlock = 256 >> kShift;
  std::uint8_t packed[0x10000 >> kShift] = {};
  constexpr BasicPlane() {
    for (unsigned i = 0; i < 0x10000 >> kShift; ++i) {
      const unsigned block = i / kBlock, at = i % kBlock;
      packed[i] = kCases ? kCasedBlocks[kCasedIndex[block] * kBlock + at]
                         : kClassBlocks[kClassIndex[block] * kBlock + at];
    }
  }
  unsigned class_of(std::uint32_t code_point) const {
    return packed[code_point >> kShift] >> (code_point % (1 << kShift) * kBits) & ((1u << kBits) - 1);
  }
};

template <bool kCases>
inline constexpr BasicPlane<kCases> kBasicPlane;

struct Character {
  unsigned kind;    // a Class
  unsigned length;  // bytes
};

inline bool is_continuation(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

// The character at p, which is not ASCII. Overlong forms, surrogates, code points above U+10FFFF and
// sequences cut off by `end` are kInvalid; their length is that of the longest valid beginning, the
// part that Python replaces by one U+FFFD.
template <bool kCases = false>
Character decode_long(const std::uint8_t* p, const std::uint8_t* end) {
  const std::uint32_t lead = p[0];
  const std::ptrdiff_t left = end - p;
  if (lead < 0xC2 || lead > 0xF4) return {kInvalid, 1};
  if (lead < 0xE0) {
    if (left < 2 || !is_continuation(p[1])) return {kInvalid, 1};
    return {kind_of<kCases>((lead & 0x1F) << 6 | (p[1] & 0x3Fu)), 2};
  }
  // The second byte's range shuts out overlong forms, surrogates and what is above U+10FFFF.
  std::uint8_t low = 0x80, high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  if (left < 2 || p[1] < low || p[1] > high) return {kInvalid, 1};
  if (left < 3 || !is_continuation(p[2])) return {kInvalid, 2};
  if (lead < 0xF0) {
    return {kind_of<kCases>((lead & 0x0F) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu)), 3};
  }
  if (left < 4 || !is_continuation(p[3])) return {kInvalid, 3};
  return {kind_of<kCases>((lead & 0x07) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 |
                           (p[3] & 0x3Fu)),
          4};
}

template <bool kCases>
struct AsciiClasses {
  std::uint8_t kind[128] = {};
  constexpr AsciiClasses() {
    for (unsigned c = 0; c < 128; ++c) kind[c] = static_cast<std::uint8_t>(kind_of<kCases>(c));
  }
};

template <bool kCases>
inline constexpr AsciiClasses<kCases> kAsciiClasses;
inline constexpr const AsciiClasses<false>& kAscii = kAsciiClasses<false>;

template <bool kCases = false>
Character character_at(const std::uint8_t* p, const std::uint8_t* end) {
  if (*p < 0x80) return {kAsciiClasses<kCases>.kind[*p], 1};
  return decode_long<kCases>(p, end);
}

// The character that ends at p, and begins at `begin` or behind it.
inline Character character_before(const std::uint8_t* begin, const std::uint8_t* p) {
  const std::uint8_t* before = p - 1;
  while (before > begin && p - before < 4 && is_continuation(*before)) --before;
  const Character at = character_at(before, p);
  return before + at.length == p ? at : Character{kInvalid, 1};
}

}  // namespace bpe_lab
