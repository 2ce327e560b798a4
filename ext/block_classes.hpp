// The classes of 64 bytes at once, a bit per byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "byte_masks.hpp"
#include "characters.hpp"
#include "patterns.hpp"

namespace bpe_lab {

// A character of several bytes has as many bits.
struct Classes {
  std::uint64_t letter = 0, number = 0, space = 0, blank = 0, apostrophe = 0;
  std::uint64_t expected = 0;  // bits of the next 64 bytes that go on with the last character
  std::uint64_t unclear = 0;   // not 0: not UTF-8; white space of several bytes; what is not told by its neighbours

  std::uint64_t other() const { return ~(letter | number | space); }
};

// For a pattern to which line ends, and the first of some others, are more than that.
struct ClassesWithLineEnds : Classes {
  std::uint64_t line_end = 0;
  std::uint64_t following = 0;  // bytes that go on with a character
};

// For a pattern with cases. Combining marks behind letters are letters here.
struct CasedClasses : ClassesWithLineEnds {
  std::uint64_t upper = 0, lower = 0;  // not letters of both parts
  std::uint64_t slash = 0;

  std::uint64_t both_parts() const { return letter & ~(upper | lower); }
};

// What is copied for every 64 bytes is no larger than the pattern needs it.
template <class Pattern>
using ClassesOf = std::conditional_t<Pattern::kCases, CasedClasses,
                                     std::conditional_t<Pattern::kLineEnds, ClassesWithLineEnds, Classes>>;

inline std::uint64_t after(std::uint64_t bits, std::uint64_t bits_before) { return bits << 1 | bits_before >> 63; }

// Where runs of ones begin.
inline std::uint64_t begins(std::uint64_t bits, std::uint64_t bits_before) { return bits & ~after(bits, bits_before); }

// The characters of several bytes among 64 bytes.
struct LongClasses {
  std::uint64_t letter, number, expected, unclear;
};

// And where those of a pattern with cases begin.
struct CasedLongClasses : LongClasses {
  std::uint64_t upper, lower, mark;
};

// All bytes of the characters that begin at `leads`. `before`: of one that began before these 64 bytes.
inline std::uint64_t whole(std::uint64_t leads, std::uint64_t before, std::uint64_t following) {
  std::uint64_t bits = leads | (before & following);
  for (int i = 0; i < 3; ++i) bits |= bits << 1 & following;
  return bits;
}

// No branch on what a character is or how long: in text of many scripts nothing foresees that. `before`: bits
// of the bytes before. Integers all the way: what is passed in memory costs more than the masks themselves.
template <bool kCases>
[[gnu::noinline]] std::conditional_t<kCases, CasedLongClasses, LongClasses> long_classes(
    const std::uint8_t* p, const std::uint8_t* end, std::uint64_t valid, std::uint64_t long_,
    std::uint64_t letter_before, std::uint64_t number_before, std::uint64_t expected) {
  const LeadMasks masks = leads_of(p);
  const std::uint64_t lead = masks.lead & valid, three = masks.three & valid, four = masks.four & valid;
  const std::uint64_t following = long_ & ~lead;
  std::uint64_t unclear = following ^ (lead << 1 | three << 2 | four << 3 | expected);
  std::uint64_t low = 0, high = 0;             // the two bits of the class, where a character begins
  std::uint64_t upper_part = 0, lower_part = 0;
  for (std::uint64_t left = lead & ~four; left != 0; left &= left - 1) {
    const unsigned at = static_cast<unsigned>(__builtin_ctzll(left));
    const unsigned is_three = static_cast<unsigned>(three >> at) & 1;
    const unsigned bits = (p[at] & 0x1Fu) << 12 | (p[at + 1] & 0x3Fu) << 6 | (p[at + 2] & 0x3Fu);
    const unsigned code_point = is_three ? bits & 0xFFFF : bits >> 6;
    const unsigned least = is_three ? 0x800 : 0x80;
    const std::uint64_t kind = kBasicPlane<kCases>.class_of(code_point);
    low |= (kind & 1) << at;
    high |= (kind >> 1 & 1) << at;
    if constexpr (kCases) {
      upper_part |= (kind >> 2 & 1) << at;
      lower_part |= (kind >> 3) << at;
    }
    unclear |= (code_point < least) | (code_point - 0xD800 < 0x800);  // overlong; a surrogate
  }
  for (std::uint64_t left = four; left != 0; left &= left - 1) {
    const unsigned at = static_cast<unsigned>(__builtin_ctzll(left));
    const std::uint64_t kind = decode_long<kCases>(p + at, end).kind;
    low |= (kind & 1) << at;
    high |= (kind >> 1 & 1) << at;
    if constexpr (kCases) {
      upper_part |= (kind >> 2 & 1) << at;
      lower_part |= (kind >> 3 & 1) << at;
    }
    unclear |= kind & kInvalid;
  }
  const std::uint64_t letter = kCases ? upper_part | lower_part : low & ~high;
  const LongClasses classes = {whole(letter, letter_before, following), whole(high & ~low, number_before, following),
                               lead >> 63 | three >> 62 | four >> 61, unclear | (low & high)};
  if constexpr (kCases) {
    return {classes, upper_part & ~lower_part, lower_part & ~upper_part, letter & ~low};
  } else {
    return classes;
  }
}

// The classes of the 64 bytes at p, of which those behind the end of the text are white space: all white
// space at the end of a text is one word.
template <class Pattern>
ClassesOf<Pattern> classes_of(const std::uint8_t* p, const std::uint8_t* end, const ClassesOf<Pattern>& before) {
  ClassesOf<Pattern> classes;
  if (p >= end) {
    classes.space = ~std::uint64_t{0};
    classes.unclear = before.expected;
    return classes;
  }
  const Masks64 masks = masks_of(p);
  const std::uint64_t valid = end - p < 64 ? ~(~std::uint64_t{0} << (end - p)) : ~std::uint64_t{0};
  classes.letter = masks.letter & valid;
  classes.number = masks.number & valid;
  classes.space = masks.space | ~valid;
  classes.blank = masks.blank & valid;
  classes.apostrophe = masks.apostrophe & valid;
  const std::uint64_t long_ = masks.long_ & valid;
  if constexpr (Pattern::kLineEnds) {
    classes.line_end = masks.line_end & valid;
    classes.following = masks.following & valid;
  }
  if constexpr (Pattern::kCases) {
    classes.upper = masks.upper & valid;
    classes.lower = classes.letter & ~classes.upper;
    classes.slash = masks.slash & valid;
  }
  if ((long_ | before.expected) != 0) {
    const auto more = long_classes<Pattern::kCases>(p, end, valid, long_, before.letter >> 63, before.number >> 63,
                                                    before.expected);
    classes.letter |= more.letter;
    classes.number |= more.number;
    classes.expected = more.expected;
    classes.unclear = more.unclear;
    if constexpr (Pattern::kCases) {
      classes.upper |= whole(more.upper, before.upper >> 63, classes.following);
      classes.lower |= whole(more.lower, before.lower >> 63, classes.following);
      // A mark that no letter stands before may be one of the others.
      classes.unclear |= more.mark & ~after(classes.letter, before.letter);
    }
  }
  // A capital behind a letter of both parts: whether a word begins there, lies with all letters around.
  if constexpr (Pattern::kCases) classes.unclear |= classes.upper & after(classes.both_parts(), before.both_parts());
  return classes;
}

}  // namespace bpe_lab
