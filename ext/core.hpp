// Stage `core`: the merge loop.
//
// - Adds: the id of a token in its first and in its last cell, so that nothing walks across dead cells
//   (flat_words.hpp); ascending lists of positions, as before, now fetched in advance; one pass over them
//   for each merge (merge_pass.hpp), by several threads where they are many (parallel_pass.hpp); sums per
//   neighbour, so that the table of pairs is touched once per neighbour and not once per match
//   (neighbour_sums.hpp); a frequency floor, so that most pairs get no list; no table for rare pairs, which
//   are counted when they come up (pair_lists.hpp); a queue that knows which pairs come next
//   (pair_queue.hpp).
// - Still slow: of long lists up to half of the positions are stale when they are read, and each is a cell
//   somewhere in memory. (Short lists lose them when they are counted.)
//
// Postings. Lists made while walking an ascending list ascend again.
//
// Floor. The count of a pair never rises after the merge that made it, and so the counts of the merges
// never rise. A pair below the count of the final merge is never chosen: it needs no list and no entry in
// the queue. Where that count can only be guessed, `rebuild` corrects the guess.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "flat_words.hpp"
#include "maps.hpp"
#include "merge_pass.hpp"
#include "pair_lists.hpp"
#include "pair_queue.hpp"
#include "parallel_pass.hpp"
#include "stage.hpp"
#include "thread_pool.hpp"
#include "vocab.hpp"

namespace bpe_lab {

struct CoreOptions {
  bool floor = true;
  // A pair is rare that has so many positions at most. From 16 to 128 the loop takes the same within 6 %;
  // from 64 on there is more to choose and less to update.
  std::size_t max_rare = 32;
  // A thread's part of a list has this many positions at least, and one of the array this many cells.
  // Measured with two threads: lists of 131 thousand positions gain nothing, of 262 thousand a tenth, of two
  // million a quarter (ext/rejected.md).
  std::size_t min_part = 1 << 17;
};

// The parts that an ablation can have others in place of.
struct AllIdeas {
  template <class Position>
  using Pass = MergePass<Position>;
  template <class Candidate, class Counter>
  using Queue = PairQueue<Candidate, Counter>;
};

// `Words`: the words in one of their forms (flat_words.hpp), or what an ablation has in their place.
template <class Position, class Words = FlatWords, class Ideas = AllIdeas>
class Core : public Stage {
 public:
  Core(const WordRefs& words, const Setup& setup, const CoreOptions& options = {})
      : options_(options),
        threads_(static_cast<std::size_t>(setup.threads)),
        checkpoint_(setup.checkpoint),
        min_count_(setup.min_count),
        final_count_bound_(min_final_count(words, setup)),
        words_(words, checkpoint_),
        vocab_(setup),
        lists_(words_, vocab_, checkpoint_, options.max_rare),
        pool_(setup.threads),
        parallel_pass_(pass_, pool_, threads_) {}

  void count_pairs() override {
    const std::size_t parts = std::clamp<std::size_t>(words_.part(0, 1).end / options_.min_part, 1, threads_);
    FirstPairs first(parts);
    for (std::vector<Tally>& part : first) part.resize(std::size_t{256} * 256);
    each_first_pair(first, [](Tally& pair, std::size_t, std::int64_t weight) { pair.add(weight); });
    const auto total = [&first](std::uint32_t pair) {
      Tally sum = first[0][pair];
      for (std::size_t part = 1; part < first.size(); ++part) {
        sum.count += first[part][pair].count;
        sum.positions += first[part][pair].positions;
      }
      return sum;
    };
    std::int64_t top = 0;
    for (std::uint32_t pair = 0; pair < first[0].size(); ++pair) {
      const Tally tally = total(pair);
      top = std::max(top, tally.count);
      pairs_counted_ += tally.positions;
    }
    const std::int64_t floor = final_count_bound_ != 0 ? final_count_bound_ : top / kFloorDivisor;
    if (options_.floor) floor_ = std::max(min_count_, floor);
    for (std::uint32_t pair = 0; pair < first[0].size(); ++pair) {
      Tally tally = total(pair);
      add_candidate(pair_of(pair / 256, pair % 256), tally);
      for (std::size_t part = 0; part < parts && tally.out != nullptr; ++part) {
        first[part][pair].out = tally.out;
        tally.out += first[part][pair].positions;
      }
    }
    each_first_pair(first, [](Tally& pair, std::size_t position, std::int64_t) { pair.write(position); });
  }

  Choice select() override {
    for (;;) {
      chosen_ = queue_.take(floor_, stale_pops_);
      if (chosen_.count != 0 || floor_ <= min_count_) {
        return {left_of(chosen_.pair), right_of(chosen_.pair), chosen_.count};
      }
      ++rebuilds_;
      rebuild(std::max(min_count_, floor_ / 4));
    }
  }

  // Merges (left, right), which is the pair that was selected last: its positions came with it.
  void update(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) override {
    const Merge merge{left, right, new_id};
    vocab_.add(left, right);
    const auto positions = lists_.take(chosen_);
    const Position* const begin = positions.begin;
    const Position* const end = begin + positions.size;
    const std::size_t parts = std::min(positions.size / options_.min_part, threads_);
    if (parts <= 1) {
      pass_.run(words_, vocab_, merge, begin, end);
      change_pairs(merge);
      pass_.write_positions();
    } else {
      parallel_pass_.run(words_, vocab_, merge, begin, end, parts);
      change_pairs(merge);
      parallel_pass_.write_positions();
    }
    positions_read_ += positions.size;
    stale_positions_ += pass_.stale;
    pass_.clear();
  }

  std::uint32_t max_ids() const override { return Words::kDead; }

  Operations operations() const override {
    return {{"pairs_counted", pairs_counted_},
            {"positions_read", positions_read_},
            {"stale_positions", stale_positions_},
            {"positions_recounted", lists_.positions_recounted()},
            {"positions_written", positions_written_},
            {"count_changes", count_changes_},  // pairs that a merge lowers or makes
            {"heap_pushes", heap_pushes_},
            {"stale_pops", stale_pops_},
            {"rebuilds", rebuilds_}};
  }

 protected:
  // The first floor where nothing better is known is the top count divided by this.
  static constexpr std::int64_t kFloorDivisor = 250000;

  using Lists = PairLists<Position, Words>;
  using Candidate = typename Lists::Candidate;
  using Pass = typename Ideas::template Pass<Position>;

  // A pair that a walk over all words found: first its count and the number of its positions, then, if it
  // is a candidate, where its next position is written.
  struct Tally {
    std::int64_t count = 0;
    std::size_t positions = 0;
    Position* out = nullptr;

    void add(std::int64_t weight) {
      count += weight;
      ++positions;
    }
    void write(std::size_t position) {
      if (out != nullptr) *out++ = static_cast<Position>(position);
    }
  };

  // By part of the array, then by the pair's bytes.
  using FirstPairs = std::vector<std::vector<Tally>>;

  // Calls visit(pair, position, weight) for all pairs of bytes, by a thread for each part.
  template <class Visit>
  void each_first_pair(FirstPairs& first, Visit&& visit) {
    std::atomic<bool> over{false};
    pool_.run(first.size(), [&](std::size_t part) {
      std::vector<Tally>& tallies = first[part];
      const auto checkpoint = [&](std::size_t pieces) {
        if (over) throw std::runtime_error("interrupted");
        if (part == 0) checkpoint_(pieces);  // who asks is the caller
      };
      try {
        words_.each_byte_pair(words_.part(part, first.size()), checkpoint,
                              [&](std::uint32_t left, std::uint32_t right, std::size_t position,
                                  std::int64_t weight) { visit(tallies[left * 256 + right], position, weight); });
      } catch (...) {
        over = true;
        throw;
      }
    });
  }

  // What the count of the final merge cannot be below; 0: nothing is known.
  //
  // When no pair counts c or more, every word that occurs c times is one token. M such words of two or
  // more bytes are M tokens, each from a merge of its own (no words that are longer than a token may be). So the M-th merge counts at least what the
  // M-th most frequent word does: were all pairs below that when it is chosen, M merges would have been
  // made already, and there are M - 1.
  static std::int64_t min_final_count(const WordRefs& words, const Setup& setup) {
    if (setup.end_id <= setup.first_id) return 0;
    std::uint32_t merges = setup.end_id - setup.first_id;
    for (const WordRef& word : words) {
      if (word.length >= 2 && word.length <= setup.max_token_bytes && --merges == 0) return static_cast<std::int64_t>(word.count);
    }
    return 0;
  }

  // Changes the counts of pairs as the pass has summed them up: old pairs fall, new ones are added.
  void change_pairs(const Merge& merge) {
    const auto [left, right, new_id] = merge;
    for (auto& sum : pass_.lefts.sums()) {
      if constexpr (!Pass::Sums::kByMatch) lower(pair_of(sum.neighbour, left), sum.weight);
      sum.out = add_pair(pair_of(sum.neighbour, new_id), sum.weight, sum.positions);
    }
    for (auto& sum : pass_.rights.sums()) {
      if constexpr (!Pass::Sums::kByMatch) lower(pair_of(right, sum.neighbour), sum.weight);
      sum.out = add_pair(pair_of(new_id, sum.neighbour), sum.weight, sum.positions);
    }
    if constexpr (Pass::Sums::kByMatch) {
      for (const auto& match : pass_.lefts.matches()) lower(pair_of(match.neighbour, left), match.weight);
      for (const auto& match : pass_.rights.matches()) lower(pair_of(right, match.neighbour), match.weight);
    }
    const std::vector<Position>& new_new = pass_.new_new_positions;
    lower(pair_of(right, left), pass_.new_new_weight);
    Position* const out = add_pair(pair_of(new_id, new_id), pass_.new_new_weight, new_new.size());
    if (out != nullptr) std::copy(new_new.begin(), new_new.end(), out);
  }

  void lower(Pair pair, std::int64_t weight) {
    if (weight == 0) return;
    ++count_changes_;
    lists_.lower(pair, weight, floor_);
  }

  // Returns where the positions of the new pair are to be written; null: it is below the floor, or too long.
  Position* add_pair(Pair pair, std::int64_t weight, std::size_t positions) {
    if (weight < floor_) return nullptr;
    ++count_changes_;
    Position* const out = add_candidate(pair, weight, positions);
    if (out != nullptr) positions_written_ += positions;
    return out;
  }

  // Returns where the positions of the pair are to be written; null: its token would be too long.
  Position* add_candidate(Pair pair, std::int64_t count, std::size_t positions) {
    if (!vocab_.allows(pair)) return nullptr;
    Candidate candidate;
    candidate.count = count;
    candidate.pair = pair;
    Position* const out = lists_.make_room(candidate, positions);
    queue_.push(candidate);
    ++heap_pushes_;
    return out;
  }

  void add_candidate(Pair pair, Tally& tally) {
    if (tally.count >= floor_) tally.out = add_candidate(pair, tally.count, tally.positions);
  }

  // Makes lists of all pairs at or above another floor, in two passes over the array.
  void rebuild(std::int64_t floor) {
    floor_ = floor;
    FlatMap<Tally> tallies;
    words_.each_pair(vocab_, checkpoint_, [&](auto left, auto right, std::size_t, std::int64_t weight) {
      tallies[pair_of(left, right)].add(weight);
    });
    lists_.clear();
    queue_.clear();
    tallies.each([this](Pair pair, Tally& tally) { add_candidate(pair, tally); });
    words_.each_pair(vocab_, checkpoint_, [&](auto left, auto right, std::size_t position, std::int64_t) {
      tallies.find(pair_of(left, right))->write(position);
    });
  }

  const CoreOptions options_;
  const std::size_t threads_;
  Checkpoint checkpoint_;
  const std::int64_t min_count_, final_count_bound_;
  std::int64_t floor_ = 1;
  Words words_;
  Vocab vocab_;
  Lists lists_;
  typename Ideas::template Queue<Candidate, Lists> queue_{vocab_, lists_};
  Candidate chosen_;
  Pass pass_;  // of the merge that is made
  ThreadPool pool_;
  ParallelPass<Pass> parallel_pass_;
  std::uint64_t pairs_counted_ = 0, positions_read_ = 0, stale_positions_ = 0, positions_written_ = 0,
                count_changes_ = 0, heap_pushes_ = 0, stale_pops_ = 0, rebuilds_ = 0;
};

}  // namespace bpe_lab
