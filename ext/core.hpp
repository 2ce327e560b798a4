// Stage 5, `core`: the merge loop.
//
// - Adds: a flat array instead of words (flat_words.hpp); sorted lists of places, swept forward with a
//   prefetch; dense sums per neighbour, so that the table of pairs is touched once per neighbour and not
//   once per match; a frequency floor, so that most pairs never enter the table.
// - Still slow: one thread; nearly half of the listed places are stale when they are read, and most of
//   the loop waits for memory. On most texts counting the words takes longer than all merges.
//
// Postings. Entries go stale when another merge takes their tokens and are never removed: cells[p] ==
// left and cells[p + length[left]] == right tell a live one. (A cell p that once began the token `left`
// holds `left` as long as that token lives, and no longer: tokens only grow. So p cannot be the end of
// another `left` of two or more bytes.) Lists made while walking an ascending list ascend again.
//
// Floor. A pair's count can only fall after the merge that made it. One that is born below the count of
// the last merge will never be chosen, so it needs no list, no table entry and no heap entry. The floor
// is a guess; when the heap runs below it, it is lowered and the index built again in one pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "flat_words.hpp"
#include "maps.hpp"
#include "posting_table.hpp"
#include "stage.hpp"

namespace bpe_lab {

template <class Position>
class Core final : public Stage {
 public:
  // `first_id`: the id of the first merge; the ids from 256 up to it are special tokens.
  // `floor_divisor`: the first floor is the top count divided by this; 0: no floor.
  Core(const std::vector<WordRef>& words, std::uint32_t first_id, std::uint64_t floor_divisor)
      : floor_divisor_(floor_divisor), words_(words), vocab_(first_id) {}

  void count_pairs() override {
    struct First {
      std::int64_t count = 0;
      std::size_t places = 0;
      Posting* posting = nullptr;
    };
    std::vector<First> first(std::size_t{256} * 256);
    words_.each_byte_pair([&](auto left, auto right, std::size_t, std::int64_t weight) {
      First& entry = first[left * 256 + right];
      entry.count += weight;
      ++entry.places;
      ++pairs_counted_;
    });
    std::int64_t top = 0;
    for (const First& entry : first) top = std::max(top, entry.count);
    const auto divisor = static_cast<std::int64_t>(floor_divisor_);
    floor_ = divisor == 0 ? 1 : std::max<std::int64_t>(1, top / divisor);
    for (std::uint32_t pair = 0; pair < first.size(); ++pair) {
      const First& entry = first[pair];
      if (entry.count >= floor_) {
        insert(pair_of(pair / 256, pair % 256), entry.count, entry.places);
      }
    }
    // The table has stopped growing: now its entries stay where they are.
    for (std::uint32_t pair = 0; pair < first.size(); ++pair) {
      first[pair].posting = postings_.find(pair_of(pair / 256, pair % 256));
    }
    words_.each_byte_pair([&](auto left, auto right, std::size_t position, std::int64_t) {
      if (Posting* posting = first[left * 256 + right].posting) {
        posting->places[posting->size++] = static_cast<Position>(position);
      }
    });
  }

  Choice select() override {
    for (;;) {
      heap_.push_all(born_);
      heap_pushes_ += born_.size();
      born_.clear();
      if (heap_.empty()) {
        if (floor_ <= 1) return {};
        rebuild();
        continue;
      }
      const PairHeap::Entry top = heap_.top();
      const Posting* const posting = postings_.find(top.pair);
      const std::int64_t count = posting == nullptr ? 0 : posting->count;
      if (count == top.count) {
        heap_.pop();
        return {left_of(top.pair), right_of(top.pair), count};
      }
      ++stale_pops_;
      if (count >= floor_) {
        heap_.replace_top({count, top.pair});
      } else {
        heap_.pop();
      }
    }
  }

  void update(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) override {
    vocab_.add(left, right);
    Posting* const merged = postings_.find(pair_of(left, right));
    merged->count = 0;
    const Array<Position> places = std::move(merged->places);
    sweep(places, merged->size, left, right, new_id);
    book(left, right, new_id);
  }

  Operations operations() const override {
    return {{"pairs_counted", pairs_counted_},       {"positions_read", positions_read_},   {"stale_positions", stale_positions_},
            {"positions_written", positions_written_}, {"count_changes", count_changes_},
            {"heap_pushes", heap_pushes_},         {"stale_pops", stale_pops_},
            {"rebuilds", rebuilds_}};
  }

 private:
  static constexpr std::uint32_t kSeparator = FlatWords::kSeparator, kDead = FlatWords::kDead;
  static constexpr std::size_t kAhead = 12;  // places between a prefetch and its use

  using Posting = typename PostingTable<Position>::Posting;
  // What a merge does to the pair of one neighbour with the new token.
  struct Delta {
    std::int64_t weight = 0;
    std::size_t places = 0;
    Position* out = nullptr;
    bool touched = false;
  };
  struct Event {
    std::uint32_t neighbour;
    Position position;
  };

  // Merges the pair at its live places; notes the neighbours in `lefts_` and `rights_`.
  void sweep(const Array<Position>& places, std::size_t size, std::uint32_t left,
             std::uint32_t right, std::uint32_t new_id) {
    const std::size_t left_length = vocab_.length(left), new_length = vocab_.length(new_id);
    std::uint32_t* const cells = words_.cells();
    if (left_.size() <= new_id) {
      left_.resize(new_id + 4096);
      right_.resize(new_id + 4096);
    }
    std::size_t step = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (i + kAhead < size) __builtin_prefetch(cells + places[i + kAhead], 1);
      const std::size_t p = places[i];
      const std::size_t middle = p + left_length;
      if (cells[p] != left || cells[middle] != right) {
        ++stale_positions_;
        continue;
      }
      const std::size_t after = p + new_length;
      cells[middle - 1] = kDead;
      cells[middle] = kDead;
      cells[p] = new_id;
      cells[after - 1] = new_id;
      step = words_.step_at(p, step);
      const std::int64_t weight = words_.weight(step);
      const std::uint32_t before = cells[p - 1];
      if (before == new_id) {
        // The match just before, in `a b a b`, has booked (ab, a) on its right: take it back. That
        // (b, a) is gone stays true.
        Delta& booked = right_[left];
        booked.weight -= weight;
        --booked.places;
        rights_.pop_back();
        twin_weight_ += weight;
        twins_.push_back(static_cast<Position>(p - new_length));
      } else if (before != kSeparator) {
        note(left_[before], touched_left_, before, weight);
        lefts_.push_back({before, static_cast<Position>(p - vocab_.length(before))});
      }
      const std::uint32_t next = cells[after];
      if (next != kSeparator) {
        note(right_[next], touched_right_, next, weight);
        rights_.push_back({next, static_cast<Position>(p)});
      }
    }
    positions_read_ += size;
  }

  static void note(Delta& delta, std::vector<std::uint32_t>& touched, std::uint32_t neighbour,
                   std::int64_t weight) {
    if (!delta.touched) {
      delta.touched = true;
      touched.push_back(neighbour);
    }
    delta.weight += weight;
    ++delta.places;
  }

  // Books what the sweep noted: old pairs fall, pairs with the new token are born.
  void book(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) {
    const Pair merged = pair_of(left, right);
    for (const std::uint32_t x : touched_left_) {
      Delta& delta = left_[x];
      lower(pair_of(x, left), delta.weight, merged);
      bear(pair_of(x, new_id), delta);
    }
    for (const std::uint32_t y : touched_right_) {
      Delta& delta = right_[y];
      lower(pair_of(right, y), delta.weight, merged);
      bear(pair_of(new_id, y), delta);
    }
    lower(pair_of(right, left), twin_weight_, merged);
    for (const Event& event : lefts_) {
      Delta& delta = left_[event.neighbour];
      if (delta.out != nullptr) *delta.out++ = event.position;
    }
    for (const Event& event : rights_) {
      Delta& delta = right_[event.neighbour];
      if (delta.out != nullptr) *delta.out++ = event.position;
    }
    if (twin_weight_ >= floor_) {
      Posting& posting = insert(pair_of(new_id, new_id), twin_weight_, twins_.size());
      std::copy(twins_.begin(), twins_.end(), posting.places.data());
      posting.size = twins_.size();
      positions_written_ += twins_.size();
    }
    for (const std::uint32_t x : touched_left_) left_[x] = {};
    for (const std::uint32_t y : touched_right_) right_[y] = {};
    touched_left_.clear();
    touched_right_.clear();
    lefts_.clear();
    rights_.clear();
    twins_.clear();
    twin_weight_ = 0;
  }

  void lower(Pair pair, std::int64_t weight, Pair merged) {
    if (weight == 0 || pair == merged) return;
    ++count_changes_;
    if (Posting* posting = postings_.find(pair)) posting->count -= weight;
  }

  void bear(Pair pair, Delta& delta) {
    if (delta.weight < floor_) return;
    ++count_changes_;
    Posting& posting = insert(pair, delta.weight, delta.places);
    posting.size = delta.places;
    delta.out = posting.places.data();
    positions_written_ += delta.places;
  }

  Posting& insert(Pair pair, std::int64_t count, std::size_t places) {
    born_.push_back({count, pair});
    return postings_.insert(pair, count, places, floor_);
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
    words_.each_pair(vocab_, [&](auto left, auto right, std::size_t, std::int64_t weight) {
      Found& pair = found[pair_of(left, right)];
      pair.count += weight;
      ++pair.places;
    });
    postings_.clear();
    found.each([this](Pair pair, const Found& all) {
      if (all.count >= floor_) insert(pair, all.count, all.places);
    });
    words_.each_pair(vocab_, [&](auto left, auto right, std::size_t position, std::int64_t) {
      if (Posting* posting = postings_.find(pair_of(left, right))) {
        posting->places[posting->size++] = static_cast<Position>(position);
      }
    });
  }

  const std::uint64_t floor_divisor_;
  std::int64_t floor_ = 1;
  FlatWords words_;
  Vocab vocab_;
  std::vector<PairHeap::Entry> born_;  // not in the heap yet
  PairHeap heap_{vocab_};
  PostingTable<Position> postings_;
  std::vector<Delta> left_, right_;  // by neighbour
  std::vector<std::uint32_t> touched_left_, touched_right_;
  std::vector<Event> lefts_, rights_;
  std::vector<Position> twins_;
  std::int64_t twin_weight_ = 0;
  std::uint64_t pairs_counted_ = 0, positions_read_ = 0, stale_positions_ = 0, positions_written_ = 0,
                count_changes_ = 0, heap_pushes_ = 0, stale_pops_ = 0, rebuilds_ = 0;
};

}  // namespace bpe_lab
