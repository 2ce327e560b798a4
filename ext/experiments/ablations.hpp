// What stands in the place of FlatWords when an idea of the core is left out, to see what it is worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "flat_words.hpp"

namespace bpe_lab {

// Without weights by position: the word of a position is looked up, then the count of the word.
class WordsWithNumbers : public FlatWords {
 public:
  WordsWithNumbers(const std::vector<WordRef>& words, Checkpoint& go_on)
      : FlatWords(words, go_on), word_of_{0} {
    word_of_.reserve(cells_needed(words));
    for (std::uint32_t number = 0; number < words.size(); ++number) {
      word_of_.insert(word_of_.end(), words[number].length + std::size_t{1}, number);
      counts_.push_back(static_cast<std::int64_t>(words[number].count));
    }
  }

  std::int64_t weight(std::size_t position, std::size_t&) const {
    return counts_[word_of_[position]];
  }

 private:
  std::vector<std::uint32_t> word_of_;
  std::vector<std::int64_t> counts_;
};

// Without sorted lists as well: the first lists are made word by word in any order, and so all others
// have the words in any order, too, until a floor is lowered: then they are made anew, in order. Within a
// word places ascend: `a a a` must be read from the left.
class WordsInAnyOrder : public WordsWithNumbers {
 public:
  WordsInAnyOrder(const std::vector<WordRef>& words, Checkpoint& go_on)
      : WordsWithNumbers(words, go_on) {
    std::size_t begin = 1;
    for (const WordRef& word : words) {
      words_.push_back({begin, word.length, static_cast<std::int64_t>(word.count)});
      begin += word.length + std::size_t{1};
    }
    // Not std::shuffle: each library has its own.
    std::mt19937_64 random(2024);
    for (std::size_t i = words_.size(); i > 1; --i) std::swap(words_[i - 1], words_[random() % i]);
  }

  template <class Visit>
  void each_byte_pair(Checkpoint& go_on, Visit&& visit) {
    const std::uint32_t* const tokens = cells();
    for (const Word& word : words_) {
      for (std::size_t p = word.begin; p + 1 < word.begin + word.length; ++p) {
        go_on();
        visit(tokens[p], tokens[p + 1], p, word.weight);
      }
    }
  }

 private:
  struct Word {
    std::size_t begin;
    std::uint32_t length;
    std::int64_t weight;
  };
  std::vector<Word> words_;
};

}  // namespace bpe_lab
