// What an encoder remembers of the words it has met: a cache of short words, and a store of words that were merged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "word_table.hpp"

namespace bpe_lab {

// Short word -> ids. A word of up to 16 bytes is in its slot or in the other one of the same cache line (the cache is
// two-way associative). Words are UTF-8: filled up with bytes that UTF-8 never has, they are two integers.
class IdCache {
 public:
  static constexpr std::size_t kInlineIds = 3;

  struct Slot {
    std::uint64_t low, high;
    std::uint32_t ids[kInlineIds];  // if there are more: where they begin in MergedWords
    std::uint32_t count;            // 0: free

    bool is(std::uint64_t l, std::uint64_t h) const { return low == l && high == h; }
  };
  static_assert(sizeof(Slot) == 32, "half a cache line: found by a shift");

  // `words`: how many will be put in right away.
  explicit IdCache(std::size_t words) {
    unsigned bits = 12;
    while (bits < kMaxBits && std::size_t{1} << bits < 8 * words) ++bits;
    set_slots(bits);
  }

  Slot* slots() { return slots_.data(); }
  unsigned bits() const { return bits_; }

  static std::size_t first_slot(std::uint64_t low, std::uint64_t high, unsigned bits) {
    return ((low ^ (high >> 3 | high << 61)) * kSeed1) >> (64 - bits);
  }

  // Where a word is, or else where to put it: in a free slot, unless both are taken.
  Slot& find(std::uint64_t low, std::uint64_t high) {
    const std::size_t first = first_slot(low, high, bits_);
    Slot &slot = slots_[first], &other = slots_[first ^ 1];  // of one cache line
    if (slot.count == 0 || slot.is(low, high)) return slot;
    return other.count == 0 || other.is(low, high) ? other : slot;
  }

  // Puts a word into the slot that `find` has returned. `begin`: where its ids begin in MergedWords, if they are many.
  void put(Slot& slot, std::uint64_t low, std::uint64_t high, const std::uint32_t* ids, std::size_t count,
           std::uint32_t begin) {
    taken_ += slot.count == 0;
    slot = {low, high, {begin, 0, 0}, static_cast<std::uint32_t>(count)};
    if (count <= kInlineIds) std::memcpy(slot.ids, ids, count * sizeof(*ids));
  }

  bool wants_to_grow() const { return 4 * taken_ > size() && bits_ < kMaxBits; }

  // Rarely, and then by a lot: it takes as long as about ten thousand new words.
  void grow() {
    const std::size_t before = size();
    const Array<Slot> old = set_slots(std::min(bits_ + 2, kMaxBits));
    for (std::size_t i = 0; i < before; ++i) {
      // Words of different lines belong in different lines now, too: there is room for all.
      if (old[i].count != 0) find(old[i].low, old[i].high) = old[i];
    }
  }

  // The slots stay where they are: words may wait for them.
  void clear() {
    std::memset(slots_.data(), 0, size() * sizeof(Slot));
    no_word_of_zeros();
    taken_ = 0;
  }

 private:
  static constexpr unsigned kMaxBits = 20;

  std::size_t size() const { return std::size_t{1} << bits_; }

  // Makes new slots, all of them free, and returns the old ones.
  Array<Slot> set_slots(unsigned bits) {
    Array<Slot> old = std::exchange(slots_, Array<Slot>::zeroed(std::size_t{1} << bits));
    no_word_of_zeros();
    bits_ = bits;
    return old;
  }

  // A free slot looks like the word of 16 zero bytes, which belongs in one of the first two: those must look different.
  void no_word_of_zeros() { slots_[0].low = slots_[1].low = ~std::uint64_t{0}; }

  unsigned bits_ = 0;
  Array<Slot> slots_;
  std::size_t taken_ = 0;
};

// Words that were merged before -> their ids, and the ids of those words of the cache that have many.
class MergedWords {
 public:
  static constexpr std::size_t kMaxLength = 256;  // of a word, in bytes

  // Of a word: where they begin, and how many there are; 0: the word is not here.
  struct Ids {
    std::uint32_t begin, count;
  };

  void prefetch(std::uint32_t hash) const { words_.prefetch(hash); }
  Ids find(const WordKey& key) const { return unpacked(words_.count_of(key)); }
  const std::uint32_t* ids(std::uint32_t begin) const { return &ids_[begin]; }

  // Returns where they begin.
  std::uint32_t add_ids(const std::uint32_t* ids, std::size_t count) {
    const std::size_t begin = ids_.size();
    ids_.insert(ids_.end(), ids, ids + count);
    return static_cast<std::uint32_t>(begin);
  }

  void add(const WordKey& key, const Ids& ids) {
    words_.add(key, std::uint64_t{ids.begin} << 16 | ids.count);
    bytes_ += key.length;
  }

  bool full() const { return words_.size() >= std::size_t{1} << 18 || bytes_ >= std::size_t{1} << 22; }

  void clear() {
    words_ = WordTable();
    ids_.clear();
    bytes_ = 0;
  }

  // Word -> its ids, packed.
  const WordTable& words() const { return words_; }
  static Ids unpacked(std::uint64_t packed) {
    return {static_cast<std::uint32_t>(packed >> 16), static_cast<std::uint32_t>(packed & 0xFFFF)};
  }

 private:
  WordTable words_;
  std::vector<std::uint32_t> ids_;
  std::size_t bytes_ = 0;  // of the words
};

}  // namespace bpe_lab
