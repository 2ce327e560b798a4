// The characters of UTF-8 and their classes, as the installed `regex` package has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unicode_classes.hpp"

namespace bpe_lab {

enum Class : unsigned { kOther = 0, kLetter = 1, kNumber = 2, kSpace = 3, kInvalid = 4 };

inline unsigned class_of(std::uint32_t code_point) {
  const unsigned block = kClassIndex[code_point >> 8];
  const unsigned packed = kClassBlocks[block * 64 + ((code_point & 255) >> 2)];
  return (packed >> ((code_point & 3) * 2)) & 3;
}

// The same for code points below U+10000, in one step: four to a byte.
inline constexpr struct BasicPlane {
  std::uint8_t packed[1 << 14] = {};
  constexpr BasicPlane() {
    for (unsigned i = 0; i < 1 << 14; ++i) packed[i] = kClassBlocks[kClassIndex[i >> 6] * 64 + (i & 63)];
  }
  unsigned class_of(std::uint32_t code_point) const {
    return (packed[code_point >> 2] >> ((code_point & 3) * 2)) & 3u;
  }
} kBasicPlane;

struct Character {
  unsigned kind;    // a Class
  unsigned length;  // bytes
};

inline bool is_continuation(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

// The character at p, which is not ASCII. Overlong forms, surrogates, code points above U+10FFFF and
// sequences cut off by `end` are kInvalid; their length is that of the longest valid beginning, the
// part that Python replaces by one U+FFFD.
inline Character decode_long(const std::uint8_t* p, const std::uint8_t* end) {
  const std::uint32_t lead = p[0];
  const std::ptrdiff_t left = end - p;
  if (lead < 0xC2 || lead > 0xF4) return {kInvalid, 1};
  if (lead < 0xE0) {
    if (left < 2 || !is_continuation(p[1])) return {kInvalid, 1};
    return {class_of((lead & 0x1F) << 6 | (p[1] & 0x3Fu)), 2};
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
    return {class_of((lead & 0x0F) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu)), 3};
  }
  if (left < 4 || !is_continuation(p[3])) return {kInvalid, 3};
  return {class_of((lead & 0x07) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 |
                   (p[3] & 0x3Fu)),
          4};
}

inline constexpr struct AsciiClasses {
  std::uint8_t kind[128] = {};
  constexpr AsciiClasses() {
    for (unsigned c = 0; c < 128; ++c) {
      const unsigned packed = kClassBlocks[kClassIndex[0] * 64 + (c >> 2)];
      kind[c] = static_cast<std::uint8_t>((packed >> ((c & 3) * 2)) & 3);
    }
  }
} kAscii;

inline Character character_at(const std::uint8_t* p, const std::uint8_t* end) {
  if (*p < 0x80) return {kAscii.kind[*p], 1};
  return decode_long(p, end);
}

}  // namespace bpe_lab
