// What the suite `hashing` measures: hash functions of a pair of ids, and maps under the changes of the pair counts in a
// real training.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "experiments/stopwatch.hpp"
#include "maps.hpp"
#include "stage.hpp"
#include "words_stage.hpp"

namespace bpe_lab {

enum class HashFunction { kIdentity, kShiftedXor, kBoostCombine, kFibonacci, kMultiplyMix };

struct Identity {
  std::size_t operator()(Pair pair) const noexcept { return static_cast<std::size_t>(pair); }
};

// The bad one: ids below 32,768 give no more than 65,536 values.
struct ShiftedXor {
  std::size_t operator()(Pair pair) const noexcept {
    return left_of(pair) ^ std::size_t{right_of(pair)} << 1;
  }
};

// boost::hash_combine of two integers, as it was until Boost 1.80.
struct BoostCombine {
  std::size_t operator()(Pair pair) const noexcept {
    std::size_t hash = 0;
    for (const std::uint32_t id : {left_of(pair), right_of(pair)}) {
      hash ^= id + std::size_t{0x9E3779B9u} + (hash << 6) + (hash >> 2);
    }
    return hash;
  }
};

// The two halves of a product of 128 bits, folded: the step of wyhash.
struct MultiplyMix {
  std::size_t operator()(Pair pair) const noexcept {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(pair ^ 0xA0761D6478BD642Fu) * 0xE7037ED1A0B428DBu;
    return static_cast<std::size_t>(product ^ product >> 64);
  }
};

// Calls `visit` with a hash function.
template <class Visit>
auto with_hash(HashFunction hash, Visit&& visit) {
  switch (hash) {
    case HashFunction::kIdentity: return visit(Identity());
    case HashFunction::kShiftedXor: return visit(ShiftedXor());
    case HashFunction::kBoostCombine: return visit(BoostCombine());
    case HashFunction::kFibonacci: return visit(FoldedFibonacci());
    case HashFunction::kMultiplyMix: return visit(MultiplyMix());
  }
  __builtin_unreachable();
}

inline std::uint64_t hash_pair(HashFunction hash, std::uint32_t left, std::uint32_t right) {
  return with_hash(hash, [&](auto function) -> std::uint64_t { return function(pair_of(left, right)); });
}

// One pair more or less often.
struct Change {
  Pair pair;
  std::int64_t change;
};

// Keeps every change that is added to it.
template <class Value>
class RecordingMap : public FlatMap<Value> {
 public:
  void add(Pair pair, Value change) {
    recorded.push_back({pair, change});
    FlatMap<Value>::add(pair, change);
  }
  std::vector<Change> recorded;
};

// Stage `cpp_flat`, writing down every change.
class RecordingStage final : public HeapStage<RecordingMap> {
 public:
  using HeapStage<RecordingMap>::HeapStage;
  std::vector<Change> changes() const {
    std::vector<Change> all = pair_counts_.recorded;
    all.insert(all.end(), changes_.recorded.begin(), changes_.recorded.end());
    return all;
  }
};

inline std::vector<Change> training_changes(const std::vector<std::string>& words,
                                            const std::vector<std::uint64_t>& counts,
                                            std::uint32_t first_id, std::uint32_t end_id) {
  WordRefs refs;
  for (std::size_t i = 0; i < words.size(); ++i) {
    refs.push_back({reinterpret_cast<const std::uint8_t*>(words[i].data()),
                    static_cast<std::uint32_t>(words[i].size()), counts[i]});
  }
  RecordingStage stage(refs, {first_id, end_id, 1, {}});
  stage.count_pairs();
  run_merges(stage, first_id, end_id, std::numeric_limits<double>::infinity());
  return stage.changes();
}

struct Replayed {
  double seconds = 0;
  std::uint64_t probes = 0, hash_values = 0, largest = 0;
  std::vector<Change> counts;  // what is left at the end, by pair
};

template <class Map>
void make_change(Map& map, const Change& one) {
  std::int64_t& count = map[one.pair];
  count += one.change;
  if (count == 0) map.erase(one.pair);
}

// Makes all changes in an empty map with the clock running, then in another one, counting probes.
template <class Map, class Hash>
Replayed replay_in(const std::vector<Change>& changes, Hash hash) {
  Replayed result;
  Map timed, map;
  result.seconds = seconds_of([&] {
    for (const Change& one : changes) make_change(timed, one);
  });

  std::vector<std::size_t> hashes;
  for (const Change& one : changes) {
    result.probes += map.probes(one.pair);
    make_change(map, one);
    result.largest = std::max<std::uint64_t>(result.largest, map.size());
    hashes.push_back(hash(one.pair));
  }
  std::sort(hashes.begin(), hashes.end());
  result.hash_values =
      static_cast<std::uint64_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
  map.each([&](Pair pair, std::int64_t count) { result.counts.push_back({pair, count}); });
  std::sort(result.counts.begin(), result.counts.end(),
            [](const Change& a, const Change& b) { return a.pair < b.pair; });
  return result;
}

inline Replayed replay(MapKind map, HashFunction hash, const std::vector<Change>& changes) {
  return with_hash(hash, [&](auto function) {
    using Hash = decltype(function);
    switch (map) {
      case MapKind::kNode: return replay_in<NodeTable<std::int64_t, Hash>>(changes, function);
      case MapKind::kFlat: return replay_in<FlatTable<std::int64_t, Hash>>(changes, function);
    }
    __builtin_unreachable();
  });
}

}  // namespace bpe_lab
