// Bytes -> words ("pre-tokens") by the GPT-2 pattern, without a regex:
//   '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// One pass over UTF-8. A word is a run of one class of characters, so the scanner finds where runs
// begin: in 64 bytes at once, with a bit per byte and no branch per word; elsewhere run by run. The classes
// of what is not ASCII were read off the `regex` package.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "byte_masks.hpp"
#include "characters.hpp"
#include "patterns.hpp"
#include "word_walk.hpp"

namespace bpe_lab {

// The classes of 64 bytes, a bit per byte; a character of several bytes has as many bits.
struct Classes {
  std::uint64_t letter = 0, number = 0, space = 0, blank = 0, apostrophe = 0;
  std::uint64_t expected = 0;  // bits of the next 64 bytes that go on with the last character
  std::uint64_t unclear = 0;   // not 0: not UTF-8, or white space of several bytes

  std::uint64_t other() const { return ~(letter | number | space); }
};

// The characters of several bytes among 64 bytes.
struct LongClasses {
  std::uint64_t letter, number, expected, unclear;
};

// No branch on what a character is or how long: in text of many scripts nothing foresees that. `before`: bits
// of the bytes before. Integers all the way: what is passed in memory costs more than the masks themselves.
[[gnu::noinline]] inline LongClasses long_classes(const std::uint8_t* p, const std::uint8_t* end,
                                                  std::uint64_t valid, std::uint64_t long_,
                                                  std::uint64_t letter_before, std::uint64_t number_before,
                                                  std::uint64_t expected) {
  const LeadMasks masks = leads_of(p);
  const std::uint64_t lead = masks.lead & valid, three = masks.three & valid, four = masks.four & valid;
  const std::uint64_t following = long_ & ~lead;
  std::uint64_t unclear = following ^ (lead << 1 | three << 2 | four << 3 | expected);
  std::uint64_t low = 0, high = 0;  // the two bits of the class, where a character begins
  for (std::uint64_t left = lead & ~four; left != 0; left &= left - 1) {
    const unsigned at = static_cast<unsigned>(__builtin_ctzll(left));
    const unsigned is_three = static_cast<unsigned>(three >> at) & 1;
    const unsigned bits = (p[at] & 0x1Fu) << 12 | (p[at + 1] & 0x3Fu) << 6 | (p[at + 2] & 0x3Fu);
    const unsigned code_point = is_three ? bits & 0xFFFF : bits >> 6;
    const unsigned least = is_three ? 0x800 : 0x80;
    const std::uint64_t kind = kBasicPlane.class_of(code_point);
    low |= (kind & 1) << at;
    high |= (kind >> 1) << at;
    unclear |= (code_point < least) | (code_point - 0xD800 < 0x800);  // overlong; a surrogate
  }
  for (std::uint64_t left = four; left != 0; left &= left - 1) {
    const unsigned at = static_cast<unsigned>(__builtin_ctzll(left));
    const std::uint64_t kind = decode_long(p + at, end).kind;
    low |= (kind & 1) << at;
    high |= (kind >> 1 & 1) << at;
    unclear |= kind & kInvalid;
  }
  const auto whole = [following](std::uint64_t leads, std::uint64_t before) {
    std::uint64_t bits = leads | (before & following);
    for (int i = 0; i < 3; ++i) bits |= bits << 1 & following;
    return bits;
  };
  return {whole(low & ~high, letter_before), whole(high & ~low, number_before),
          lead >> 63 | three >> 62 | four >> 61, unclear | (low & high)};
}

// The classes of the 64 bytes at p, of which those behind the end of the text are white space: all white
// space at the end of a text is one word.
inline Classes classes_of(const std::uint8_t* p, const std::uint8_t* end, const Classes& before) {
  Classes classes;
  if (p >= end) {
    classes.space = ~std::uint64_t{0};
    classes.unclear = before.expected;
    return classes;
  }
  const Masks64 masks = masks_of(p);
  classes.letter = masks.letter;
  classes.number = masks.number;
  classes.space = masks.space;
  classes.blank = masks.blank;
  classes.apostrophe = masks.apostrophe;
  std::uint64_t valid = ~std::uint64_t{0}, long_ = masks.long_;
  if (end - p < 64) {
    valid = ~(~std::uint64_t{0} << (end - p));
    classes.letter &= valid;
    classes.number &= valid;
    classes.space |= ~valid;
    classes.blank &= valid;
    classes.apostrophe &= valid;
    long_ &= valid;
  }
  if ((long_ | before.expected) != 0) {
    const LongClasses more = long_classes(p, end, valid, long_, before.letter >> 63, before.number >> 63,
                                          before.expected);
    classes.letter |= more.letter;
    classes.number |= more.number;
    classes.expected = more.expected;
    classes.unclear = more.unclear;
  }
  return classes;
}

// Where words begin in 64 bytes, contractions aside: a run of one class is a word, and takes the blank before it;
// the last of several white-space characters stands apart.
inline std::uint64_t word_starts(const Classes& before, const Classes& here, const Classes& next) {
  const auto begins = [](std::uint64_t bits, std::uint64_t bits_before) {
    return bits & ~(bits << 1 | bits_before >> 63);
  };
  const std::uint64_t runs = begins(here.letter, before.letter) | begins(here.number, before.number) |
                             begins(here.other(), before.other());
  return (runs & ~(here.blank << 1 | before.blank >> 63)) | begins(here.space, before.space) |
         (here.space & ~(here.space >> 1 | next.space << 63));
}

// What contractions change. One at the end of 64 bytes reaches into the next 64.
struct Contractions {
  unsigned __int128 behind = 0;  // a word begins there
  unsigned __int128 within = 0;  // and none there

  std::uint64_t applied(std::uint64_t starts) const {
    return (starts & ~static_cast<std::uint64_t>(within)) | static_cast<std::uint64_t>(behind);
  }
};

// Word by word where 64 bytes at once will not do, else by the bits where words begin.
template <class Word>
const std::uint8_t* scan_blocks(const std::uint8_t* p, const std::uint8_t* const end, Word word) {
  while (p < end) {
    const std::uint8_t* begin = p;  // of the word that is being read
    std::uint64_t told = 1;         // a bit where a word begins that is known already
    Contractions contractions;
    Classes before;
    before.space = ~std::uint64_t{0};
    Classes here = classes_of(p, end, before);
    while (here.unclear == 0) {
      const Classes next = classes_of(p + 64, end, here);
      if (next.unclear != 0) break;  // who knows what follows the last of these bytes
      contractions.behind >>= 64;
      contractions.within >>= 64;
      std::uint64_t starts = contractions.applied(word_starts(before, here, next));
      const std::uint64_t letter_next = here.letter >> 1 | std::uint64_t{1} << 63;
      for (std::uint64_t left = here.apostrophe & starts & letter_next; left != 0; left &= left - 1) {
        const unsigned at = static_cast<unsigned>(__builtin_ctzll(left));
        if (const unsigned length = contraction<Gpt2>(p + at, end)) {
          contractions.within |= static_cast<unsigned __int128>(2) << at;
          contractions.behind |= static_cast<unsigned __int128>(1) << (at + length);
        }
      }
      starts = contractions.applied(starts) & ~told;
      if (end - p < 64) starts &= ~(~std::uint64_t{0} << (end - p));
      for (; starts != 0; starts &= starts - 1) {
        const std::uint8_t* const after = p + static_cast<unsigned>(__builtin_ctzll(starts));
        word(begin, after);
        begin = after;
      }
      if (end - p <= 64) {
        word(begin, end);
        return end;
      }
      told = 0;
      before = here;
      here = next;
      p += 64;
    }
    const std::uint8_t* const over = end - p > 64 ? p + 64 : end;
    p = scan_runs<Gpt2>(begin, over, end, word);
    if (p < over) return p;
  }
  return end;
}

// Where the white space begins that is one word at the end of a text: not with line ends that belong to others.
inline const std::uint8_t* last_white_space(const std::uint8_t* const begin, const std::uint8_t* const end) {
  const std::uint8_t* p = end;
  Character before{kInvalid, 0};
  while (p > begin && (before = character_before(begin, p)).kind == kSpace) p -= before.length;
  if (p > begin && before.kind == kOther) {
    while (p < end && is_line_end(*p)) ++p;
  }
  return p;
}

// Calls word(begin, end) for every word of a piece of text without special tokens. Returns where it
// stopped: `end`, or the first invalid byte.
template <class Pattern = Gpt2, bool kByMasks = kHasMasks, class Word>
const std::uint8_t* scan_words(const std::uint8_t* p, const std::uint8_t* end, Word word) {
  if constexpr (Pattern::kOneWordAtEnd) {
    // Elsewhere it is the pattern that it was made from.
    const std::uint8_t* const last = last_white_space(p, end);
    const std::uint8_t* const stop = scan_words<Llama3, kByMasks>(p, last, word);
    if (stop != last || last == end) return stop;
    word(last, end);
    return end;
  } else if constexpr (kByMasks && std::is_same_v<Pattern, Gpt2>) {
    return scan_blocks(p, end, word);
  } else {
    return scan_runs<Pattern>(p, end, end, word);
  }
}

}  // namespace bpe_lab
