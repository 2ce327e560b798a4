// A lazy max-queue of pairs for a loop in which no count ever rises above that of the previous choice.
//
// Only pairs with the highest counts are in a heap. The others wait in plain lists, one for each range
// of counts; a list is opened, its counts are refreshed, and it becomes the heap when the heap is empty.
// So the heap stays small enough for the nearest cache, and to push a pair that will never be chosen
// costs as much as to append to a list.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "stage.hpp"

namespace bpe_lab {

class PairQueue {
 public:
  using Entry = PairHeap::Entry;

  explicit PairQueue(const Vocab& vocab) : heap_(vocab) {}

  void push(Entry entry) {
    if (entry.count >= open_from_) {
      heap_.push(entry);
    } else {
      waiting_[range_of(entry.count)].push_back(entry);
    }
  }

  // The pair with the highest count; `count_of(pair)` tells it now, 0 when the pair is gone. Pairs
  // below `least` leave the queue. Refreshed and dropped entries are added to `stale`.
  template <class CountOf>
  Choice take(CountOf&& count_of, std::int64_t least, std::uint64_t& stale) {
    for (;;) {
      const Choice choice = heap_.take(
          [&](Pair pair) {
            const std::int64_t count = count_of(pair);
            if (count >= open_from_) return count;
            if (count >= least) waiting_[range_of(count)].push_back({count, pair});
            return std::int64_t{0};
          },
          1, stale);
      if (choice.count != 0 || !open_next(count_of, least, stale)) return choice;
    }
  }

  // Forgets all pairs; the next ones may have any count.
  void clear() {
    heap_.clear();
    for (auto& list : waiting_) list.clear();
    open_ = kRanges;
    open_from_ = INT64_MAX;
  }

 private:
  // Four ranges to each power of two: 1, 2, 3, 4, ..., 7, 8-9, 10-11, ..., 14-15, 16-19, ...
  static constexpr unsigned kRanges = 256;
  static unsigned range_of(std::int64_t count) {
    const int bits = 63 - __builtin_clzll(static_cast<unsigned long long>(count));
    const unsigned shift = bits > 2 ? static_cast<unsigned>(bits - 2) : 0;
    return 4 * shift + static_cast<unsigned>(count >> shift);
  }
  // The least count of a range.
  static std::int64_t least_of(unsigned range) {
    return range < 8 ? range : std::int64_t{4 + range % 4} << (range / 4 - 1);
  }

  template <class CountOf>
  bool open_next(CountOf&& count_of, std::int64_t least, std::uint64_t& stale) {
    do {
      if (open_ == 0) return false;
      --open_;
    } while (waiting_[open_].empty());
    open_from_ = least_of(open_);
    std::vector<Entry> entries;
    entries.swap(waiting_[open_]);
    std::size_t kept = 0;
    for (const Entry& entry : entries) {
      const std::int64_t count = count_of(entry.pair);
      stale += count != entry.count;
      if (count >= open_from_) {
        entries[kept++] = {count, entry.pair};
      } else if (count >= least) {
        waiting_[range_of(count)].push_back({count, entry.pair});
      }
    }
    entries.resize(kept);
    heap_.push_all(entries);
    return true;
  }

  PairHeap heap_;
  std::array<std::vector<Entry>, kRanges> waiting_;
  unsigned open_ = kRanges;  // ranges from here on are in the heap
  std::int64_t open_from_ = INT64_MAX;
};

}  // namespace bpe_lab
