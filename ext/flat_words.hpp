// All distinct words in one flat array of tokens.
//
// The words lie behind each other with a separator between them, the most frequent first, a cell per
// byte. A token that covers the cells p..q has its id in cell p and in cell q; the cells between them are
// dead. So the right neighbour of the token at p begins at p + length[id], and the left neighbour's id is
// in cell p - 1: nothing is linked, moved or rescanned, and a word of 10 MB costs per merge what a
// million short ones do.
//
// The words are sorted by their counts, so the weight of a position is a step function: for positions
// that ascend it is found by one pointer that moves forward.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "stage.hpp"
#include "word_table.hpp"

namespace bpe_lab {

// The words of a table, the most frequent first. They point into the table.
inline std::vector<WordRef> words_by_count(const WordTable& table) {
  std::vector<WordRef> words;
  words.reserve(table.size());
  for (std::size_t i = 0; i < table.capacity(); ++i) {
    const WordSlot& slot = table.slot(i);
    if (slot.length != 0) words.push_back({word_bytes(slot), slot.length, slot.count});
  }
  std::sort(words.begin(), words.end(),
            [](const WordRef& a, const WordRef& b) { return a.count > b.count; });
  return words;
}

// An array that is not zeroed, and throws when memory is out.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) {
    if (size == 0) return;
    data_ = static_cast<T*>(std::malloc(size * sizeof(T)));
    if (data_ == nullptr) throw std::bad_alloc();
  }
  ~Array() { std::free(data_); }
  Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* data() { return data_; }

 private:
  T* data_ = nullptr;
};

class FlatWords {
 public:
  static constexpr std::uint32_t kSeparator = 0xFFFFFFFFu, kDead = 0xFFFFFFFEu;

  explicit FlatWords(const std::vector<WordRef>& words) : cells_(cells_needed(words)) {
    std::size_t at = 0;
    cells_[at++] = kSeparator;
    for (const WordRef& word : words) {
      for (std::uint32_t i = 0; i < word.length; ++i) cells_[at++] = word.bytes[i];
      cells_[at++] = kSeparator;
      const auto weight = static_cast<std::int64_t>(word.count);
      if (!steps_.empty() && steps_.back().weight == weight) {
        steps_.back().end = at;
      } else {
        steps_.push_back({at, weight});
      }
    }
  }

  static std::size_t cells_needed(const std::vector<WordRef>& words) {
    std::size_t cells = 1;
    for (const WordRef& word : words) cells += word.length + std::size_t{1};
    return cells;
  }

  std::uint32_t* cells() { return cells_.data(); }
  std::int64_t weight(std::size_t step) const { return steps_[step].weight; }

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

  // Calls visit(left id, right id, position, weight) for every pair of neighbours.
  template <class Visit>
  void each_pair(const Vocab& vocab, Visit&& visit) const {
    std::size_t position = 1;
    for (const Step& step : steps_) {
      while (position < step.end) {
        const std::uint32_t left = cells_[position];
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

  // The same before the first merge, when every token is one byte.
  template <class Visit>
  void each_byte_pair(Visit&& visit) const {
    std::size_t position = 1;
    for (const Step& step : steps_) {
      for (; position + 1 < step.end; ++position) {
        const std::uint32_t left = cells_[position], right = cells_[position + 1];
        if (left < 256 && right < 256) visit(left, right, position, step.weight);
      }
      ++position;  // the separator behind the last word of the step
    }
  }

 private:
  // Words of one count, as far as `end`.
  struct Step {
    std::size_t end;
    std::int64_t weight;
  };

  Array<std::uint32_t> cells_;
  std::vector<Step> steps_;
};

}  // namespace bpe_lab
