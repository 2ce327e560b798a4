// The compiled stages with something left out, to see what it is worth, or set so that a test of small texts
// meets all of their code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core.hpp"
#include "flat_words.hpp"
#include "stage.hpp"
#include "threads.hpp"
#include "words_stage.hpp"

namespace bpe_lab {

// Without weights by position: the word of a position is looked up, then the count of the word.
template <class Id>
class WordsWithNumbers : public FlatWordsOf<Id> {
 public:
  WordsWithNumbers(const WordRefs& words, Checkpoint& go_on)
      : FlatWordsOf<Id>(words, go_on), word_of_{0} {
    word_of_.reserve(this->cells_needed(words));
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
// word positions ascend: `a a a` must be read from the left.
template <class Id>
class WordsInAnyOrder : public WordsWithNumbers<Id> {
 public:
  WordsInAnyOrder(const WordRefs& words, Checkpoint& go_on)
      : WordsWithNumbers<Id>(words, go_on) {
    std::size_t begin = 1;
    for (const WordRef& word : words) {
      words_.push_back({begin, word.length, static_cast<std::int64_t>(word.count)});
      begin += word.length + std::size_t{1};
    }
    // Not std::shuffle: each library has its own.
    std::mt19937_64 random(2024);
    for (std::size_t i = words_.size(); i > 1; --i) std::swap(words_[i - 1], words_[random() % i]);
  }

  template <class GoOn, class Visit>
  void each_byte_pair(const CellRange& part, GoOn&& go_on, Visit&& visit) {
    const Id* const tokens = this->cells();
    for (const Word& word : words_) {
      go_on(word.length);
      for (std::size_t p = word.begin; p + 1 < word.begin + word.length; ++p) {
        if (part.begin <= p && p < part.end) visit(tokens[p], tokens[p + 1], p, word.weight);
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

// How each of them is made, see make_stage.hpp.

// Threads share every scan, however short.
inline std::unique_ptr<Stage> make_openmp_scan_always(const WordRefs& words,
                                                      const Setup& setup) {
  require_threads(setup.threads);
  return std::make_unique<ScanStage>(words, setup, 0);
}

inline std::unique_ptr<Stage> make_core_wide(const WordRefs& words, const Setup& setup) {
  return std::make_unique<Core<std::uint64_t>>(words, setup);
}

inline void require_narrow_positions(const WordRefs& words) {
  if (needs_wide_positions(words)) {
    throw std::length_error("an ablation of the core holds 4 GB of distinct words at most: take core");
  }
}

// Cells of 32 bits, however few the ids are.
inline std::unique_ptr<Stage> make_core_long_ids(const WordRefs& words, const Setup& setup) {
  require_narrow_positions(words);
  return std::make_unique<Core<std::uint32_t, FlatWords>>(words, setup);
}

template <template <class> class InPlaceOfFlatWords = FlatWordsOf>
std::unique_ptr<Stage> make_ablation(const WordRefs& words, const Setup& setup,
                                     const CoreOptions& options = {}) {
  require_narrow_positions(words);
  if (has_short_ids(setup)) {
    return std::make_unique<Core<std::uint32_t, InPlaceOfFlatWords<std::uint16_t>>>(words, setup, options);
  }
  return std::make_unique<Core<std::uint32_t, InPlaceOfFlatWords<std::uint32_t>>>(words, setup, options);
}

// Every list is cut into as many parts as there are threads, and pairs of three positions are in the table.
inline std::unique_ptr<Stage> make_core_parts(const WordRefs& words, const Setup& setup) {
  CoreOptions options;
  options.least_part = 1;
  options.most_rare = 2;
  return make_ablation(words, setup, options);
}

inline std::unique_ptr<Stage> make_core_no_floor(const WordRefs& words, const Setup& setup) {
  CoreOptions options;
  options.floor = false;
  return make_ablation(words, setup, options);
}

inline std::unique_ptr<Stage> make_core_all_in_table(const WordRefs& words,
                                                     const Setup& setup) {
  CoreOptions options;
  options.most_rare = 0;
  return make_ablation(words, setup, options);
}

inline std::unique_ptr<Stage> make_core_looked_up_weights(const WordRefs& words,
                                                          const Setup& setup) {
  return make_ablation<WordsWithNumbers>(words, setup);
}

inline std::unique_ptr<Stage> make_core_unsorted_positions(const WordRefs& words,
                                                           const Setup& setup) {
  return make_ablation<WordsInAnyOrder>(words, setup);
}

}  // namespace bpe_lab
