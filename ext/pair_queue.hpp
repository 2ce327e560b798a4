// A lazy max-queue of pairs for a loop in which no count ever rises above that of the previous choice.
//
// The count of a candidate may have fallen since it was pushed. Those with the highest counts have been
// counted anew and lie in a sorted run, which is read from its beginning; what falls behind or is new among
// them is in a small heap beside it. All others wait in plain lists, one for each range of counts, and so to push a
// pair that will never be chosen costs as much as to append to a list. When run and heap are empty, the
// next list is counted and sorted. It is known long before which candidates come next: what counting
// them will read is fetched in advance.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "heap.hpp"
#include "vocab.hpp"

namespace bpe_lab {

// `Candidate` has a `count` and a `pair`. `Counter` knows the counts of now: recount(candidate) corrects
// a count and tells whether it was right; fetch_positions(candidate) and, later, fetch_cells(candidate) ask
// the memory for what that will read; an ablation does without (kFetches).
template <class Candidate, class Counter, bool kFetches = true>
class PairQueue {
 public:
  PairQueue(const Vocab& vocab, Counter& counter) : counter_(counter), heap_(vocab) {}

  void push(const Candidate& candidate) {
    if (candidate.count >= open_from_) {
      heap_.push(candidate);
    } else {
      waiting_[range_of(candidate.count)].push_back(candidate);
    }
  }

  // Takes the candidate with the highest count out; its count is 0 when there is none. Those that are
  // found to be below `least`, which is 1 or more, leave, too. Counts that were wrong are added to `stale`.
  Candidate take(std::int64_t least, std::uint64_t& stale) {
    for (;;) {
      Candidate first;
      if (next_ < run_.size() && (heap_.empty() || heap_.less(heap_.top(), run_[next_]))) {
        look_ahead(run_, next_);
        first = run_[next_++];
      } else if (!heap_.empty()) {
        first = heap_.top();
        heap_.pop();
      } else if (open_next(least, stale)) {
        continue;
      } else {
        return {};
      }
      if (counter_.recount(first)) return first;
      ++stale;
      if (first.count >= least) push(first);
    }
  }

  // Forgets all candidates; the next ones may have any count.
  void clear() {
    heap_.clear();
    run_.clear();
    for (auto& list : waiting_) list.clear();
    open_ = kRanges;
    open_from_ = INT64_MAX;
    next_ = 0;
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
  static std::int64_t min_of(unsigned range) {
    return range < 8 ? range : std::int64_t{4 + range % 4} << (range / 4 - 1);
  }

  // Counts and sorts the next list that is not empty.
  bool open_next(std::int64_t least, std::uint64_t& stale) {
    do {
      if (open_ == 0) return false;
      --open_;
    } while (waiting_[open_].empty());
    open_from_ = min_of(open_);
    run_.clear();
    run_.swap(waiting_[open_]);
    next_ = 0;
    std::size_t kept = 0;
    for (std::size_t at = 0; at < run_.size(); ++at) {
      look_ahead(run_, at);
      Candidate candidate = run_[at];
      stale += !counter_.recount(candidate);
      // There may be pairs below `least` that nobody has pushed: none of them may be taken.
      if (candidate.count < least) continue;
      if (candidate.count >= open_from_) {
        run_[kept++] = candidate;
      } else {
        push(candidate);
      }
    }
    run_.resize(kept);
    std::sort(run_.begin(), run_.end(),
              [this](const Candidate& a, const Candidate& b) { return heap_.less(b, a); });
    return true;
  }

  void look_ahead(const std::vector<Candidate>& candidates, std::size_t at) {
    if constexpr (!kFetches) return;
    if (at + kPositionsAhead < candidates.size()) counter_.fetch_positions(candidates[at + kPositionsAhead]);
    if (at + kCellsAhead < candidates.size()) counter_.fetch_cells(candidates[at + kCellsAhead]);
  }

  static constexpr std::size_t kPositionsAhead = 16, kCellsAhead = 8;  // candidates

  Counter& counter_;
  std::vector<Candidate> run_;
  std::size_t next_ = 0;  // of the run
  MaxHeap<Candidate> heap_;
  std::array<std::vector<Candidate>, kRanges> waiting_;
  unsigned open_ = kRanges;  // the last range that was opened
  std::int64_t open_from_ = INT64_MAX;
};

}  // namespace bpe_lab
