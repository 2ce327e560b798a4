// Stage 5, `core`: the merge loop.
//
// - Adds: the id of a token in its first and in its last cell, so that nothing walks across dead cells
//   (flat_words.hpp); ascending lists of places, as before, now fetched in advance and, where they are
//   long, read by several threads; sums per neighbour, so that the table of pairs is touched once per
//   neighbour and not once per match (sweep.hpp); a frequency floor, so that most pairs are never listed;
//   no table for pairs with few places, which are counted when they come up (pair_lists.hpp); a queue
//   that knows which pairs come next (pair_queue.hpp).
// - Still slow: of long lists up to half of the places are stale when they are read, and each is a cell
//   somewhere in memory. (Short lists lose them when they are counted.)
//
// Postings. Lists made while walking an ascending list ascend again.
//
// Floor. The count of a pair never rises after the merge that made it, and so the counts of the merges
// never rise. A pair below the count of the final merge is never chosen: it needs no list and no entry in
// the queue. Where that count can only be guessed, `rebuild` corrects the guess.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "crew.hpp"
#include "flat_words.hpp"
#include "maps.hpp"
#include "pair_lists.hpp"
#include "pair_queue.hpp"
#include "stage.hpp"
#include "sweep.hpp"

namespace bpe_lab {

struct CoreOptions {
  bool floor = true;
  // A thread's part of a list has this many places at least. Measured with two threads: lists of 131
  // thousand places gain nothing, of 262 thousand a tenth, of two million a quarter (ext/README.md).
  std::size_t least_part = 1 << 17;
  // Pairs of up to so many places are in no table. From 16 to 128 the loop takes the same within 6 %;
  // from 64 on there is more to choose and less to update.
  std::size_t few = 32;
};

// `Words`: FlatWords, or what an ablation has in its place.
template <class Position, class Words = FlatWords>
class Core final : public Stage {
 public:
  Core(const std::vector<WordRef>& words, const Setup& setup, const CoreOptions& options = {})
      : options_(options),
        go_on_(setup.go_on),
        final_count_bound_(least_final_count(words, setup)),
        words_(words, go_on_),
        vocab_(setup.first_id),
        lists_(words_, vocab_, go_on_, options.few),
        sweeps_(static_cast<std::size_t>(setup.threads)),
        crew_(setup.threads) {}

  void count_pairs() override {
    std::vector<Found> first(std::size_t{256} * 256);
    words_.each_byte_pair(go_on_, [&](auto left, auto right, std::size_t, std::int64_t weight) {
      first[left * 256 + right].add(weight);
      ++pairs_counted_;
    });
    std::int64_t top = 0;
    for (const Found& pair : first) top = std::max(top, pair.count);
    if (options_.floor) {
      const std::int64_t guess = std::max<std::int64_t>(1, top / kFloorDivisor);
      floor_ = final_count_bound_ != 0 ? final_count_bound_ : guess;
    }
    for (std::uint32_t pair = 0; pair < first.size(); ++pair) {
      list(pair_of(pair / 256, pair % 256), first[pair]);
    }
    words_.each_byte_pair(go_on_, [&](auto left, auto right, std::size_t position, std::int64_t) {
      first[left * 256 + right].write(position);
    });
  }

  Choice select() override {
    for (;;) {
      chosen_ = queue_.take(floor_, stale_pops_);
      if (chosen_.count != 0 || floor_ <= 1) {
        return {left_of(chosen_.pair), right_of(chosen_.pair), chosen_.count};
      }
      rebuild();
    }
  }

  // Merges (left, right), which is the pair that was selected last: its places came with it.
  void update(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) override {
    vocab_.add(left, right);
    const auto places = lists_.take(chosen_);
    sweep(places.begin, places.size, left, right, new_id);
    book(left, right, new_id);
  }

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

 private:
  // The first floor where nothing better is known is the top count divided by this.
  static constexpr std::int64_t kFloorDivisor = 250000;

  using Lists = PairLists<Position, Words>;
  using Candidate = typename Lists::Candidate;

  // A pair that a walk over all words found: first its count and the number of its places, then, if it
  // is listed, where its next place is written.
  struct Found {
    std::int64_t count = 0;
    std::size_t places = 0;
    Position* out = nullptr;

    void add(std::int64_t weight) {
      count += weight;
      ++places;
    }
    void write(std::size_t position) {
      if (out != nullptr) *out++ = static_cast<Position>(position);
    }
  };

  // What the count of the final merge cannot be below; 0: nothing is known.
  //
  // When no pair counts c or more, every word that occurs c times is one token. M such words of two or
  // more bytes are M tokens, each from a merge of its own. So the M-th merge counts at least what the
  // M-th most frequent word does: were all pairs below that when it is chosen, M merges would have been
  // made already, and there are M - 1.
  static std::int64_t least_final_count(const std::vector<WordRef>& words, const Setup& setup) {
    if (setup.end_id <= setup.first_id) return 0;
    std::uint32_t merges = setup.end_id - setup.first_id;
    for (const WordRef& word : words) {
      if (word.length >= 2 && --merges == 0) return static_cast<std::int64_t>(word.count);
    }
    return 0;
  }

  // Makes the merge at the places, which ascend: one part for each thread, where they are many.
  void sweep(const Position* places, std::size_t size, std::uint32_t left, std::uint32_t right,
             std::uint32_t new_id) {
    parts_ = std::clamp<std::size_t>(size / options_.least_part, 1, sweeps_.size());
    begins_.assign(1, 0);
    for (std::size_t part = 1; part < parts_; ++part) {
      const std::size_t at = std::max(begins_.back(), size * part / parts_);
      begins_.push_back(cut(places, size, at, vocab_.length(new_id)));
    }
    begins_.push_back(size);
    each_part([&](std::size_t part) {
      sweeps_[part].run(words_, vocab_, places + begins_[part], places + begins_[part + 1], left, right,
                        new_id);
    });
    positions_read_ += size;
  }

  // Books what the sweep noted: old pairs fall, pairs with the new token are born.
  void book(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) {
    Sweep<Position>& all = sweeps_[0];
    stale_positions_ += all.stale;
    for (std::size_t part = 1; part < parts_; ++part) {
      Sweep<Position>& one = sweeps_[part];
      all.lefts.absorb(one.lefts);
      all.rights.absorb(one.rights);
      all.twin_weight += one.twin_weight;
      all.twins.insert(all.twins.end(), one.twins.begin(), one.twins.end());
      stale_positions_ += one.stale;
    }
    for (auto& sum : all.lefts.sums()) {
      lower(pair_of(sum.neighbour, left), sum.weight);
      sum.out = bear(pair_of(sum.neighbour, new_id), sum.weight, sum.places);
    }
    for (auto& sum : all.rights.sums()) {
      lower(pair_of(right, sum.neighbour), sum.weight);
      sum.out = bear(pair_of(new_id, sum.neighbour), sum.weight, sum.places);
    }
    lower(pair_of(right, left), all.twin_weight);
    Position* const out = bear(pair_of(new_id, new_id), all.twin_weight, all.twins.size());
    if (out != nullptr) std::copy(all.twins.begin(), all.twins.end(), out);
    for (std::size_t part = 1; part < parts_; ++part) {
      sweeps_[part].lefts.follow(all.lefts);
      sweeps_[part].rights.follow(all.rights);
    }
    each_part([&](std::size_t part) {
      sweeps_[part].lefts.list();
      sweeps_[part].rights.list();
    });
    for (std::size_t part = 0; part < parts_; ++part) sweeps_[part].clear();
  }

  void lower(Pair pair, std::int64_t weight) {
    if (weight == 0) return;
    ++count_changes_;
    lists_.lower(pair, weight, floor_);
  }

  // Returns where the places of the new pair are to be written; null: it is below the floor.
  Position* bear(Pair pair, std::int64_t weight, std::size_t places) {
    if (weight < floor_) return nullptr;
    ++count_changes_;
    positions_written_ += places;
    return list(pair, weight, places);
  }

  // Makes a pair a candidate; returns where its places are to be written.
  Position* list(Pair pair, std::int64_t count, std::size_t places) {
    Candidate candidate;
    candidate.count = count;
    candidate.pair = pair;
    Position* const out = lists_.list(candidate, places);
    queue_.push(candidate);
    ++heap_pushes_;
    return out;
  }

  void list(Pair pair, Found& found) {
    if (found.count >= floor_) found.out = list(pair, found.count, found.places);
  }

  // Calls work(part) for each part of the merge.
  template <class Work>
  void each_part(Work&& work) {
    if (parts_ == 1) {
      work(0);
    } else {
      crew_.run(parts_, work);
    }
  }

  // Lowers the floor and lists all pairs at or above it, in two passes over the array.
  void rebuild() {
    ++rebuilds_;
    floor_ = std::max<std::int64_t>(1, floor_ / 4);
    FlatMap<Found> found;
    words_.each_pair(vocab_, go_on_, [&](auto left, auto right, std::size_t, std::int64_t weight) {
      found[pair_of(left, right)].add(weight);
    });
    lists_.clear();
    queue_.clear();
    found.each([this](Pair pair, Found& all) { list(pair, all); });
    words_.each_pair(vocab_, go_on_, [&](auto left, auto right, std::size_t position, std::int64_t) {
      found.find(pair_of(left, right))->write(position);
    });
  }

  const CoreOptions options_;
  Checkpoint go_on_;
  const std::int64_t final_count_bound_;
  std::int64_t floor_ = 1;
  Words words_;
  Vocab vocab_;
  Lists lists_;
  PairQueue<Candidate, Lists> queue_{vocab_, lists_};
  Candidate chosen_;
  std::vector<Sweep<Position>> sweeps_;  // one for each thread
  Crew crew_;
  std::size_t parts_ = 1;                // of the merge that is made
  std::vector<std::size_t> begins_;      // of the parts, and the end; kept, for a new one takes as long as a merge
  std::uint64_t pairs_counted_ = 0, positions_read_ = 0, stale_positions_ = 0, positions_written_ = 0,
                count_changes_ = 0, heap_pushes_ = 0, stale_pops_ = 0, rebuilds_ = 0;
};

}  // namespace bpe_lab
