// Max-heaps of pairs: a plain one, and the lazy one of the stages that choose by a heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stage.hpp"
#include "vocab.hpp"

namespace bpe_lab {

// A max-heap of pairs: the highest count first, of equal counts the greater bytes. An entry has a `count`
// and a `pair`.
template <class Entry>
class MaxHeap {
 public:
  explicit MaxHeap(const Vocab& vocab) : vocab_(vocab) {}

  bool less(const Entry& a, const Entry& b) const {
    return a.count != b.count ? a.count < b.count : vocab_.less(a.pair, b.pair);
  }

  bool empty() const { return entries_.empty(); }
  const Entry& top() const { return entries_.front(); }
  void clear() { entries_.clear(); }

  void push(const Entry& entry) {
    std::size_t at = entries_.size();
    entries_.push_back(entry);
    while (at > 0 && less(entries_[(at - 1) / 2], entry)) {
      entries_[at] = entries_[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    entries_[at] = entry;
  }

  void pop() {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sift_down(0, last);
  }

  void replace_top(const Entry& entry) { sift_down(0, entry); }

 private:
  void sift_down(std::size_t at, const Entry& entry) {
    const std::size_t size = entries_.size();
    for (std::size_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && less(entries_[child], entries_[child + 1])) ++child;
      if (!less(entry, entries_[child])) break;
      entries_[at] = entries_[child];
      at = child;
    }
    entries_[at] = entry;
  }

  const Vocab& vocab_;
  std::vector<Entry> entries_;
};

struct CountedPair {
  std::int64_t count = 0;
  Pair pair = 0;
};

// One step of a scan for the greatest pair. The count is asked first: it is hardly ever high enough, which a processor
// foresees. Whether a slot is free (it has the count 0 then) is nearly a coin flip, which nothing foresees.
inline void keep_greater(const Vocab& vocab, const CountedPair& entry, CountedPair& best) {
  if (entry.count < best.count || entry.count == 0 || !vocab.allows(entry.pair)) return;
  if (entry.count > best.count || vocab.less(best.pair, entry.pair)) best = entry;
}

// A lazy heap: the count of an entry may be too high, and is corrected when the entry has come up.
class PairHeap : public MaxHeap<CountedPair> {
 public:
  using Entry = CountedPair;
  using MaxHeap<CountedPair>::MaxHeap;

  // Takes the pair with the highest count out. An entry whose count has fallen is corrected and goes
  // down, that of a pair which is gone goes away, and both are counted in `stale`.
  // `count_of(pair)`: the count of a pair now, 0 when it is gone.
  template <class CountOf>
  Choice take(CountOf&& count_of, std::uint64_t& stale) {
    while (!empty()) {
      const Entry first = top();
      const std::int64_t count = count_of(first.pair);
      if (count == first.count) {
        pop();
        return {left_of(first.pair), right_of(first.pair), count};
      }
      ++stale;
      if (count > 0) {
        replace_top({count, first.pair});
      } else {
        pop();
      }
    }
    return {};
  }
};

}  // namespace bpe_lab
