// Pair -> its count and the ascending list of the places where it began when it was listed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "flat_words.hpp"
#include "stage.hpp"
#include "word_table.hpp"

namespace bpe_lab {

template <class Position>
class PostingTable {
 public:
  struct Posting {
    Pair pair = kFree;
    std::int64_t count = 0;
    std::size_t size = 0;
    Array<Position> places;
  };

  Posting* find(Pair pair) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash(pair) & mask;; i = (i + 1) & mask) {
      if (slots_[i].pair == pair) return &slots_[i];
      if (slots_[i].pair == kFree) return nullptr;
    }
  }

  // Adds a pair that the table does not have, with room for its places. When the table is full, pairs
  // below `floor`, which can never be chosen, leave it.
  Posting& insert(Pair pair, std::int64_t count, std::size_t places, std::int64_t floor) {
    if ((used_ + 1) * 2 > slots_.size()) grow(floor);
    Posting& posting = free_slot(slots_, pair);
    posting.pair = pair;
    posting.count = count;
    posting.size = 0;
    posting.places = Array<Position>(places);
    ++used_;
    return posting;
  }

  void clear() {
    slots_ = std::vector<Posting>(kSmallest);
    used_ = 0;
  }

 private:
  static constexpr Pair kFree = ~Pair{0};  // no pair: its ids would be separators
  static constexpr std::size_t kSmallest = 4096;

  static std::size_t hash(Pair pair) { return static_cast<std::size_t>(mix(pair ^ kSeed1, kSeed2)); }

  static Posting& free_slot(std::vector<Posting>& slots, Pair pair) {
    const std::size_t mask = slots.size() - 1;
    std::size_t i = hash(pair) & mask;
    while (slots[i].pair != kFree) i = (i + 1) & mask;
    return slots[i];
  }

  void grow(std::int64_t floor) {
    std::size_t kept = 0;
    for (const Posting& posting : slots_) kept += posting.count >= floor;
    std::size_t size = kSmallest;
    while (size < (kept + 1) * 4) size *= 2;
    std::vector<Posting> slots(size);
    for (Posting& posting : slots_) {
      if (posting.count >= floor) free_slot(slots, posting.pair) = std::move(posting);
    }
    slots_ = std::move(slots);
    used_ = kept;
  }

  std::vector<Posting> slots_{kSmallest};
  std::size_t used_ = 0;
};

}  // namespace bpe_lab
