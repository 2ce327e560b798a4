// The named patterns, as what each adds to the one before it. bpe_lab/words/patterns.py has their regexes.
//
// gpt2: a word is a run of letters, of numbers or of others, with the blank before it; or a contraction, where a
// word would begin with its apostrophe; or white space, without its last character if something follows.
//
// llama3, read from its regex:
// - Letters take any one character before them that is no line end and no number, if that one begins a word: the
//   first of a run of others that has no blank before it, or the last of white space.
// - Numbers stand in groups of three, from the begin of their run, and take no blank.
// - Others take the line ends behind them. White space loses those; of the rest `\s*[\r\n]+` is one word: it goes back
//   until a line end is its last. What is left has none, and is white space as in gpt2.
// - Contractions may be in capitals. (?i:) folds as Unicode does: `s` is U+017F, too. No other letter of theirs has
//   such a twin; the tests try all.
//
// cl100k differs where white space reaches the end of a text: `\s++$` stands before `\s*[\r\n]`, so it is one word.
// No backtracking differs: a prefix is no letter, so it would not help to give it up.
//
// o200k: letters in two parts, an upper one X* [Lu Lt Lm Lo M] and a lower one Y+ [Ll Lm Lo M]; some are in both.
// - X is greedy. If a Ll stands behind the run of X, the word is that run and the run of Y behind it.
// - If not, Y takes the last character of X that is in both: there the word ends, as what follows it is no Y. If there
//   is none, the second alternative holds: all of X.
// - A mark is both, and a character that may stand before letters: either way the same word comes out. Other marks
//   are others, as `[^\s\p{L}\p{N}]` holds them.
// - A contraction belongs to the word before it. Others take slashes, too, among the line ends behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "characters.hpp"

namespace bpe_lab {

struct Gpt2 {
  static constexpr bool kAnyPrefix = false;         // letters take any character before them, not only a blank
  static constexpr unsigned kDigits = 0;            // numbers in a group; 0: all, and they take a blank
  static constexpr bool kLineEnds = false;          // belong to the others before them, and end white space
  static constexpr bool kCapitalContractions = false;
  static constexpr bool kOneWordAtEnd = false;      // white space at the end of a text
  static constexpr bool kCases = false;             // a word has an upper part and a lower one
};

struct Llama3 : Gpt2 {
  static constexpr bool kAnyPrefix = true;
  static constexpr unsigned kDigits = 3;
  static constexpr bool kLineEnds = true;
  static constexpr bool kCapitalContractions = true;
};

struct Cl100k : Llama3 {
  static constexpr bool kOneWordAtEnd = true;
};

struct Qwen2 : Llama3 {
  static constexpr unsigned kDigits = 1;
};

struct Nanochat : Llama3 {
  static constexpr unsigned kDigits = 2;
};

struct O200k : Llama3 {
  static constexpr bool kCases = true;
};

enum class PatternId { kGpt2, kCl100k, kLlama3, kQwen2, kNanochat, kO200k };

// Calls f with the traits of a pattern.
template <class F>
auto with_pattern(PatternId id, F&& f) {
  switch (id) {
    case PatternId::kGpt2: break;
    case PatternId::kCl100k: return f(Cl100k());
    case PatternId::kLlama3: return f(Llama3());
    case PatternId::kQwen2: return f(Qwen2());
    case PatternId::kNanochat: return f(Nanochat());
    case PatternId::kO200k: return f(O200k());
  }
  return f(Gpt2());
}

inline PatternId pattern_of(const std::string& id) {
  if (id == "gpt2") return PatternId::kGpt2;
  if (id == "cl100k") return PatternId::kCl100k;
  if (id == "llama3") return PatternId::kLlama3;
  if (id == "qwen2") return PatternId::kQwen2;
  if (id == "nanochat") return PatternId::kNanochat;
  if (id == "o200k") return PatternId::kO200k;
  throw std::invalid_argument("no scanner for pattern '" + id + "'");
}

inline bool is_line_end(std::uint8_t byte) { return byte == '\n' || byte == '\r'; }

// Whether a text may be cut before p, between two characters: a word ends there whatever stands before and behind,
// and what follows is cut into words as if nothing stood before it.
template <class Pattern>
bool may_cut(const std::uint8_t* begin, const std::uint8_t* p, const std::uint8_t* end) {
  if (p == begin || is_continuation(*p)) return false;
  const unsigned left = character_before(begin, p).kind, right = character_at<Pattern::kCases>(p, end).kind;
  if (left == kInvalid || right == kInvalid) return false;
  if (left == kNumber) return right != kNumber;
  // A mark or an apostrophe may go on with a word that has cases.
  if (left == kLetter) return Pattern::kCases ? (right & kAnyPart) == 0 && *p != '\'' : right != kLetter;
  return left != kSpace && right == kSpace && !(Pattern::kLineEnds && is_line_end(*p));
}

}  // namespace bpe_lab
