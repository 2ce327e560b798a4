// The compiled stages with something left out, to see what it is worth, or set so that a test of small texts
// meets all of their code.
//
// `CoreNoFloor` and its like (kAblations, at the end) are whole but for one idea. All have cells of 32 bits, as
// `CoreLongIds` has: compare them with that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core.hpp"
#include "flat_words.hpp"
#include "heap.hpp"
#include "maps.hpp"
#include "stage.hpp"
#include "words_stage.hpp"

namespace bpe_lab {

// Without weights by position: the word of a position is looked up, then the count of the word.
class WordsWithNumbers : public FlatWords {
 public:
  WordsWithNumbers(const WordRefs& words, Checkpoint& checkpoint) : FlatWords(words, checkpoint), word_of_{0} {
    word_of_.reserve(cells_needed(words));
    for (std::uint32_t number = 0; number < words.size(); ++number) {
      word_of_.insert(word_of_.end(), words[number].length + std::size_t{1}, number);
      counts_.push_back(static_cast<std::int64_t>(words[number].count));
    }
  }

  std::int64_t weight(std::size_t position, std::size_t&) const { return counts_[word_of_[position]]; }

 private:
  std::vector<std::uint32_t> word_of_;
  std::vector<std::int64_t> counts_;
};

// Without sorted lists as well: the first lists are made word by word in any order, and so all others
// have the words in any order, too, until a floor is lowered: then they are made anew, in order. Within a
// word positions ascend: `a a a` must be read from the left.
class WordsInAnyOrder : public WordsWithNumbers {
 public:
  WordsInAnyOrder(const WordRefs& words, Checkpoint& checkpoint) : WordsWithNumbers(words, checkpoint) {
    std::size_t begin = 1;
    for (const WordRef& word : words) {
      words_.push_back({begin, word.length, static_cast<std::int64_t>(word.count)});
      begin += word.length + std::size_t{1};
    }
    // Not std::shuffle: each library has its own.
    std::mt19937_64 random(2024);
    for (std::size_t i = words_.size(); i > 1; --i) std::swap(words_[i - 1], words_[random() % i]);
  }

  template <class Check, class Visit>
  void each_byte_pair(const CellRange& part, Check&& checkpoint, Visit&& visit) {
    const Id* const tokens = cells();
    for (const Word& word : words_) {
      checkpoint(word.length);
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

// The cells of a pass are not asked for before they are touched.
template <class Words>
class Unfetched : public Words {
 public:
  using Words::Words;
  static constexpr bool kFetches = false;
};
static_assert(!Unfetched<FlatWords>::kFetches && FlatWords::kFetches, "a pass asks its words");

// Without sums: each match lowers its old pair in the table of pairs, and is added to its new one in a hash table.
template <class Position>
class ByMatch : public NeighbourSums<Position> {
 public:
  struct Match {
    std::uint32_t neighbour;
    std::int64_t weight;
  };

  static constexpr bool kByMatch = true;
  const std::vector<Match>& matches() const { return matches_; }
  void make_room(std::uint32_t) {}

  void add(std::uint32_t neighbour, std::int64_t weight, std::size_t position) {
    matches_.push_back({neighbour, weight});
    const std::uint32_t number = number_of(neighbour);
    this->sums_[number].weight += weight;
    ++this->sums_[number].positions;
    this->events_.push_back({number, static_cast<Position>(position)});
  }

  void take_back(std::uint32_t neighbour, std::int64_t weight) {
    matches_.pop_back();
    auto& sum = this->sums_[number_of(neighbour)];
    sum.weight -= weight;
    --sum.positions;
    this->events_.pop_back();
  }

  void clear() {
    matches_.clear();
    // One by one: to clear a table that has grown once would take longer than most merges do.
    for (const auto& sum : this->sums_) numbers_.erase(sum.neighbour);
    NeighbourSums<Position>::clear();
  }

  std::uint32_t number_of(std::uint32_t neighbour) {
    std::uint32_t& number = numbers_[neighbour];  // from 1 on
    if (number == 0) {
      this->sums_.push_back({neighbour});
      number = static_cast<std::uint32_t>(this->sums_.size());
    }
    return number - 1;
  }

 private:
  std::vector<Match> matches_;
  FlatMap<std::uint32_t> numbers_;  // by neighbour, where it has pairs elsewhere
};

// As in `cpp_positions`: a token has its id in its first cell only, and neighbours are found by walks across dead
// cells.
template <class Position, class Sums = NeighbourSums<Position>>
struct WalkingPass : MergePass<Position, Sums> {
  template <class Words>
  void run(Words& words, const Vocab& vocab, const Merge& merge, const Position* begin, const Position* end) {
    const auto [left, right, new_id] = merge;
    this->lefts.make_room(new_id);
    this->rights.make_room(new_id);
    if (begin == end) return;
    const std::size_t new_length = vocab.length(new_id);
    auto* const cells = words.cells();
    const auto fetch = [&](std::size_t p) {
      if constexpr (!Words::kFetches) return;
      __builtin_prefetch(&cells[p - 1], 1);
      __builtin_prefetch(&cells[p + new_length], 1);
    };
    const auto next_of = [&](std::size_t p) {
      do ++p;
      while (cells[p] == Words::kDead);
      return p;
    };
    const Position* const fetched = begin + std::min(end - begin, this->kAhead);
    for (const Position* at = begin; at < fetched; ++at) fetch(*at);
    std::size_t step = words.step_near(*begin);
    for (const Position* at = begin; at < end; ++at) {
      if (end - at > this->kAhead) fetch(at[this->kAhead]);
      const std::size_t p = *at, middle = cells[p] == left ? next_of(p) : p;
      if (middle == p || cells[middle] != right) {
        ++this->stale;
        continue;
      }
      cells[middle] = Words::kDead;
      cells[p] = static_cast<typename Words::Id>(new_id);
      std::size_t before_at = p - 1;
      while (cells[before_at] == Words::kDead) --before_at;
      const std::int64_t weight = words.weight(p, step);
      const std::uint32_t before = cells[before_at], next = cells[next_of(p)];
      if (before == new_id) {
        this->rights.take_back(left, weight);
        this->new_new_weight += weight;
        this->new_new_positions.push_back(static_cast<Position>(before_at));
      } else if (before != Words::kSeparator) {
        this->lefts.add(before, weight, before_at);
      }
      if (next != Words::kSeparator) this->rights.add(next, weight, p);
    }
  }
};

// Without a queue that knows what comes next: one lazy heap for all candidates.
template <class Candidate, class Counter>
class OneHeap {
 public:
  OneHeap(const Vocab& vocab, Counter& counter) : counter_(counter), heap_(vocab) {}

  void push(const Candidate& candidate) { heap_.push(candidate); }

  Candidate take(std::int64_t least, std::uint64_t& stale) {
    while (!heap_.empty()) {
      Candidate first = heap_.top();
      heap_.pop();
      if (counter_.recount(first)) return first;
      ++stale;
      if (first.count >= least) heap_.push(first);
    }
    return {};
  }

  void clear() { heap_.clear(); }

 private:
  Counter& counter_;
  MaxHeap<Candidate> heap_;
};

// What they are put together from.

struct WithWalks : AllIdeas {
  template <class Position>
  using Pass = WalkingPass<Position>;
};
struct WithoutSums : AllIdeas {
  template <class Position>
  using Pass = MergePass<Position, ByMatch<Position>>;
};
struct WithOneHeap : AllIdeas {
  template <class Candidate, class Counter>
  using Queue = OneHeap<Candidate, Counter>;
};
struct WithUnfetchedQueue : AllIdeas {
  template <class Candidate, class Counter>
  using Queue = PairQueue<Candidate, Counter, false>;
};

inline constexpr CoreOptions kWhole, kNoFloor{false}, kAllInTable{true, 0};

template <class Words = FlatWords, class Ideas = AllIdeas, const CoreOptions& options = kWhole>
std::unique_ptr<Stage> make_ablation(const WordRefs& words, const Setup& setup) {
  if (needs_wide_positions(words)) {
    throw std::length_error("an ablation of the core holds 4 GB of distinct words at most: take core");
  }
  Setup own = setup;
  // A part of a list has no matches of its own (parallel_pass.hpp).
  if constexpr (Ideas::template Pass<std::uint32_t>::Sums::kByMatch) own.threads = 1;
  return std::make_unique<Core<std::uint32_t, Words, Ideas>>(words, own, options);
}

// Every list is cut into as many parts as there are threads, and pairs of three positions are in the table.
inline constexpr CoreOptions kParts{true, 2, 1};

inline std::unique_ptr<Stage> make_core_parts(const WordRefs& words, const Setup& setup) {
  if (has_short_ids(setup)) return make_ablation<FlatWordsOfShortIds, AllIdeas, kParts>(words, setup);
  return make_ablation<FlatWords, AllIdeas, kParts>(words, setup);
}

inline std::unique_ptr<Stage> make_core_wide(const WordRefs& words, const Setup& setup) {
  return std::make_unique<Core<std::uint64_t>>(words, setup);
}

inline std::unique_ptr<Stage> make_openmp_scan_always(const WordRefs& words, const Setup& setup) {
  return std::make_unique<ScanStage>(words, setup, 0);
}

// The heap stages of part 9 of the published series: hash sets as posting lists, of nodes or flat, and pushes of whole
// spans (without `_opt`) or of new pairs.
struct NodeSet : std::unordered_set<std::uint32_t> {
  void add(std::uint32_t index) { insert(index); }
};

// Open addressing; most lists are short.
class FlatSet {
 public:
  void add(std::uint32_t index) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(index)];
    size_ += slot == kFree;
    slot = index;
  }

  struct Iterator {
    const std::uint32_t *at, *end;
    Iterator& skip() {
      while (at != end && *at == kFree) ++at;
      return *this;
    }
    Iterator& operator++() { return ++at, skip(); }
    std::uint32_t operator*() const { return *at; }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return Iterator{slots_.data(), slots_.data() + slots_.size()}.skip(); }
  Iterator end() const { return {slots_.data() + slots_.size(), slots_.data() + slots_.size()}; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  std::size_t slot_of(std::uint32_t index) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = FoldedFibonacci()(index) & mask;
    while (slots_[at] != index && slots_[at] != kFree) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<std::uint32_t> old(std::max<std::size_t>(4, slots_.size() * 2), kFree);
    old.swap(slots_);
    for (const std::uint32_t index : old) {
      if (index != kFree) slots_[slot_of(index)] = index;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::size_t size_ = 0;
};

template <template <class> class Map, class Posting, bool kSpans>
std::unique_ptr<Stage> make_heap_stage(const WordRefs& words, const Setup& setup) {
  return std::make_unique<HeapStage<Map, Posting, kSpans>>(words, setup);
}

struct Ablation {
  const char* name;
  MakeStage make;
  const char* what;
};

inline constexpr Ablation kAblations[] = {
    {"OpenmpScanAlways", make_openmp_scan_always, "`OpenmpScan` whose threads share every scan, however short."},
    {"NodeMapSets", make_heap_stage<NodeMap, NodeSet, false>, "`CppMap` with hash sets as posting lists."},
    {"NodeMapSetsSpans", make_heap_stage<NodeMap, NodeSet, true>, "The same; the pairs of whole spans are pushed."},
    {"FlatMapSets", make_heap_stage<FlatMap, NodeSet, false>, "`CppFlat` with hash sets as posting lists."},
    {"FlatMapSetsSpans", make_heap_stage<FlatMap, NodeSet, true>, "The same; the pairs of whole spans are pushed."},
    {"FlatMapFlatSets", make_heap_stage<FlatMap, FlatSet, false>, "`CppFlat` with flat sets as posting lists."},
    {"FlatMapFlatSetsSpans", make_heap_stage<FlatMap, FlatSet, true>, "The same; the pairs of whole spans are pushed."},
    {"CoreWide", make_core_wide, "`Core` with positions of 64 bits, for tests."},
    {"CoreParts", make_core_parts, "`Core` for tests: every list is cut, and pairs of three positions are in the table."},
    {"CoreLongIds", make_ablation<>, "`Core` with cells of 32 bits, with which all that follow are compared."},
    {"CoreWalks", make_ablation<FlatWords, WithWalks>, "Ids in first cells only, so that neighbours are walked to."},
    {"CoreNoFetch", make_ablation<Unfetched<FlatWords>>, "Merges prefetch no cell."},
    {"CoreUnsortedPositions", make_ablation<WordsInAnyOrder>, "`CoreLookedUpWeights`, words in any order in the lists."},
    {"CoreLookedUpWeights", make_ablation<WordsWithNumbers>, "The word of a position is looked up, then its count."},
    {"CoreNoSums", make_ablation<FlatWords, WithoutSums>, "A pair is lowered for each match, not once per neighbour."},
    {"CoreNoFloor", make_ablation<FlatWords, AllIdeas, kNoFloor>, "No frequency floor."},
    {"CoreAllInTable", make_ablation<FlatWords, AllIdeas, kAllInTable>, "The counts of all pairs are in the table."},
    {"CoreOneHeap", make_ablation<FlatWords, WithOneHeap>, "One heap for all pairs."},
    {"CoreNoLookAhead", make_ablation<FlatWords, WithUnfetchedQueue>, "The queue prefetches nothing."},
};

}  // namespace bpe_lab
