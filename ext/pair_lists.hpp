// Where each pair begins, and how much it counts.
//
// Most pairs are rare: they have few positions. They are in no table: a candidate for the next merge brings
// its positions along, and is counted by looking at them when its turn comes. That is exact, and a merge that
// takes positions away from it changes nothing here. Only pairs with many positions have their counts kept,
// in a table that has few entries.
//
// Positions go stale when another merge takes their tokens: cells[p] == left and cells[p + length[left]]
// == right tell a live one. For a token at p only grows, and then p holds another id, or is dead. (p could
// be the end of a token `left` only if that is one cell long, and then p is its beginning, too.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "arrays.hpp"
#include "maps.hpp"
#include "stage.hpp"
#include "vocab.hpp"

namespace bpe_lab {

template <class Position, class Words>
class PairLists {
 public:
  // A pair that may be merged.
  struct Candidate {
    std::int64_t count = 0;
    Pair pair = 0;
    Position* positions = nullptr;  // null: they are in the table
    std::uint32_t size = 0;

    bool in_table() const { return positions == nullptr; }
  };

  // The positions of a pair that is merged; they ascend.
  struct Positions {
    Array<Position> owned;
    const Position* begin;
    std::size_t size;
  };

  // `max_rare`: pairs of more positions are in the table.
  PairLists(const Words& words, const Vocab& vocab, Checkpoint& checkpoint, std::size_t max_rare)
      : words_(words), vocab_(vocab), checkpoint_(checkpoint), max_rare_(max_rare) {}

  // Makes room for so many positions of the candidate's pair; returns where they are to be written.
  Position* make_room(Candidate& candidate, std::size_t size) {
    if (size <= max_rare_) {
      candidate.positions = arena_.take(size);
      candidate.size = static_cast<std::uint32_t>(size);
      return candidate.positions;
    }
    Posting& posting = table_[candidate.pair];
    posting.count = candidate.count;
    posting.size = size;
    posting.positions = Array<Position>(size);
    return posting.positions.data();
  }

  // Takes the positions of a pair out.
  Positions take(const Candidate& candidate) {
    if (!candidate.in_table()) return {{}, candidate.positions, candidate.size};
    Posting& posting = *table_.find(candidate.pair);
    const Position* const begin = posting.positions.data();
    Positions positions{std::move(posting.positions), begin, posting.size};
    table_.erase(candidate.pair);
    return positions;
  }

  // A merge has taken this much from a pair. One that falls below `least` is forgotten.
  void lower(Pair pair, std::int64_t weight, std::int64_t least) {
    Posting* const posting = table_.find(pair);
    if (posting == nullptr) return;
    posting->count -= weight;
    if (posting->count < least) table_.erase(pair);
  }

  // Corrects the count; whether it was right. Stale positions leave those of a candidate.
  bool recount(Candidate& candidate) {
    std::int64_t count = 0;
    if (!candidate.in_table()) {
      count = count_positions(candidate);
    } else if (const Posting* const posting = table_.find(candidate.pair)) {
      count = posting->count;
    }
    return std::exchange(candidate.count, count) == count;
  }

  // The first line of the positions; the processor itself fetches the next ones.
  void fetch_positions(const Candidate& candidate) const { fetch(candidate.positions); }

  void fetch_cells(const Candidate& candidate) const {
    const auto cells = words_.cells();
    for (std::uint32_t i = 0; i < candidate.size; ++i) fetch(&cells[candidate.positions[i]]);
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
    Array<Position> positions;
  };

  static void fetch(const void* address) {
    __builtin_prefetch(address);
    // GCC 12 takes a function that only prefetches for one without any effect, and drops its calls.
    asm volatile("");
  }

  std::int64_t count_positions(Candidate& candidate) {
    checkpoint_(candidate.size);
    positions_recounted_ += candidate.size;
    const std::uint32_t left = left_of(candidate.pair), right = right_of(candidate.pair);
    const std::size_t left_length = vocab_.length(left);
    const auto cells = words_.cells();
    std::int64_t count = 0;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < candidate.size; ++i) {
      const Position p = candidate.positions[i];
      if (cells[p] != left || cells[p + left_length] != right) continue;
      candidate.positions[kept++] = p;
      std::size_t step = words_.step_near(p);
      count += words_.weight(p, step);
    }
    candidate.size = kept;
    return count;
  }

  const Words& words_;
  const Vocab& vocab_;
  Checkpoint& checkpoint_;
  const std::size_t max_rare_;
  Arena<Position> arena_;
  FlatMap<Posting> table_;
  std::uint64_t positions_recounted_ = 0;
};

}  // namespace bpe_lab
