// Bytes -> words ("pre-tokens") by the GPT-2 pattern, without a regex:
//   '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// One pass over UTF-8. A word is a run of one class of characters, so the scanner finds where runs
// begin: in 64 bytes of ASCII at once, with a bit per byte and no branch per word; elsewhere run by run,
// by a table of classes that was read off the `regex` package.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "unicode_classes.hpp"

#if defined(BPE_LAB_PORTABLE)
#elif defined(__SSE2__) || defined(_M_X64)
#define BPE_LAB_SSE2 1
#include <emmintrin.h>
#elif defined(__aarch64__)
#define BPE_LAB_NEON 1
#include <arm_neon.h>
#endif

namespace bpe_lab {

enum Class : unsigned { kOther = 0, kLetter = 1, kNumber = 2, kSpace = 3, kInvalid = 4 };

// Readable bytes that must follow the text: loads go past its end.
inline constexpr std::size_t kPadding = 32;

inline unsigned class_of(std::uint32_t code_point) {
  const unsigned block = kClassIndex[code_point >> 8];
  const unsigned packed = kClassBlocks[block * 64 + ((code_point & 255) >> 2)];
  return (packed >> ((code_point & 3) * 2)) & 3;
}

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

// How many of the bytes at p, 16 at most, are ASCII letters before the first that is not.
inline unsigned ascii_letters_portable(const std::uint8_t* p) {
  for (unsigned half = 0; half < 16; half += 8) {
    std::uint64_t x;
    std::memcpy(&x, p + half, 8);
    const std::uint64_t ones = 0x0101010101010101u, high = ones * 0x80;
    const std::uint64_t lower = (x | ones * 0x20) & ~high;
    // No byte carries into the next: each is below 128 before the addition.
    const std::uint64_t from_a = lower + ones * (0x80 - 'a');
    const std::uint64_t above_z = lower + ones * (0x80 - 'z' - 1);
    const std::uint64_t letters = from_a & ~above_z & ~x & high;
    if (letters != high) {
      unsigned count = 0;  // Byte by byte: the same on machines of either byte order.
      while (count < 8 && kAscii.kind[p[half + count] & 0x7F] == kLetter && p[half + count] < 0x80) {
        ++count;
      }
      return half + count;
    }
  }
  return 16;
}

inline unsigned ascii_letters(const std::uint8_t* p) {
#if defined(BPE_LAB_SSE2)
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i offset = _mm_sub_epi8(_mm_or_si128(x, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
  const __m128i letter = _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8(25)), offset);
  const unsigned others = static_cast<unsigned>(_mm_movemask_epi8(letter)) ^ 0xFFFFu;
  return static_cast<unsigned>(__builtin_ctz(others | 0x10000u));
#elif defined(BPE_LAB_NEON)
  const uint8x16_t x = vld1q_u8(p);
  const uint8x16_t offset = vsubq_u8(vorrq_u8(x, vdupq_n_u8(0x20)), vdupq_n_u8('a'));
  const uint8x16_t other = vcgtq_u8(offset, vdupq_n_u8(25));
  // Four bits per byte: the usual stand-in for a movemask.
  const std::uint64_t others =
      vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(other), 4)), 0);
  return others == 0 ? 16 : static_cast<unsigned>(__builtin_ctzll(others)) / 4;
#else
  return ascii_letters_portable(p);
#endif
}

// The end of the run of characters of class `kind` that begins at p. Stops at invalid bytes too.
inline const std::uint8_t* run_end(const std::uint8_t* p, const std::uint8_t* end, unsigned kind) {
  if (kind == kLetter) {
    while (p < end) {
      if (*p < 0x80) {
        const unsigned letters = ascii_letters(p);
        p += letters;
        if (letters == 16) continue;
        if (p >= end || *p < 0x80) break;
      }
      const Character next = decode_long(p, end);
      if (next.kind != kLetter) break;
      p += next.length;
    }
    return p < end ? p : end;
  }
  while (p < end) {
    const Character next = character_at(p, end);
    if (next.kind != kind) break;
    p += next.length;
  }
  return p;
}

// The length of a contraction ('s 'd 'm 't 'll 've 're) at p, which is an apostrophe; 0: none.
inline unsigned contraction(const std::uint8_t* p, const std::uint8_t* end) {
  const std::ptrdiff_t left = end - p;
  if (left < 2) return 0;
  switch (p[1]) {
    case 's': case 'd': case 'm': case 't':
      return 2;
    case 'l':
      return left > 2 && p[2] == 'l' ? 3 : 0;
    case 'v': case 'r':
      return left > 2 && p[2] == 'e' ? 3 : 0;
    default:
      return 0;
  }
}

#if defined(BPE_LAB_SSE2) || defined(BPE_LAB_NEON)
#define BPE_LAB_BLOCKS 1

// One bit per byte of 64: its class, and the two characters with a part of their own.
struct Masks64 {
  std::uint64_t letter = 0, number = 0, space = 0, blank = 0, apostrophe = 0, long_ = 0;
};

constexpr bool ascii_is_as_the_masks_have_it() {
  for (unsigned c = 0; c < 128; ++c) {
    unsigned kind = kOther;
    if ((c | 32) >= 'a' && (c | 32) <= 'z') kind = kLetter;
    if (c >= '0' && c <= '9') kind = kNumber;
    if (c == ' ' || (c >= 9 && c <= 13)) kind = kSpace;
    if (kAscii.kind[c] != kind) return false;
  }
  return true;
}
static_assert(ascii_is_as_the_masks_have_it(), "the regex package changed its ASCII classes");

#if defined(BPE_LAB_SSE2)
inline std::uint64_t bits_of(__m128i mask) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(mask));
}

inline __m128i in_range(__m128i x, char first, char size) {
  const __m128i offset = _mm_sub_epi8(x, _mm_set1_epi8(first));
  return _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8(static_cast<char>(size - 1))), offset);
}

inline Masks64 masks_of(const std::uint8_t* p) {
  Masks64 masks;
  for (unsigned i = 0; i < 64; i += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    const __m128i blank = _mm_cmpeq_epi8(x, _mm_set1_epi8(' '));
    masks.letter |= bits_of(in_range(_mm_or_si128(x, _mm_set1_epi8(32)), 'a', 26)) << i;
    masks.number |= bits_of(in_range(x, '0', 10)) << i;
    masks.space |= bits_of(_mm_or_si128(in_range(x, 9, 5), blank)) << i;
    masks.blank |= bits_of(blank) << i;
    masks.apostrophe |= bits_of(_mm_cmpeq_epi8(x, _mm_set1_epi8('\''))) << i;
    masks.long_ |= bits_of(x) << i;
  }
  return masks;
}
#else
// One bit per byte: each byte keeps the bit of its place, and three rounds of pairwise sums fold them.
inline std::uint64_t bits_of(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t place = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t ab = vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place));
  const uint8x16_t cd = vpaddq_u8(vandq_u8(c, place), vandq_u8(d, place));
  const uint8x16_t sum = vpaddq_u8(ab, cd);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}

inline Masks64 masks_of(const std::uint8_t* p) {
  uint8x16_t letter[4], number[4], space[4], blank[4], apostrophe[4], long_[4];
  for (unsigned i = 0; i < 4; ++i) {
    const uint8x16_t x = vld1q_u8(p + 16 * i);
    const uint8x16_t lower = vorrq_u8(x, vdupq_n_u8(32));
    letter[i] = vcltq_u8(vsubq_u8(lower, vdupq_n_u8('a')), vdupq_n_u8(26));
    number[i] = vcltq_u8(vsubq_u8(x, vdupq_n_u8('0')), vdupq_n_u8(10));
    blank[i] = vceqq_u8(x, vdupq_n_u8(' '));
    space[i] = vorrq_u8(vcltq_u8(vsubq_u8(x, vdupq_n_u8(9)), vdupq_n_u8(5)), blank[i]);
    apostrophe[i] = vceqq_u8(x, vdupq_n_u8('\''));
    long_[i] = vcgeq_u8(x, vdupq_n_u8(128));
  }
  const auto bits = [](const uint8x16_t* m) { return bits_of(m[0], m[1], m[2], m[3]); };
  return {bits(letter), bits(number), bits(space), bits(blank), bits(apostrophe), bits(long_)};
}
#endif

// Where words begin in the 64 bytes at p, where one does: a bit per byte. Bits are given as far as the
// bytes tell; what depends on a byte behind them, or on one that is not ASCII, is left out.
inline std::uint64_t word_starts(const std::uint8_t* p, const std::uint8_t* end) {
  const Masks64 m = masks_of(p);
  const std::uint64_t other = ~(m.letter | m.number | m.space);
  const std::uint64_t other_runs = other & ~(other << 1);
  const std::uint64_t runs =
      (m.letter & ~(m.letter << 1)) | (m.number & ~(m.number << 1)) | other_runs;
  // A run takes the blank before it; the last of several white-space characters stands apart.
  std::uint64_t starts = (runs & ~(m.blank << 1)) | (m.space & ~(m.space << 1)) |
                         (m.space & ~(m.space >> 1)) | 1;
  const unsigned known = m.long_ == 0 ? 64 : static_cast<unsigned>(__builtin_ctzll(m.long_));
  const std::uint64_t certain = known == 0 ? 0 : ~std::uint64_t{0} >> (64 - known) >> 1;
  std::uint64_t contractions =
      m.apostrophe & other_runs & starts & (m.letter >> 1) & certain;
  while (contractions != 0) {
    const unsigned at = static_cast<unsigned>(__builtin_ctzll(contractions));
    contractions &= contractions - 1;
    if (const unsigned length = contraction(p + at, end)) {
      starts &= ~(std::uint64_t{2} << at);
      if (at + length < 64) starts |= std::uint64_t{1} << (at + length);
    }
  }
  return starts & (certain | 1);
}
#endif

// Calls word(begin, end) for every word of a piece of text without special tokens. Returns where it
// stopped: `end`, or the first invalid byte.
template <class Word>
const std::uint8_t* scan_words(const std::uint8_t* p, const std::uint8_t* end, Word&& word) {
#if defined(BPE_LAB_BLOCKS)
  unsigned pause = 0;  // Words to go before 64 bytes are tried again: not every text is ASCII.
#endif
  while (p < end) {
#if defined(BPE_LAB_BLOCKS)
    if (pause == 0 && end - p >= 64) {
      std::uint64_t starts = word_starts(p, end) & ~std::uint64_t{1};
      if (starts != 0) {
        const std::uint8_t* begin = p;
        do {
          const std::uint8_t* const next = p + __builtin_ctzll(starts);
          word(begin, next);
          begin = next;
          starts &= starts - 1;
        } while (starts != 0);
        p = begin;
        continue;
      }
      pause = 8;
    } else if (pause > 0) {
      --pause;
    }
#endif
    const std::uint8_t* const begin = p;
    const bool blank = *p == ' ' && p + 1 < end;
    const std::uint8_t* const first = p + blank;  // ` ?` takes one blank before a run
    if (*first < 0x80 && kAscii.kind[*first] == kLetter) {
      // The way of nearly all words: a blank or none, then up to 16 ASCII letters.
      const unsigned letters = ascii_letters(first);
      p = first + letters;
      if (letters == 16 || (p < end && *p >= 0x80)) p = run_end(p, end, kLetter);
      if (p > end) p = end;
      word(begin, p);
      continue;
    }
    const Character at = character_at(first, end);
    if (at.kind == kInvalid) {
      if (blank) word(begin, first);
      return first;
    }
    if (at.kind != kSpace) {
      if (*first == '\'' && !blank) {
        if (const unsigned length = contraction(first, end)) {
          p = first + length;
          word(begin, p);
          continue;
        }
      }
      p = run_end(first + at.length, end, at.kind);
      word(begin, p);
      continue;
    }
    // White space: all of it at the end of the text, else all but its last character, which may be
    // the blank of the next word; one that stands alone is a word.
    const std::uint8_t* last = p;
    std::size_t characters = 0;
    while (p < end) {
      const Character next = character_at(p, end);
      if (next.kind != kSpace) break;
      last = p;
      p += next.length;
      ++characters;
    }
    if (p < end && characters > 1) p = last;
    word(begin, p);
  }
  return end;
}

}  // namespace bpe_lab
