// Stage 5, `core`: the merge loop.
//
// - Adds: the id of a token in its first and in its last cell, so that nothing walks across dead cells
//   (flat_words.hpp); ascending lists of places, as before, now read with a prefetch and, where they are
//   long, by several threads; dense sums per neighbour, so that the table of pairs is touched once per
//   neighbour and not once per match (sweep.hpp); a frequency floor, so that most pairs never enter the
//   table; a queue whose heap stays small (pair_queue.hpp).
// - Still slow: between a tenth and a half of the listed places are stale when they are read, and each
//   is a cell somewhere in memory.
//
// Postings. Entries go stale when another merge takes their tokens and are never removed: cells[p] ==
// left and cells[p + length[left]] == right tell a live one. For a token at p only grows, and then p holds
// another id, or is dead. (p could be the end of a token `left` only if that is one cell long, and then
// p is its beginning, too.) Lists made while walking an ascending list ascend again.
//
// Floor. The count of a pair never rises after the merge that made it, and so the counts of the merges
// never rise. A pair below the count of the final merge is never chosen: it needs no list, no table entry
// and no entry in the queue. Where that count can only be guessed, `rebuild` corrects the guess.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "flat_words.hpp"
#include "maps.hpp"
#include "pair_queue.hpp"
#include "stage.hpp"
#include "sweep.hpp"

namespace bpe_lab {

struct CoreOptions {
  bool floor = true;
  // A thread's part of a list has this many places at least. Measured with two threads: lists of 8
  // thousand gain nothing, of 32 thousand a quarter (ext/README.md).
  std::size_t least_part = 1 << 14;
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
        sweeps_(static_cast<std::size_t>(setup.threads)),
        crew_(setup.threads) {}

  void count_pairs() override {
    struct First {
      std::int64_t count = 0;
      std::size_t places = 0;
      Posting* posting = nullptr;
    };
    std::vector<First> first(std::size_t{256} * 256);
    words_.each_byte_pair(go_on_, [&](auto left, auto right, std::size_t, std::int64_t weight) {
      First& entry = first[left * 256 + right];
      entry.count += weight;
      ++entry.places;
      ++pairs_counted_;
    });
    std::int64_t top = 0;
    for (const First& entry : first) top = std::max(top, entry.count);
    if (options_.floor) floor_ = final_count_bound_ != 0 ? final_count_bound_ : std::max<std::int64_t>(1, top / kFloorDivisor);
    for (std::uint32_t pair = 0; pair < first.size(); ++pair) {
      const First& entry = first[pair];
      if (entry.count >= floor_) {
        insert(pair_of(pair / 256, pair % 256), entry.count, entry.places);
      }
    }
    // The table has stopped growing: now its entries stay where they are.
    for (std::uint32_t pair = 0; pair < first.size(); ++pair) {
      if (first[pair].count < floor_) continue;
      first[pair].posting = postings_.find(pair_of(pair / 256, pair % 256));
    }
    words_.each_byte_pair(go_on_, [&](auto left, auto right, std::size_t position, std::int64_t) {
      if (Posting* posting = first[left * 256 + right].posting) {
        posting->places[posting->size++] = static_cast<Position>(position);
      }
    });
  }

  Choice select() override {
    for (;;) {
      for (const PairQueue::Entry& entry : born_) queue_.push(entry);
      heap_pushes_ += born_.size();
      born_.clear();
      const Choice choice = queue_.take(
          [this](Pair pair) {
            const Posting* const posting = postings_.find(pair);
            return posting == nullptr ? 0 : posting->count;
          },
          floor_, stale_pops_);
      if (choice.count != 0 || floor_ <= 1) return choice;
      rebuild();
    }
  }

  void update(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) override {
    vocab_.add(left, right);
    Posting* const merged = postings_.find(pair_of(left, right));
    const std::size_t size = merged->size;
    const Array<Position> places = std::move(merged->places);
    postings_.erase(pair_of(left, right));
    sweep(places.data(), size, left, right, new_id);
    book(left, right, new_id);
  }

  Operations operations() const override {
    return {{"pairs_counted", pairs_counted_},       {"positions_read", positions_read_},   {"stale_positions", stale_positions_},
            {"positions_written", positions_written_}, {"count_changes", count_changes_},
            {"heap_pushes", heap_pushes_},         {"stale_pops", stale_pops_},
            {"rebuilds", rebuilds_}};
  }

 private:
  // The first floor where nothing better is known is the top count divided by this.
  static constexpr std::int64_t kFloorDivisor = 250000;

  // The count of a pair, and the places where it began when it was listed; they ascend.
  struct Posting {
    std::int64_t count = 0;
    std::size_t size = 0;
    Array<Position> places;
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
    const std::size_t wanted = std::clamp<std::size_t>(size / options_.least_part, 1, sweeps_.size());
    std::vector<std::size_t> begins{0};
    for (std::size_t part = 1; part < wanted; ++part) {
      const std::size_t at = std::max(begins.back(), size * part / wanted);
      begins.push_back(cut(places, size, at, vocab_.length(new_id)));
    }
    begins.push_back(size);
    parts_ = wanted;
    each_part([&](std::size_t part) {
      sweeps_[part].run(words_, vocab_, places + begins[part], places + begins[part + 1], left, right,
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
    const Pair merged = pair_of(left, right);
    for (const std::uint32_t x : all.lefts.touched()) {
      lower(pair_of(x, left), all.lefts[x].weight, merged);
      bear(pair_of(x, new_id), all.lefts[x]);
    }
    for (const std::uint32_t y : all.rights.touched()) {
      lower(pair_of(right, y), all.rights[y].weight, merged);
      bear(pair_of(new_id, y), all.rights[y]);
    }
    lower(pair_of(right, left), all.twin_weight, merged);
    typename Side<Position>::Delta twins{all.twin_weight, all.twins.size()};
    bear(pair_of(new_id, new_id), twins);
    if (twins.out != nullptr) std::copy(all.twins.begin(), all.twins.end(), twins.out);
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

  void lower(Pair pair, std::int64_t weight, Pair merged) {
    if (weight == 0 || pair == merged) return;
    ++count_changes_;
    Posting* const posting = postings_.find(pair);
    if (posting == nullptr) return;
    posting->count -= weight;
    if (posting->count < floor_) postings_.erase(pair);
  }

  void bear(Pair pair, typename Side<Position>::Delta& delta) {
    if (delta.weight < floor_) return;
    ++count_changes_;
    Posting& posting = insert(pair, delta.weight, delta.places);
    posting.size = delta.places;
    delta.out = posting.places.data();
    positions_written_ += delta.places;
  }

  Posting& insert(Pair pair, std::int64_t count, std::size_t places) {
    born_.push_back({count, pair});
    Posting& posting = postings_[pair];
    posting.count = count;
    posting.places = Array<Position>(places);
    return posting;
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

  // Lowers the floor and lists all pairs at or above it, in one pass over the array.
  void rebuild() {
    ++rebuilds_;
    floor_ = std::max<std::int64_t>(1, floor_ / 4);
    struct Found {
      std::int64_t count = 0;
      std::size_t places = 0;
    };
    FlatMap<Found> found;
    words_.each_pair(vocab_, go_on_, [&](auto left, auto right, std::size_t, std::int64_t weight) {
      Found& pair = found[pair_of(left, right)];
      pair.count += weight;
      ++pair.places;
    });
    postings_.clear();
    queue_.clear();
    found.each([this](Pair pair, const Found& all) {
      if (all.count >= floor_) insert(pair, all.count, all.places);
    });
    words_.each_pair(vocab_, go_on_, [&](auto left, auto right, std::size_t position, std::int64_t) {
      if (Posting* posting = postings_.find(pair_of(left, right))) {
        posting->places[posting->size++] = static_cast<Position>(position);
      }
    });
  }

  const CoreOptions options_;
  Checkpoint go_on_;
  const std::int64_t final_count_bound_;
  std::int64_t floor_ = 1;
  Words words_;
  Vocab vocab_;
  std::vector<PairQueue::Entry> born_;  // not in the queue yet
  PairQueue queue_{vocab_};
  FlatMap<Posting> postings_;
  std::vector<Sweep<Position>> sweeps_;  // one for each thread
  Crew crew_;
  std::size_t parts_ = 1;                // of the merge that is made
  std::uint64_t pairs_counted_ = 0, positions_read_ = 0, stale_positions_ = 0, positions_written_ = 0,
                count_changes_ = 0, heap_pushes_ = 0, stale_pops_ = 0, rebuilds_ = 0;
};

}  // namespace bpe_lab
