// Many bytes at once: what 64 bytes are, as masks with a bit per byte, and the length of a run of ASCII
// letters. With SSE2 or NEON; elsewhere there are no masks, and letters are looked at eight at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "characters.hpp"

#if defined(BPE_LAB_PORTABLE)
#elif defined(__SSE2__)
#define BPE_LAB_SSE2 1
#include <emmintrin.h>
#elif defined(__aarch64__)
#define BPE_LAB_NEON 1
#include <arm_neon.h>
#endif

namespace bpe_lab {

// One bit per byte of 64: the class of an ASCII character, those with a part of their own, what is no ASCII, and what
// goes on with a character. Inlined, so that what the pattern does not ask for is left out.
struct Masks64 {
  std::uint64_t letter = 0, number = 0, space = 0, blank = 0, apostrophe = 0, long_ = 0;
  std::uint64_t upper = 0, line_end = 0, slash = 0, following = 0;
};

// Where the characters of several bytes begin, and which have three bytes or more, or four.
struct LeadMasks {
  std::uint64_t lead = 0, three = 0, four = 0;
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

// masks_of(p), leads_of(p): the masks of the 64 bytes at p.
// ascii_letters(p): how many of the bytes at p, 16 at most, are ASCII letters before the first that is not.

#if defined(BPE_LAB_SSE2)

inline constexpr bool kHasMasks = true;

inline std::uint64_t bits_of(__m128i mask) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(mask));
}

// Where x is not one of `size` bytes from `first` on. SSE2 compares signed bytes: the first is moved to the lowest.
inline __m128i outside(__m128i x, int first, int size) {
  return _mm_cmpgt_epi8(_mm_add_epi8(x, _mm_set1_epi8(static_cast<char>(-128 - first))),
                        _mm_set1_epi8(static_cast<char>(size - 129)));
}

[[gnu::always_inline]] inline Masks64 masks_of(const std::uint8_t* p) {
  std::uint64_t not_letter = 0, not_number = 0, not_space = 0, blank = 0, apostrophe = 0, long_ = 0;
  std::uint64_t not_upper = 0, line_end = 0, slash = 0, following = 0;
  for (unsigned i = 0; i < 64; i += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    not_letter |= bits_of(outside(_mm_or_si128(x, _mm_set1_epi8(32)), 'a', 26)) << i;
    not_number |= bits_of(outside(x, '0', 10)) << i;
    not_space |= bits_of(outside(x, 9, 5)) << i;
    blank |= bits_of(_mm_cmpeq_epi8(x, _mm_set1_epi8(' '))) << i;
    apostrophe |= bits_of(_mm_cmpeq_epi8(x, _mm_set1_epi8('\''))) << i;
    long_ |= bits_of(x) << i;
    not_upper |= bits_of(outside(x, 'A', 26)) << i;
    const __m128i is_return = _mm_cmpeq_epi8(x, _mm_set1_epi8('\r'));
    line_end |= bits_of(_mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\n')), is_return)) << i;
    slash |= bits_of(_mm_cmpeq_epi8(x, _mm_set1_epi8('/'))) << i;
    following |= bits_of(_mm_cmplt_epi8(x, _mm_set1_epi8(static_cast<char>(0xC0)))) << i;
  }
  return {~not_letter, ~not_number, ~not_space | blank, blank, apostrophe, long_,
          ~not_upper,  line_end,    slash,              following};
}

inline __m128i at_least(__m128i x, int least) {
  return _mm_cmpeq_epi8(_mm_max_epu8(x, _mm_set1_epi8(static_cast<char>(least))), x);
}

inline LeadMasks leads_of(const std::uint8_t* p) {
  LeadMasks masks;
  for (unsigned i = 0; i < 64; i += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    masks.lead |= bits_of(at_least(x, 0xC0)) << i;
    masks.three |= bits_of(at_least(x, 0xE0)) << i;
    masks.four |= bits_of(at_least(x, 0xF0)) << i;
  }
  return masks;
}

inline unsigned ascii_letters(const std::uint8_t* p) {
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const unsigned others = static_cast<unsigned>(
      _mm_movemask_epi8(outside(_mm_or_si128(x, _mm_set1_epi8(0x20)), 'a', 26)));
  return static_cast<unsigned>(__builtin_ctz(others | 0x10000u));
}

#elif defined(BPE_LAB_NEON)

inline constexpr bool kHasMasks = true;

// One bit per byte: each byte keeps the bit of its number, and three rounds of pairwise sums fold them.
inline std::uint64_t bits_of(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t ab = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
  const uint8x16_t cd = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
  const uint8x16_t sum = vpaddq_u8(ab, cd);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}

[[gnu::always_inline]] inline Masks64 masks_of(const std::uint8_t* p) {
  uint8x16_t letter[4], number[4], space[4], blank[4], apostrophe[4], long_[4];
  uint8x16_t upper[4], line_end[4], slash[4], following[4];
  for (unsigned i = 0; i < 4; ++i) {
    const uint8x16_t x = vld1q_u8(p + 16 * i);
    const uint8x16_t lower = vorrq_u8(x, vdupq_n_u8(32));
    letter[i] = vcltq_u8(vsubq_u8(lower, vdupq_n_u8('a')), vdupq_n_u8(26));
    number[i] = vcltq_u8(vsubq_u8(x, vdupq_n_u8('0')), vdupq_n_u8(10));
    blank[i] = vceqq_u8(x, vdupq_n_u8(' '));
    space[i] = vorrq_u8(vcltq_u8(vsubq_u8(x, vdupq_n_u8(9)), vdupq_n_u8(5)), blank[i]);
    apostrophe[i] = vceqq_u8(x, vdupq_n_u8('\''));
    long_[i] = vcgeq_u8(x, vdupq_n_u8(128));
    upper[i] = vcltq_u8(vsubq_u8(x, vdupq_n_u8('A')), vdupq_n_u8(26));
    line_end[i] = vorrq_u8(vceqq_u8(x, vdupq_n_u8('\n')), vceqq_u8(x, vdupq_n_u8('\r')));
    slash[i] = vceqq_u8(x, vdupq_n_u8('/'));
    following[i] = vcltq_u8(vsubq_u8(x, vdupq_n_u8(0x80)), vdupq_n_u8(0x40));
  }
  const auto bits = [](const uint8x16_t* m) { return bits_of(m[0], m[1], m[2], m[3]); };
  return {bits(letter), bits(number),   bits(space), bits(blank),    bits(apostrophe), bits(long_),
          bits(upper),  bits(line_end), bits(slash), bits(following)};
}

inline std::uint64_t at_least(const std::uint8_t* p, std::uint8_t least) {
  const uint8x16_t limit = vdupq_n_u8(least);
  return bits_of(vcgeq_u8(vld1q_u8(p), limit), vcgeq_u8(vld1q_u8(p + 16), limit),
                 vcgeq_u8(vld1q_u8(p + 32), limit), vcgeq_u8(vld1q_u8(p + 48), limit));
}

inline LeadMasks leads_of(const std::uint8_t* p) {
  return {at_least(p, 0xC0), at_least(p, 0xE0), at_least(p, 0xF0)};
}

inline unsigned ascii_letters(const std::uint8_t* p) {
  const uint8x16_t x = vld1q_u8(p);
  const uint8x16_t offset = vsubq_u8(vorrq_u8(x, vdupq_n_u8(0x20)), vdupq_n_u8('a'));
  const uint8x16_t other = vcgtq_u8(offset, vdupq_n_u8(25));
  // Four bits per byte: the usual stand-in for a movemask.
  const std::uint64_t others =
      vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(other), 4)), 0);
  return others == 0 ? 16 : static_cast<unsigned>(__builtin_ctzll(others)) / 4;
}

#else

inline constexpr bool kHasMasks = false;

Masks64 masks_of(const std::uint8_t* p);  // nobody calls these two
LeadMasks leads_of(const std::uint8_t* p);

inline unsigned ascii_letters(const std::uint8_t* p) {
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
      unsigned count = 0;
      while (count < 8 && kAscii.kind[p[half + count] & 0x7F] == kLetter && p[half + count] < 0x80) {
        ++count;
      }
      return half + count;
    }
  }
  return 16;
}

#endif

}  // namespace bpe_lab
