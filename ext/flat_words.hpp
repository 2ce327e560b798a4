// All distinct words in one flat array of tokens.
//
// The words lie behind each other with a separator between them, the most frequent first, a cell per
// byte. A token that covers the cells p..q has its id in cell p and in cell q; the cells between them are
// dead. So the right neighbour of the token at p begins at p + length[id], and the left neighbour's id is
// in cell p - 1: nothing is linked, moved or rescanned, and a match in a word of 10 MB costs what one in
// a short word does.
//
// The words are sorted by their counts, so the weight of a position is a step function: for positions
// that ascend it is found by one pointer that moves forward, for a single one from the step that its
// block of cells begins in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "stage.hpp"
#include "vocab.hpp"
#include "word_counts.hpp"

namespace bpe_lab {

// The words, the most frequent first. They point to where they are counted.
inline WordRefs words_by_count(const WordCounts& counts, Checkpoint& checkpoint) {
  // Most counts are small: a counting sort puts those words in order. The few large counts come
  // first and are sorted by comparing.
  constexpr std::uint64_t kSmall = 4096;
  // Where the next word of a rank goes. Rank 0: the large counts; then 4095, ..., 1.
  std::vector<std::size_t> next(kSmall + 1);
  const auto rank = [](std::uint64_t count) { return count >= kSmall ? 0 : kSmall - count; };
  const auto each_word = [&](auto&& visit) {
    for (const WordSlot* slot = counts.next(nullptr); slot != nullptr; slot = counts.next(slot)) {
      checkpoint();
      visit(*slot);
    }
  };
  each_word([&](const WordSlot& slot) { ++next[rank(slot.count)]; });
  const std::size_t large = next[0];
  std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
  WordRefs words(counts.size());
  each_word([&](const WordSlot& slot) {
    words[next[rank(slot.count)]++] = {word_bytes(slot), slot.length, slot.count};
  });
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(large),
            [](const WordRef& a, const WordRef& b) { return a.count > b.count; });
  return words;
}

// Some of the cells, for one of several threads.
struct CellRange {
  std::size_t begin, end;
};

// `CellId`: of 16 bits where all ids are below kDead; a cache line then has twice the cells.
template <class CellId>
class FlatWordsOf {
 public:
  using Id = CellId;
  static constexpr Id kSeparator = static_cast<Id>(~Id{0}), kDead = kSeparator - 1;
  static constexpr bool kFetches = true;  // cells are asked for in advance; not in an ablation

  FlatWordsOf(const WordRefs& words, Checkpoint& checkpoint) : cells_(cells_needed(words)) {
    std::size_t at = 0;
    cells_[at++] = kSeparator;
    for (std::size_t word = 0; word < words.size(); ++word) {
      checkpoint();
      // In the order of their counts the words lie anywhere in the table.
      if (word + kAhead < words.size()) __builtin_prefetch(words[word + kAhead].bytes);
      const auto [bytes, length, count] = words[word];
      for (std::uint32_t i = 0; i < length; ++i) cells_[at++] = bytes[i];
      cells_[at++] = kSeparator;
      const auto weight = static_cast<std::int64_t>(count);
      if (!steps_.empty() && steps_.back().weight == weight) {
        steps_.back().end = at;
      } else {
        steps_.push_back({at, weight});
      }
    }
    step_of_block_.reserve(at / kCellsOfBlock + 1);
    for (std::size_t position = 0, step = 0; position < at; position += kCellsOfBlock) {
      while (step + 1 < steps_.size() && position >= steps_[step].end) ++step;
      step_of_block_.push_back(step);
    }
  }

  static std::size_t cells_needed(const WordRefs& words) {
    std::size_t cells = 1;
    for (const WordRef& word : words) cells += word.length + std::size_t{1};
    return cells;
  }

  Id* cells() { return cells_.data(); }
  const Id* cells() const { return cells_.data(); }

  // A step at or before that of the position, and near it.
  std::size_t step_near(std::size_t position) const { return step_of_block_[position / kCellsOfBlock]; }

  // The weight of a position. `step`: what step_near says of this position or a smaller one, or what
  // the last call for a smaller one left.
  std::int64_t weight(std::size_t position, std::size_t& step) const {
    step = step_at(position, step);
    return steps_[step].weight;
  }

  // Before the first pair is counted, has change(tokens, weight) shorten the tokens of each word, the most
  // frequent first.
  template <class Change>
  void change_words(const Vocab& vocab, Checkpoint& checkpoint, Change&& change) {
    std::vector<std::uint32_t> tokens;
    std::size_t begin = 1;
    for (const Step& step : steps_) {
      while (begin < step.end) {
        tokens.clear();
        std::size_t position = begin;
        for (; cells_[position] != kSeparator; ++position) tokens.push_back(cells_[position]);
        checkpoint(tokens.size() + 1);
        change(tokens, step.weight);
        std::fill(&cells_[begin], &cells_[position], kDead);
        for (const std::uint32_t token : tokens) {
          cells_[begin] = static_cast<Id>(token);
          begin += vocab.length(token);
          cells_[begin - 1] = static_cast<Id>(token);
        }
        begin = position + 1;
      }
    }
  }

  // Calls visit(left id, right id, position, weight) for every pair of neighbours.
  template <class Visit>
  void each_pair(const Vocab& vocab, Checkpoint& checkpoint, Visit&& visit) const {
    std::size_t position = 1;
    for (const Step& step : steps_) {
      while (position < step.end) {
        checkpoint();
        const Id left = cells_[position];
        if (left == kSeparator) {
          ++position;
          continue;
        }
        const std::size_t next = position + vocab.length(left);
        if (cells_[next] != kSeparator) visit(left, cells_[next], position, step.weight);
        position = next;
      }
    }
  }

  // The same before the first merge, when every token is one byte, for the pairs that begin in `cells`. Calls
  // checkpoint(pieces) now and then.
  template <class Check, class Visit>
  void each_byte_pair(const CellRange& cells, Check&& checkpoint, Visit&& visit) const {
    std::size_t position = cells.begin, step = step_near(position);
    while (position < cells.end) {
      step = step_at(position, step);
      const std::size_t stop = std::min({steps_[step].end, cells.end, position + kBytesBetweenAsks});
      checkpoint(stop - position);
      const std::int64_t weight = steps_[step].weight;
      for (; position < stop; ++position) {
        const Id left = cells_[position], right = cells_[position + 1];
        if (left < 256 && right < 256) visit(left, right, position, weight);
      }
    }
  }

  // A part of all cells in which a pair can begin; parts of equal size.
  CellRange part(std::size_t number, std::size_t parts) const {
    const std::size_t pairs = steps_.empty() ? 0 : steps_.back().end - 2;  // the first and last cell separate
    return {1 + pairs * number / parts, 1 + pairs * (number + 1) / parts};
  }

 private:
  // The step of a position at or behind the step `from`: doubling strides, then halving ones.
  std::size_t step_at(std::size_t position, std::size_t from) const {
    if (position < steps_[from].end) return from;
    std::size_t stride = 1, low = from;  // position >= steps_[low].end
    while (low + stride < steps_.size() && position >= steps_[low + stride].end) {
      low += stride;
      stride *= 2;
    }
    std::size_t high = std::min(low + stride, steps_.size() - 1);
    while (low + 1 < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (position >= steps_[middle].end) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  // Words of one count, as far as `end`.
  struct Step {
    std::size_t end;
    std::int64_t weight;
  };

  static constexpr std::size_t kAhead = 16;  // words between a prefetch and its use
  static constexpr std::size_t kBytesBetweenAsks = 1 << 16;
  // About thirty words: the first of them occur so often that each is a step of its own.
  static constexpr std::size_t kCellsOfBlock = 256;

  Array<Id> cells_;
  std::vector<Step> steps_;
  std::vector<std::size_t> step_of_block_;
};

using FlatWords = FlatWordsOf<std::uint32_t>;
using FlatWordsOfShortIds = FlatWordsOf<std::uint16_t>;

// Whether 16 bits are enough for all ids.
inline bool has_short_ids(const Setup& setup) {
  return setup.end_id != 0 && setup.end_id <= FlatWordsOfShortIds::kDead;
}

// Whether 32 bits are too few for the positions of the words.
inline bool needs_wide_positions(const WordRefs& words) {
  return FlatWords::cells_needed(words) > 0xFFFFFFFFu;
}

}  // namespace bpe_lab
