// Bytes -> words ("pre-tokens") by a named pattern, without a regex. GPT-2's is
//   '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// One pass over UTF-8. A word is a run of one class of characters, so the scanner finds where runs
// begin: in 64 bytes at once, with a bit per byte and no branch per byte; elsewhere word by word. The other patterns
// (patterns.hpp) move some of these begins: word_starts.hpp. The classes of what is not ASCII were read off the
// `regex` package.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block_classes.hpp"
#include "byte_masks.hpp"
#include "characters.hpp"
#include "patterns.hpp"
#include "word_starts.hpp"
#include "word_walk.hpp"

namespace bpe_lab {

// Where words begin in 64 bytes, contractions aside: a run of one class is a word, and takes the blank before it;
// the last of several white-space characters stands apart.
// [word_starts
inline std::uint64_t word_starts(const Classes& before, const Classes& here, const Classes& next) {
  const std::uint64_t runs = begins(here.letter, before.letter) | begins(here.number, before.number) |
                             begins(here.other(), before.other());
  return (runs & ~(here.blank << 1 | before.blank >> 63)) | begins(here.space, before.space) |
         (here.space & ~(here.space >> 1 | next.space << 63));
}
// word_starts]

template <>
class WordStarts<Gpt2> {
 public:
  bool operator()(const Classes& before, const Classes& here, const Classes& next, std::ptrdiff_t,
                  std::uint64_t& starts) const {
    starts = word_starts(before, here, next);
    return true;
  }
};

// What contractions change. One at the end of 64 bytes reaches into the next 64.
struct Contractions {
  unsigned __int128 behind = 0;  // a word begins there
  unsigned __int128 within = 0;  // and none there

  std::uint64_t applied(std::uint64_t starts) const {
    return (starts & ~static_cast<std::uint64_t>(within)) | static_cast<std::uint64_t>(behind);
  }

  // Those of the 64 bytes at p: where a word begins with the apostrophe, or, where they belong to the word before
  // them, behind a letter that does not end another.
  template <class Pattern>
  void find(const std::uint8_t* p, const std::uint8_t* end, const Classes& before, const Classes& here,
            std::uint64_t starts) {
    const std::uint64_t may_begin = Pattern::kCases ? after(here.letter, before.letter) : starts;
    const std::uint64_t letter_next = here.letter >> 1 | std::uint64_t{1} << 63;
    for (std::uint64_t left = here.apostrophe & may_begin & letter_next; left != 0; left &= left - 1) {
      const unsigned at = static_cast<unsigned>(__builtin_ctzll(left));
      if (Pattern::kCases && (behind >> at & 1) != 0) continue;
      if (const unsigned length = contraction<Pattern>(p + at, end)) {
        within |= static_cast<unsigned __int128>(Pattern::kCases ? (1 << length) - 1 : 2) << at;
        behind |= static_cast<unsigned __int128>(1) << (at + length);
      }
    }
  }
};

// Word by word where 64 bytes at once will not do, else by the bits where words begin.
template <class Pattern, class Word>
const std::uint8_t* scan_blocks(const std::uint8_t* p, const std::uint8_t* const end, Word word) {
  while (p < end) {
    const std::uint8_t* begin = p;  // of the word that is being read
    std::uint64_t told = 1;         // a bit where a word begins that is known already
    Contractions contractions;
    WordStarts<Pattern> find_starts;
    ClassesOf<Pattern> before;
    before.space = ~std::uint64_t{0};
    ClassesOf<Pattern> here = classes_of<Pattern>(p, end, before);
    while (here.unclear == 0) {
      const ClassesOf<Pattern> next = classes_of<Pattern>(p + 64, end, here);
      if (next.unclear != 0) break;  // who knows what follows the last of these bytes
      std::uint64_t starts = 0;
      if (!find_starts(before, here, next, end - p, starts)) break;
      contractions.behind >>= 64;
      contractions.within >>= 64;
      starts = contractions.applied(starts);
      contractions.template find<Pattern>(p, end, before, here, starts);
      starts = contractions.applied(starts) & ~told;
      if (end - p < 64) starts &= ~(~std::uint64_t{0} << (end - p));
      for (; starts != 0; starts &= starts - 1) {
        const std::uint8_t* const next_word = p + static_cast<unsigned>(__builtin_ctzll(starts));
        word(begin, next_word);
        begin = next_word;
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
    p = scan_runs<Pattern>(begin, over, end, word);
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
  } else if constexpr (kByMasks) {
    return scan_blocks<Pattern>(p, end, word);
  } else {
    return scan_runs<Pattern>(p, end, end, word);
  }
}

}  // namespace bpe_lab
