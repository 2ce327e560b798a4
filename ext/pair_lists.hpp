// Where each pair begins, and how much it counts.
//
// Most pairs have few places. They are in no table: a candidate for the next merge brings its places
// along, and is counted by looking at them when its turn comes. That is exact, and a merge that takes
// places away from it changes nothing here. Only pairs with many places have their counts kept, in a
// table that has few entries.
//
// Places go stale when another merge takes their tokens: cells[p] == left and cells[p + length[left]]
// == right tell a live one. For a token at p only grows, and then p holds another id, or is dead. (p could
// be the end of a token `left` only if that is one cell long, and then p is its beginning, too.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "arrays.hpp"
#include "maps.hpp"
#include "stage.hpp"

namespace bpe_lab {

template <class Position, class Words>
class PairLists {
 public:
  // A pair that may be merged.
  struct Candidate {
    std::int64_t count = 0;
    Pair pair = 0;
    Position* places = nullptr;  // null: they are in the table
    std::uint32_t size = 0;

    bool in_table() const { return places == nullptr; }
  };

  // The places of a pair that is merged; they ascend.
  struct Places {
    Array<Position> owned;
    const Position* begin;
    std::size_t size;
  };

  // `few`: pairs of more places are in the table.
  PairLists(const Words& words, const Vocab& vocab, Checkpoint& go_on, std::size_t few)
      : words_(words), vocab_(vocab), go_on_(go_on), few_(few) {}

  // Makes a list of so many places for the candidate's pair; returns where they are to be written.
  Position* list(Candidate& candidate, std::size_t places) {
    if (places <= few_) {
      candidate.places = arena_.take(places);
      candidate.size = static_cast<std::uint32_t>(places);
      return candidate.places;
    }
    Posting& posting = table_[candidate.pair];
    posting.count = candidate.count;
    posting.size = places;
    posting.places = Array<Position>(places);
    return posting.places.data();
  }

  // Takes the list of a pair out.
  Places take(const Candidate& candidate) {
    if (!candidate.in_table()) return {{}, candidate.places, candidate.size};
    Posting& posting = *table_.find(candidate.pair);
    const Position* const begin = posting.places.data();
    Places places{std::move(posting.places), begin, posting.size};
    table_.erase(candidate.pair);
    return places;
  }

  // A merge has taken this much from a pair. One that falls below `least` is forgotten.
  void lower(Pair pair, std::int64_t weight, std::int64_t least) {
    Posting* const posting = table_.find(pair);
    if (posting == nullptr) return;
    posting->count -= weight;
    if (posting->count < least) table_.erase(pair);
  }

  // Corrects the count; whether it was right. Stale places leave the list of a candidate.
  bool recount(Candidate& candidate) {
    std::int64_t count = 0;
    if (!candidate.in_table()) {
      count = count_places(candidate);
    } else if (const Posting* const posting = table_.find(candidate.pair)) {
      count = posting->count;
    }
    return std::exchange(candidate.count, count) == count;
  }

  // The first line of the list; the processor itself fetches the next ones.
  void fetch_places(const Candidate& candidate) const { fetch(candidate.places); }

  void fetch_cells(const Candidate& candidate) const {
    const auto cells = words_.cells();
    for (std::uint32_t i = 0; i < candidate.size; ++i) fetch(&cells[candidate.places[i]]);
  }

  void clear() {
    arena_.clear();
    table_.clear();
  }

  std::uint64_t positions_recounted() const { return positions_recounted_; }

 private:
  struct Posting {
    std::int64_t count = 0;
    std::size_t size = 0;
    Array<Position> places;
  };

  static void fetch(const void* address) {
    __builtin_prefetch(address);
    // GCC 12 takes a function that only prefetches for one without any effect, and drops its calls.
    asm volatile("");
  }

  std::int64_t count_places(Candidate& candidate) {
    go_on_(candidate.size);
    positions_recounted_ += candidate.size;
    const std::uint32_t left = left_of(candidate.pair), right = right_of(candidate.pair);
    const std::size_t left_length = vocab_.length(left);
    const auto cells = words_.cells();
    std::int64_t count = 0;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < candidate.size; ++i) {
      const Position p = candidate.places[i];
      if (cells[p] != left || cells[p + left_length] != right) continue;
      candidate.places[kept++] = p;
      std::size_t step = words_.step_near(p);
      count += words_.weight(p, step);
    }
    candidate.size = kept;
    return count;
  }

  const Words& words_;
  const Vocab& vocab_;
  Checkpoint& go_on_;
  const std::size_t few_;
  Arena<Position> arena_;
  FlatMap<Posting> table_;
  std::uint64_t positions_recounted_ = 0;
};

}  // namespace bpe_lab
