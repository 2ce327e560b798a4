// Words on their way into a table: what is far away in memory is asked for some time before it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "arrays.hpp"
#include "word_counts.hpp"
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

// A direct-mapped cache of words before the counts: nineteen of twenty words of English are found here, in the
// second-level cache, and need no good hash. A word has one slot; whoever is there is pushed out (evicted) with
// its count, and waits with others of its part: their part is locked once for all of them, and their slots are asked for in
// advance. Long words go through a queue into a table of their own.
//
// A free slot looks like a word of 16 NULs that was seen 0 times, and may be taken for it: it is counted then.
class RecentWords {
 public:
  explicit RecentWords(WordCounts& counts) : counts_(counts) { counts.make_parts(); }

  // As that of the queue. With kBranch it is guessed that the word is in its slot, and a wrong guess costs as much as the
  // rest does; without, what would be pushed out is written each time, and kept if it was.
  template <bool kBranch>
  auto adder() {
    return [slots = slots_.data(), this](const std::uint8_t* begin, const std::uint8_t* end) {
      const std::size_t length = static_cast<std::size_t>(end - begin);
      if (length > kInlineBytes) {
        long_queue_.push(word_key(begin, length), 1);
        return;
      }
      const std::uint64_t low = load64(begin) | kFilled.of[length].low;
      const std::uint64_t high = load64(begin + 8) | kFilled.of[length].high;
      SeenWord& word = slots[((low ^ (high >> 3 | high << 61)) * kSeed1) >> (64 - kSlotBits)];
      const std::uint64_t known = (word.low == low) & (word.high == high);
      if (kBranch && known) {
        ++word.count;
        return;
      }
      *out_ = word;
      out_ += known ^ 1;
      word = {low, high, (word.count & -known) + 1};  // (`known ? word.count : 0` becomes a branch)
      if (out_ == pushed_out_ + kPushedOut) divide();
    };
  }

  // Call this before the text goes away: long words wait by address.
  void forget_text() { long_queue_.drain(); }

  // All that is here goes into the counts.
  void flush() {
    for (std::size_t i = 0; i < kSlots; ++i) {
      if (slots_[i].count != 0) *out_++ = std::exchange(slots_[i], SeenWord{});
      if (out_ == pushed_out_ + kPushedOut) divide();
    }
    divide();
    for (std::size_t part = 0; part < WordCounts::kParts; ++part) add(part);
    long_queue_.drain();
    counts_.take_long(std::move(long_words_));
  }

  std::uint64_t pushed_out() const { return all_pushed_out_ + static_cast<std::uint64_t>(out_ - pushed_out_); }

 private:
  static constexpr unsigned kSlotBits = 14;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  static constexpr std::size_t kPushedOut = 256, kWaiting = 512;

  [[gnu::noinline]] void divide() {
    all_pushed_out_ += static_cast<std::uint64_t>(out_ - pushed_out_);
    for (const SeenWord* word = pushed_out_; word < out_; ++word) {
      if (word->count == 0) continue;
      const std::size_t part = WordCounts::part_of(short_key(word->low, word->high, 0).hash);
      waiting_[part * kWaiting + sizes_[part]] = *word;
      if (++sizes_[part] == kWaiting) add(part);
    }
    out_ = pushed_out_;
  }

  void add(std::size_t part) { counts_.add(part, &waiting_[part * kWaiting], std::exchange(sizes_[part], 0)); }

  WordCounts& counts_;
  WordTable long_words_;
  WordQueue long_queue_{long_words_};
  Array<SeenWord> slots_ = Array<SeenWord>::zeroed(kSlots);
  SeenWord pushed_out_[kPushedOut];
  SeenWord* out_ = pushed_out_;
  std::uint64_t all_pushed_out_ = 0;
  Array<SeenWord> waiting_{WordCounts::kParts * kWaiting};  // of each part
  std::size_t sizes_[WordCounts::kParts] = {};
};

}  // namespace bpe_lab
