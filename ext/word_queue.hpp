// Words on their way into a table: what is far away in memory is asked for some time before it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "word_table.hpp"

namespace bpe_lab {

// Words wait here until the cache lines of their slots have arrived: their keys are made as they come,
// and the table takes them in one go.
class WordQueue {
 public:
  explicit WordQueue(WordTable& table) : table_(table) {}
  WordQueue(const WordQueue&) = delete;
  WordQueue& operator=(const WordQueue&) = delete;

  // What the scanner calls for each word; 16 bytes from its begin on must be readable. Long words wait by address:
  // call drain() before their text goes away.
  auto adder() {
    return [this](const std::uint8_t* begin, const std::uint8_t* end) {
      push(word_key(begin, static_cast<std::size_t>(end - begin)), 1);
    };
  }

  void push(const WordKey& key, std::uint64_t count) {
    table_.prefetch(key.hash);
    *end_++ = {key, count};
    if (end_ == waiting_ + kWaiting) drain();
  }

  [[gnu::noinline]] void drain() {
    for (const Waiting* word = waiting_; word < end_; ++word) table_.add(word->key, word->count);
    end_ = waiting_;
  }

 private:
  struct Waiting {
    WordKey key;
    std::uint64_t count;
  };
  // A ring that takes one word for each that comes measured a fifth slower.
  static constexpr std::size_t kWaiting = 64;
  WordTable& table_;
  Waiting waiting_[kWaiting];
  Waiting* end_ = waiting_;
};

// What fills a word up to 16 bytes: a byte that is in no UTF-8, so that the word tells its own length.
inline constexpr struct Filled : Masks {
  constexpr Filled() {
    for (Mask& mask : of) mask = {~mask.low, ~mask.high};
  }
} kFilled;

inline WordKey key_of_filled(std::uint64_t low, std::uint64_t high) {
  // Not 0 where the word has bytes.
  const std::uint64_t has_low = ~low, has_high = ~high;
  const std::size_t length = has_high != 0 ? 16 - static_cast<unsigned>(__builtin_clzll(has_high)) / 8
                                           : 8 - static_cast<unsigned>(__builtin_clzll(has_low)) / 8;
  return short_key(low & kMasks.of[length].low, high & kMasks.of[length].high, length);
}

// A direct-mapped cache of words before the queue: nineteen of twenty words of English are found here, in the
// second-level cache, and need no good hash. A word has one slot; whoever is there is pushed out (evicted) with
// its count. Where many are, each of them a branch that nothing foresaw, the queue alone is faster.
//
// A free slot looks like a word of 16 NULs that was seen 0 times, and may be taken for it: it is counted then.
class RecentWords {
 public:
  explicit RecentWords(WordQueue& queue) : queue_(queue), slots_(new Slot[kSlots]()) {}

  // As that of the queue. The slots by value: a register in the scanner's loop.
  auto adder() {
    return [slots = slots_.get(), this](const std::uint8_t* begin, const std::uint8_t* end) {
      const std::size_t length = static_cast<std::size_t>(end - begin);
      if (length > kInlineBytes) {
        queue_.push(word_key(begin, length), 1);
        return;
      }
      const std::uint64_t low = load64(begin) | kFilled.of[length].low;
      const std::uint64_t high = load64(begin + 8) | kFilled.of[length].high;
      Slot& slot = slots[((low ^ (high >> 3 | high << 61)) * kSeed1) >> (64 - kSlotBits)];
      if (slot.low == low && slot.high == high) {
        ++slot.count;
        return;
      }
      if (slot.count != 0) push_out(slot);
      slot = {low, high, 1, 0};
    };
  }

  // All that is here goes into the queue.
  void flush() {
    for (std::size_t i = 0; i < kSlots; ++i) {
      if (slots_[i].count != 0) push_out(slots_[i]);
      slots_[i].count = 0;
    }
  }

  std::uint64_t pushed_out() const { return pushed_out_; }

 private:
  struct Slot {
    std::uint64_t low, high, count, unused;
  };
  static_assert(sizeof(Slot) == 32, "half a cache line: found by a shift");
  static constexpr unsigned kSlotBits = 14;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  void push_out(const Slot& slot) {
    ++pushed_out_;
    queue_.push(key_of_filled(slot.low, slot.high), slot.count);
  }

  WordQueue& queue_;
  const std::unique_ptr<Slot[]> slots_;
  std::uint64_t pushed_out_ = 0;
};

}  // namespace bpe_lab
