// Stage `cpp_positions`: pair -> positions, and dead cells, as in Koschei's post of June 2025.
//
// - Adds: all words lie in one array; a merge leaves a dead cell instead of moving tokens; the first
//   counts are made by several threads, each with a table of its own.
// - Still slow: neighbours are looked for across dead cells, and the table of pairs is asked four times
//   for every match.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

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

class PositionsStage final : public Stage {
 public:
  PositionsStage(const WordRefs& words, const Setup& setup)
      : vocab_(setup), threads_(setup.threads), checkpoint_(setup.checkpoint) {
    BaseMerges base(setup.merges);
    std::vector<std::uint32_t> tokens;
    cells_.push_back(kSeparator);
    word_of_.push_back(0);
    for (std::uint32_t index = 0; index < words.size(); ++index) {
      checkpoint_();
      const WordRef& word = words[index];
      tokens.assign(word.bytes, word.bytes + word.length);
      base.merge(tokens);
      cells_.insert(cells_.end(), tokens.begin(), tokens.end());
      cells_.push_back(kSeparator);
      word_of_.insert(word_of_.end(), tokens.size() + 1, index);
      counts_.push_back(static_cast<std::int64_t>(word.count));
    }
    if (cells_.size() > 0xFFFFFFFFu) {
      throw std::length_error("stage 'cpp_positions' holds 4 GB of distinct words at most");
    }
  }

  void count_pairs() override {
    const std::size_t size = cells_.size() - 1;
    const int wanted = size < kMinShared ? 1 : threads_;
    require_threads(wanted);
    std::vector<FlatMap<std::int64_t>> tables(static_cast<std::size_t>(wanted));
    std::atomic<bool> failed{false};
    const WithoutSignals without(wanted);
#ifdef _OPENMP
#pragma omp parallel num_threads(wanted) if (wanted > 1)
#endif
    {
      without.all_started();
#ifdef _OPENMP
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      const auto threads = static_cast<std::size_t>(omp_get_num_threads());
#else
      const std::size_t thread = 0, threads = 1;
#endif
      // An exception must not leave the region.
      try {
        FlatMap<std::int64_t>& mine = tables[thread];
        for (std::size_t p = size * thread / threads; p < size * (thread + 1) / threads; ++p) {
          const std::uint32_t left = cells_[p], right = cells_[p + 1];
          if (left < kDead && right < kDead) mine[pair_of(left, right)] += counts_[word_of_[p]];
        }
      } catch (const std::bad_alloc&) {
        failed = true;
      }
    }
    if (failed) throw std::bad_alloc();
    for (FlatMap<std::int64_t>& table : tables) {
      table.each([this](Pair pair, std::int64_t count) { pairs_[pair].count += count; });
    }
    for (std::uint32_t p = 0; p + 1 < cells_.size(); ++p) {
      checkpoint_();
      if (cells_[p] < kDead && cells_[p + 1] < kDead) {
        pairs_[pair_of(cells_[p], cells_[p + 1])].positions.push_back(p);
        ++pairs_counted_;
      }
    }
    pairs_.each([this](Pair pair, const Posting&) { risen_.push_back(pair); });
  }

  Choice select() override {
    for (const Pair pair : risen_) {
      // Gone already when a match right behind another took its only position.
      const Posting* const posting = pairs_.find(pair);
      if (posting == nullptr || !vocab_.allows(pair)) continue;
      ++heap_pushes_;
      heap_.push({posting->count, pair});
    }
    risen_.clear();
    return heap_.take(
        [this](Pair pair) {
          const Posting* const posting = pairs_.find(pair);
          return posting == nullptr ? 0 : posting->count;
        },
        stale_pops_);
  }

  void update(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) override {
    vocab_.add(left, right);
    const std::vector<std::uint32_t> positions =
        std::move(pairs_.find(pair_of(left, right))->positions);
    pairs_.erase(pair_of(left, right));
    positions_read_ += positions.size();
    for (const std::uint32_t p : positions) {
      const std::uint32_t q = cells_[p] == left ? next(p) : p;
      if (q == p || cells_[q] != right) {
        ++stale_positions_;
        continue;
      }
      const std::int64_t count = counts_[word_of_[p]];
      const std::uint32_t before = previous(p), after = next(q);
      if (cells_[before] != kSeparator) {
        lower(pair_of(cells_[before], left), count);
        raise(pair_of(cells_[before], new_id), count, before);
      }
      if (cells_[after] != kSeparator) {
        lower(pair_of(right, cells_[after]), count);
        raise(pair_of(new_id, cells_[after]), count, p);
      }
      cells_[p] = new_id;
      cells_[q] = kDead;
    }
  }

  Operations operations() const override {
    return {{"pairs_counted", pairs_counted_},
            {"positions_read", positions_read_},
            {"stale_positions", stale_positions_},
            {"count_changes", count_changes_},
            {"heap_pushes", heap_pushes_},
            {"stale_pops", stale_pops_}};
  }

 private:
  static constexpr std::uint32_t kSeparator = 0xFFFFFFFFu, kDead = 0xFFFFFFFEu;
  struct Posting {
    std::int64_t count = 0;
    std::vector<std::uint32_t> positions;
  };

  std::uint32_t next(std::uint32_t p) const {
    do ++p;
    while (cells_[p] == kDead);
    return p;
  }

  std::uint32_t previous(std::uint32_t p) const {
    do --p;
    while (cells_[p] == kDead);
    return p;
  }

  void lower(Pair pair, std::int64_t count) {
    ++count_changes_;
    Posting* const posting = pairs_.find(pair);
    if (posting == nullptr) return;  // (a, a) next to a match of (a, a): it is gone already
    posting->count -= count;
    if (posting->count == 0) pairs_.erase(pair);
  }

  void raise(Pair pair, std::int64_t count, std::uint32_t position) {
    ++count_changes_;
    Posting& posting = pairs_[pair];
    if (posting.count == 0) risen_.push_back(pair);
    posting.count += count;
    posting.positions.push_back(position);
  }

  Vocab vocab_;
  const int threads_;
  Checkpoint checkpoint_;
  std::vector<std::uint32_t> cells_, word_of_;
  std::vector<std::int64_t> counts_;
  FlatMap<Posting> pairs_;
  PairHeap heap_{vocab_};
  std::vector<Pair> risen_;
  std::uint64_t pairs_counted_ = 0, positions_read_ = 0, stale_positions_ = 0, count_changes_ = 0, heap_pushes_ = 0,
                stale_pops_ = 0;
};

}  // namespace bpe_lab
