// Bytes -> words ("pre-tokens") by the GPT-2 pattern, without a regex:
//   '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// One pass over UTF-8. A word is a run of one class of characters, so the scanner finds where runs
// begin: in 64 bytes of ASCII at once, with a bit per byte and no branch per word; elsewhere run by run,
// by a table of classes that was read off the `regex` package.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ascii_masks.hpp"
#include "characters.hpp"

namespace bpe_lab {

// Readable bytes that must follow the text: loads go past its end.
inline constexpr std::size_t kPadding = 32;

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

// Calls word(begin, end) for every word of a piece of text without special tokens. Returns where it
// stopped: `end`, or the first invalid byte.
template <class Word>
const std::uint8_t* scan_words(const std::uint8_t* p, const std::uint8_t* end, Word&& word) {
  [[maybe_unused]] unsigned pause = 0;  // words to go before 64 bytes are tried again: not all text is ASCII
  while (p < end) {
    if constexpr (kHasMasks) {
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
    }
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
