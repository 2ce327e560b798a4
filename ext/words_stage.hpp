// Stages `cpp_map`, `cpp_flat`, `cpp_scan`, `openmp_scan`: the Python stages `max_heap` and
// `fine_grained`, translated.
//
// - Adds: C++ containers: no object per integer, no hash of a tuple. With a flat table a look-up is one
//   cache line. The scan stages have no heap: they look through all counts, with all cores if asked.
// - Still slow: a hash table is asked for every match; each word is a list of its own in memory.
//
// Words are token lists with a count; a posting list holds the numbers of the words that a pair was met
// in. Only the pairs that touch a match change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "base_merges.hpp"
#include "heap.hpp"
#include "maps.hpp"
#include "stage.hpp"
#include "threads.hpp"
#include "vocab.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace bpe_lab {

// A posting list. A word that is added again comes right behind itself.
struct WordList : std::vector<std::uint32_t> {
  void add(std::uint32_t index) {
    if (empty() || back() != index) push_back(index);
  }
};

// What the heap stages and the scan stages share: everything but the choice.
template <template <class> class Map, class Posting = WordList, bool kSpans = false>
class WordsStage : public Stage {
 public:
  WordsStage(const WordRefs& words, const Setup& setup)
      : vocab_(setup), checkpoint_(setup.checkpoint) {
    BaseMerges base(setup.merges);
    words_.reserve(words.size());
    for (const WordRef& word : words) {
      checkpoint_();
      words_.emplace_back(word.bytes, word.bytes + word.length);
      base.merge(words_.back());
      counts_.push_back(static_cast<std::int64_t>(word.count));
    }
  }

  void count_pairs() override {
    for (std::uint32_t index = 0; index < words_.size(); ++index) {
      const Tokens& tokens = words_[index];
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        checkpoint_();
        const Pair pair = pair_of(tokens[i], tokens[i + 1]);
        pair_counts_.add(pair, counts_[index]);
        add_word(pair, index);
      }
      pairs_counted_ += tokens.empty() ? 0 : tokens.size() - 1;
    }
    pair_counts_.each([this](Pair pair, std::int64_t) { risen(pair); });
  }

  void update(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) override {
    vocab_.add(left, right);
    changes_.clear();
    const Pair pair = pair_of(left, right);
    const Posting affected = std::move(*pair_words_.find(pair));
    for (const std::uint32_t index : affected) {
      merge_word(index, left, right, new_id);
      if constexpr (kSpans) note_span(words_[index], new_id);
    }
    words_scanned_ += affected.size();
    changes_.each([&](Pair changed, std::int64_t change) {
      ++count_changes_;
      std::int64_t& count = pair_counts_[changed];
      count += change;
      if (count == 0) {
        pair_counts_.erase(changed);
        pair_words_.erase(changed);
      } else if (!kSpans && (left_of(changed) == new_id || right_of(changed) == new_id)) {
        risen(changed);
      }
    });
    if constexpr (kSpans) {
      spans_.each([this](Pair pair, bool) { risen(pair); });
      spans_.clear();
    }
  }

  Operations operations() const override {
    return {{"pairs_counted", pairs_counted_},
            {"words_scanned", words_scanned_},
            {"words_rewritten", words_rewritten_},
            {"count_changes", count_changes_}};
  }

 protected:
  using Tokens = std::vector<std::uint32_t>;

  // Called for each pair that the heap, if there is one, does not know yet.
  virtual void risen(Pair pair) = 0;

  Vocab vocab_;
  Checkpoint checkpoint_;
  Map<std::int64_t> pair_counts_;
  Map<std::int64_t> changes_;  // of one merge

 private:
  // Adds the word to the posting list of the pair, once.
  void add_word(Pair pair, std::uint32_t index) { pair_words_[pair].add(index); }

  // Notes a change of the count of a pair.
  void change(Pair pair, std::int64_t by) {
    changes_.add(pair, by);
    ++count_changes_;
  }

  // [merge_word
  void merge_word(std::uint32_t index, std::uint32_t left, std::uint32_t right,
                  std::uint32_t new_id) {
    Tokens& tokens = words_[index];
    const std::int64_t count = counts_[index];
    // In place: what is written never overtakes what is read.
    std::size_t written = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] != left || i + 1 == tokens.size() || tokens[i + 1] != right) {
        tokens[written++] = tokens[i];
        continue;
      }
      change(pair_of(left, right), -count);
      if (written > 0) {
        change(pair_of(tokens[written - 1], left), -count);
        change(pair_of(tokens[written - 1], new_id), count);
        add_word(pair_of(tokens[written - 1], new_id), index);
      }
      if (i + 2 < tokens.size()) {
        change(pair_of(right, tokens[i + 2]), -count);
        change(pair_of(new_id, tokens[i + 2]), count);
        add_word(pair_of(new_id, tokens[i + 2]), index);
      }
      tokens[written++] = new_id;
      ++i;
    }
    words_rewritten_ += written < tokens.size();
    tokens.resize(written);
  }
  // merge_word]

  // Notes the pairs from before the first match of a word to after its last one.
  void note_span(const Tokens& tokens, std::uint32_t new_id) {
    std::size_t first = 0, end = tokens.size();
    while (first < end && tokens[first] != new_id) ++first;
    while (end > first && tokens[end - 1] != new_id) --end;
    if (first == end) return;
    for (std::size_t i = first - (first > 0); i < end && i + 1 < tokens.size(); ++i) {
      spans_[pair_of(tokens[i], tokens[i + 1])] = true;
    }
  }

  std::vector<Tokens> words_;
  std::vector<std::int64_t> counts_;
  Map<Posting> pair_words_;
  Map<bool> spans_;  // of one merge
  std::uint64_t pairs_counted_ = 0, words_scanned_ = 0, words_rewritten_ = 0, count_changes_ = 0;
};

// 5b: the choice by a lazy heap. `kSpans`: it gets all pairs of the rewritten spans, not only the new ones.
template <template <class> class Map, class Posting = WordList, bool kSpans = false>
class HeapStage : public WordsStage<Map, Posting, kSpans> {
 public:
  using Base = WordsStage<Map, Posting, kSpans>;
  using Base::Base;

  Choice select() override {
    for (const Pair pair : risen_) heap_.push({*this->pair_counts_.find(pair), pair});
    heap_pushes_ += risen_.size();
    risen_.clear();
    return heap_.take(
        [this](Pair pair) {
          const std::int64_t* const count = this->pair_counts_.find(pair);
          return count == nullptr ? 0 : *count;
        },
        stale_pops_);
  }

  Operations operations() const override {
    Operations operations = Base::operations();
    operations.emplace_back("heap_pushes", heap_pushes_);
    operations.emplace_back("stale_pops", stale_pops_);
    return operations;
  }

 private:
  void risen(Pair pair) override {
    if (this->vocab_.allows(pair)) risen_.push_back(pair);
  }

  std::vector<Pair> risen_;
  PairHeap heap_{this->vocab_};
  std::uint64_t heap_pushes_ = 0, stale_pops_ = 0;
};

// 5c: no heap; all pair counts are looked through for the maximum, by one thread or by several.
class ScanStage final : public WordsStage<FlatMap> {
 public:
  // `min_shared`: the slots of the smallest table that the threads share.
  ScanStage(const WordRefs& words, const Setup& setup, std::size_t min_shared = kMinShared)
      : WordsStage<FlatMap>(words, setup), threads_(setup.threads), min_shared_(min_shared) {}

  Choice select() override {
    const std::size_t slots = pair_counts_.slots();
    slots_scanned_ += slots;
    const int threads = slots < min_shared_ ? 1 : threads_;
    if (threads > 1 && !std::exchange(required_, true)) require_threads(threads);
    std::vector<Best> best(static_cast<std::size_t>(threads));
#ifdef _OPENMP
    const WithoutSignals without(threads);
// [scan
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      // scan]
      without.all_started();
      // [scan
      Best mine;
#pragma omp for schedule(dynamic, 4096) nowait
      for (std::size_t at = 0; at < slots; ++at) look(at, mine);
      best[static_cast<std::size_t>(omp_get_thread_num())] = mine;
    }
    // scan]
#else
    for (std::size_t at = 0; at < slots; ++at) look(at, best[0]);
#endif
    // [scan
    CountedPair all;
    for (const Best& one : best) keep_greater(vocab_, one, all);
    // scan]
    return {left_of(all.pair), right_of(all.pair), all.count};
  }

  Operations operations() const override {
    Operations operations = WordsStage<FlatMap>::operations();
    operations.emplace_back("slots_scanned", slots_scanned_);
    return operations;
  }

 private:
  // On a cache line of its own: threads must not wait for each other's writes.
  struct alignas(kCacheLine) Best : CountedPair {};

  void look(std::size_t at, Best& best) const {
    const auto [pair, count] = pair_counts_.slot(at);
    // Tells the compiler, which may otherwise compute all of `keep_greater` for each slot: three times the time.
    if (__builtin_expect(*count < best.count, 1)) return;
    keep_greater(vocab_, {*count, pair}, best);
  }

  void risen(Pair) override {}

  const int threads_;
  const std::size_t min_shared_;
  bool required_ = false;  // the threads, which OpenMP keeps
  std::uint64_t slots_scanned_ = 0;
};

}  // namespace bpe_lab
