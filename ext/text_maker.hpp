// Text of any length that is shaped like a language's, from integers only: the same bytes on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace bpe_lab {

// SplitMix64 (Steele, Lea and Flood 2014): one addition and a mix per number.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  static std::uint64_t mix(std::uint64_t number) {
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
    number = (number ^ number >> 27) * 0x94D049BB133111EB;
    return number ^ number >> 31;
  }

  std::uint64_t bits() { return mix(state_ += 0x9E3779B97F4A7C15); }

  // A number below `most`, which is less than 2^32.
  std::uint32_t below(std::uint64_t most) { return static_cast<std::uint32_t>((bits() >> 32) * most >> 32); }

 private:
  std::uint64_t state_;
};

// Ranks of words, drawn as often as the law says. A cell is one frequent rank, or a range of rare ones; one
// number finds it (Walker's alias method 1974, Vose 1991).
struct RankCell {
  std::uint32_t first;      // rank
  std::uint32_t width;      // ranks
  std::uint32_t threshold;  // of 2^32: below it this cell is meant, from it on the alias
  std::uint32_t alias;      // number of a cell
};

// What may follow two letters: 64 letters, each as often as in words of the language; 0 is the end.
using LetterChain = std::vector<std::uint8_t>;
constexpr std::size_t kLetters = 27, kChoices = 64;

// How a text is put together. Chances are of 65,536.
struct TextShape {
  std::uint64_t seed;
  std::uint32_t sentence_words;   // least number, and as many again at most twice
  std::uint32_t document_words;   // least number; most documents are some times as long
  std::uint32_t name_chance;      // that a rare word is a name, always with a capital
  std::uint32_t number_chance;
  std::uint32_t comma_chance;
  std::uint32_t quote_chance;     // of a sentence
  std::uint32_t paragraph_chance;  // that one ends with a sentence
};

class TextMaker {
 public:
  static constexpr std::size_t kLongestWord = 24, kLongestDocument = std::size_t{1} << 20;

  TextMaker(const std::vector<std::string>& frequent, LetterChain chain, std::vector<RankCell> cells,
            std::uint32_t kept_ranks, TextShape shape)
      : chain_(std::move(chain)), cells_(std::move(cells)), shape_(shape) {
    for (const std::string& word : frequent) {
      Spelled spelled{};
      spelled.length = static_cast<std::uint8_t>(std::min(word.size(), kLongestWord));
      std::memcpy(spelled.letters, word.data(), spelled.length);
      kept_.push_back(spelled);
    }
    while (kept_.size() < kept_ranks) kept_.push_back(spell(static_cast<std::uint32_t>(kept_.size())));
  }

  // Writes a document with its boundary, and returns its bytes: at most kLongestDocument.
  std::size_t document(std::uint64_t number, std::uint8_t* text) const {
    Draw draw(Draw::mix(shape_.seed) ^ Draw::mix(number + 1));
    std::uint8_t* end = text;
    // Three in four are between one and four times the least length, a few much longer.
    std::uint32_t words = shape_.document_words << (draw.below(4) == 0 ? draw.below(5) : draw.below(3));
    words += draw.below(words);
    for (bool begins = true; words > 0;) {
      const std::uint32_t length =
          std::min(words, shape_.sentence_words + draw.below(2 * shape_.sentence_words));
      end = sentence(draw, length, begins, end);
      words -= length;
      begins = words > 0 && draw.below(65536) < shape_.paragraph_chance;
      if (begins) {
        *end++ = '\n';
        *end++ = '\n';
      }
    }
    static const char boundary[] = "\n<|endoftext|>\n";
    std::memcpy(end, boundary, sizeof boundary - 1);
    return static_cast<std::size_t>(end - text) + sizeof boundary - 1;
  }

 private:
  struct Spelled {
    char letters[kLongestWord];
    std::uint8_t length;
    bool name;
  };

  std::uint8_t* sentence(Draw& draw, std::uint32_t length, bool begins, std::uint8_t* end) const {
    const bool quoted = draw.below(65536) < shape_.quote_chance;
    for (std::uint32_t at = 0; at < length; ++at) {
      if (at > 0 || !begins) *end++ = ' ';
      if (at == 0 && quoted) *end++ = '"';
      const std::uint64_t chances = draw.bits();
      if (at > 0 && (chances & 0xFFFF) < shape_.number_chance) {
        end = number(draw, end);
      } else {
        end = word(draw, at == 0, end);
      }
      if (at + 1 < length && (chances >> 16 & 0xFFFF) < shape_.comma_chance) *end++ = ',';
    }
    const std::uint32_t last = draw.below(16);
    *end++ = last == 0 ? '?' : last == 1 ? '!' : '.';
    if (quoted) *end++ = '"';
    return end;
  }

  std::uint8_t* word(Draw& draw, bool first, std::uint8_t* end) const {
    const std::uint64_t bits = draw.bits();
    const RankCell* cell = &cells_[(bits >> 32) * cells_.size() >> 32];
    if ((bits & 0xFFFFFFFF) >= cell->threshold) cell = &cells_[cell->alias];
    const std::uint32_t rank = cell->width == 1 ? cell->first : cell->first + draw.below(cell->width);
    const Spelled made = rank < kept_.size() ? kept_[rank] : spell(rank);
    std::memcpy(end, made.letters, kLongestWord);
    // Small letters are 32 above capitals.
    if (first || made.name) *end = static_cast<std::uint8_t>(*end - 32);
    return end + made.length;
  }

  static std::uint8_t* number(Draw& draw, std::uint8_t* end) {
    // A year, or as many digits as come.
    std::uint32_t value = draw.below(3) == 0 ? 1900 + draw.below(125) : draw.below(std::uint64_t{1} << draw.below(15));
    char digits[10];
    std::size_t length = 0;
    do {
      digits[length++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value > 0);
    while (length > 0) *end++ = static_cast<std::uint8_t>(digits[--length]);
    return end;
  }

  // The word of a rank, always the same one: letters that follow each other as in the language. Rare words are
  // longer, as they are there.
  Spelled spell(std::uint32_t rank) const {
    Draw draw(Draw::mix(shape_.seed + 1) + rank);
    Spelled made{};
    made.name = draw.below(65536) < shape_.name_chance;
    const std::size_t least = rank < 4096 ? 3 : rank < (1U << 18) ? 4 : 5;
    for (std::size_t before = 0, last = 0; made.length < kLongestWord;) {
      const std::uint8_t letter = chain_[(before * kLetters + last) * kChoices + draw.below(kChoices)];
      if (letter == 0 && made.length >= least) break;
      before = last;
      last = letter;
      // Too short: another word begins behind it.
      if (letter == 0) before = 0;
      if (letter != 0) made.letters[made.length++] = static_cast<char>('a' + letter - 1);
    }
    return made;
  }

  LetterChain chain_;
  std::vector<RankCell> cells_;
  std::vector<Spelled> kept_;
  TextShape shape_;
};

}  // namespace bpe_lab
