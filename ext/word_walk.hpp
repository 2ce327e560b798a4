// Bytes -> words, word by word, by any of the named patterns (patterns.hpp): for all that masks do not tell, and for
// machines that have none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "byte_masks.hpp"
#include "characters.hpp"
#include "patterns.hpp"

namespace bpe_lab {

// Readable bytes that must follow the text: loads go past its end.
inline constexpr std::size_t kPadding = 64;

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
template <class Pattern>
unsigned contraction(const std::uint8_t* p, const std::uint8_t* end) {
  const std::ptrdiff_t left = end - p;
  const auto letter = [p](unsigned at) { return Pattern::kCapitalContractions ? p[at] | 32 : p[at]; };
  if (left < 2) return 0;
  switch (letter(1)) {
    case 's': case 'd': case 'm': case 't':
      return 2;
    case 'l':
      return left > 2 && letter(2) == 'l' ? 3 : 0;
    case 'v': case 'r':
      return left > 2 && letter(2) == 'e' ? 3 : 0;
    case 0xC5 | 32:  // U+017F is C5 BF
      return Pattern::kCapitalContractions && left > 2 && p[1] == 0xC5 && p[2] == 0xBF ? 3 : 0;
    default:
      return 0;
  }
}

inline bool is_ascii_letter(std::uint8_t byte) { return byte < 0x80 && kAscii.kind[byte] == kLetter; }

template <class Pattern>
bool is_letter(const Character& at) {
  return Pattern::kCases ? (at.kind & kAnyPart) != 0 : at.kind == kLetter;
}

// Whether a character, its first byte given, may stand before the letters of a word. It is no letter.
template <class Pattern>
bool is_prefix(unsigned kind, std::uint8_t first) {
  if (!Pattern::kAnyPrefix) return first == ' ';
  return (kind == kOther || kind == kSpace) && !is_line_end(first);
}

// The end of the letters of a word, of which the first is at p.
template <class Pattern>
const std::uint8_t* letters_end(const std::uint8_t* p, const std::uint8_t* end) {
  if constexpr (!Pattern::kCases) {
    return run_end(p, end, kLetter);
  } else {
    Character at = character_at<true>(p, end);
    const auto take = [&] {
      p += at.length;
      at = p < end ? character_at<true>(p, end) : Character{kOther, 0};
    };
    const std::uint8_t* behind_both = nullptr;
    while (at.kind & kUpperPart) {
      const bool both = at.kind & kLowerPart;
      take();
      if (both) behind_both = p;
    }
    if (at.kind & kLowerPart) {
      while (at.kind & kLowerPart) take();
    } else if (behind_both != nullptr) {
      p = behind_both;
    }
    return p < end && *p == '\'' ? p + contraction<Pattern>(p, end) : p;
  }
}

template <class Pattern>
const std::uint8_t* numbers_end(const std::uint8_t* p, const std::uint8_t* end) {
  if constexpr (Pattern::kDigits == 0) return run_end(p, end, kNumber);
  for (unsigned digits = 0; digits < Pattern::kDigits && p < end; ++digits) {
    const Character next = character_at(p, end);
    if (next.kind != kNumber) break;
    p += next.length;
  }
  return p;
}

template <class Pattern>
const std::uint8_t* others_end(const std::uint8_t* p, const std::uint8_t* end) {
  p = run_end(p, end, kOther);
  if constexpr (Pattern::kLineEnds) {
    while (p < end && (is_line_end(*p) || (Pattern::kCases && *p == '/'))) ++p;
  }
  return p;
}

// Up to the last line end, where these count; else all at the end of the text, else all but the last character, which
// may belong to the next word; one that stands alone is a word.
template <class Pattern>
const std::uint8_t* spaces_end(const std::uint8_t* p, const std::uint8_t* end) {
  const std::uint8_t* last = p;
  const std::uint8_t* behind_line_end = nullptr;
  std::size_t characters = 0;
  while (p < end) {
    const Character next = character_at(p, end);
    if (next.kind != kSpace) break;
    last = p;
    p += next.length;
    ++characters;
    if (Pattern::kLineEnds && is_line_end(*last)) behind_line_end = p;
  }
  if (behind_line_end != nullptr) return behind_line_end;
  return p < end && characters > 1 ? last : p;
}

// Calls word(begin, end) for every word that begins before `enough`. Returns where it stopped: at `enough` or behind
// it, or at an invalid byte.
template <class Pattern, class Word>
const std::uint8_t* scan_runs(const std::uint8_t* p, const std::uint8_t* enough, const std::uint8_t* end,
                              Word word) {
  constexpr bool kContractionIsWord = !Pattern::kCases;
  while (p < enough) {
    const std::uint8_t* const begin = p;
    const std::uint8_t* first = p + (*p == ' ' && p + 1 < end);
    if (is_ascii_letter(*first)) {
      // The way of nearly all words: a blank or none, then letters.
      p = letters_end<Pattern>(first, end);
      word(begin, p);
      continue;
    }
    const Character at = character_at<Pattern::kCases>(p, end);
    if (at.kind == kInvalid) return p;
    const std::uint8_t* const second = p + at.length;
    const unsigned length = kContractionIsWord && *p == '\'' ? contraction<Pattern>(p, end) : 0;
    if (length != 0) {
      p += length;
    } else if (is_letter<Pattern>(at)) {
      p = letters_end<Pattern>(p, end);
    } else if (is_prefix<Pattern>(at.kind, *p) && second < end &&
               is_letter<Pattern>(character_at<Pattern::kCases>(second, end))) {
      p = letters_end<Pattern>(second, end);
    } else {
      // Only a blank stands before others, and before numbers that are not in groups.
      const unsigned kind = character_at(first, end).kind;
      if (kind == kOther) {
        p = others_end<Pattern>(first, end);
      } else if (kind == kNumber && (first == p || Pattern::kDigits == 0)) {
        p = numbers_end<Pattern>(first, end);
      } else {
        p = spaces_end<Pattern>(p, end);
      }
    }
    word(begin, p);
  }
  return p;
}

}  // namespace bpe_lab
