// What the suites `hashing`, `select` and `negative` measure: maps and hash functions under the changes
// of a real training, and ways to find the greatest of many counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "maps.hpp"
#include "runner.hpp"
#include "stage.hpp"
#include "threads.hpp"
#include "words_stage.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace bpe_lab {

// Seconds that pass between `start` and `stop`, added up.
class StopWatch {
 public:
  void start() { begin_ = std::chrono::steady_clock::now(); }
  void stop() {
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  double seconds = 0;

 private:
  std::chrono::steady_clock::time_point begin_;
};

// ---- Hash functions of a pair of ids.

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

// Calls `visit` with the hash function of a name.
template <class Visit>
auto with_hash(const std::string& name, Visit&& visit) {
  if (name == "identity") return visit(Identity());
  if (name == "shifted_xor") return visit(ShiftedXor());
  if (name == "boost_combine") return visit(BoostCombine());
  if (name == "fibonacci") return visit(FoldedFibonacci());
  if (name == "multiply_mix") return visit(MultiplyMix());
  throw std::invalid_argument("no hash function is called " + name);
}

inline std::uint64_t hash_pair(const std::string& hash, std::uint32_t left, std::uint32_t right) {
  return with_hash(hash, [&](auto function) -> std::uint64_t { return function(pair_of(left, right)); });
}

// ---- The changes of the pair counts in a training, in their order.

struct Change {
  Pair pair;
  std::int64_t change;
};

template <class Value>
class NotedMap : public FlatMap<Value> {
 public:
  void add(Pair pair, Value change) {
    noted.push_back({pair, change});
    FlatMap<Value>::add(pair, change);
  }
  std::vector<Change> noted;
};

// Stage `cpp_flat`, writing down every change.
class NotedStage final : public HeapStage<NotedMap> {
 public:
  using HeapStage<NotedMap>::HeapStage;
  std::vector<Change> changes() const {
    std::vector<Change> all = pair_counts_.noted;
    all.insert(all.end(), changes_.noted.begin(), changes_.noted.end());
    return all;
  }
};

inline std::vector<Change> training_changes(const std::vector<std::string>& words,
                                            const std::vector<std::uint64_t>& counts,
                                            std::uint32_t first_id, std::uint32_t end_id) {
  std::vector<WordRef> refs;
  for (std::size_t i = 0; i < words.size(); ++i) {
    refs.push_back({reinterpret_cast<const std::uint8_t*>(words[i].data()),
                    static_cast<std::uint32_t>(words[i].size()), counts[i]});
  }
  NotedStage stage(refs, {first_id, end_id, 1, {}});
  stage.count_pairs();
  run_merges(stage, first_id, end_id, std::numeric_limits<double>::infinity());
  return stage.changes();
}

// ---- Maps.

struct Replayed {
  double seconds = 0;  // of one replay
  std::uint64_t probes = 0, hash_values = 0, largest = 0;
  std::vector<Change> counts;  // what is left at the end, by pair
};

template <class Map>
void make_change(Map& map, const Change& one) {
  std::int64_t& count = map[one.pair];
  count += one.change;
  if (count == 0) map.erase(one.pair);
}

// Makes all changes in an empty map, `loops` times with the clock running, then once counting probes.
template <class Map, class Hash>
Replayed replay_in(const std::vector<Change>& changes, int loops, Hash hash) {
  Replayed result;
  StopWatch watch;
  for (int loop = 0; loop < loops; ++loop) {
    Map map;
    watch.start();
    for (const Change& one : changes) make_change(map, one);
    watch.stop();
  }
  result.seconds = watch.seconds / loops;

  Map map;
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

inline Replayed replay(const std::string& map, const std::string& hash,
                       const std::vector<Change>& changes, int loops) {
  return with_hash(hash, [&](auto function) {
    using Hash = decltype(function);
    if (map == "node") return replay_in<NodeTable<std::int64_t, Hash>>(changes, loops, function);
    if (map == "flat") return replay_in<FlatTable<std::int64_t, Hash>>(changes, loops, function);
    throw std::invalid_argument("no map is called " + map);
  });
}

// ---- The greatest of many counts.

// Pairs whose counts fall by ranks as those of words do, and change a little after each selection, as in
// a training: the chosen pair goes, some counts fall, some pairs vanish, and as many appear, none of them
// with a higher count than the chosen one.
template <template <class> class Map>
class ChangingPairs {
 public:
  using Entry = PairHeap::Entry;

  explicit ChangingPairs(std::size_t n_pairs) : vocab_(256) {
    for (std::uint32_t id = 256; id < kIds; ++id) {
      const std::uint32_t left = below(id);
      vocab_.add(left, below(256));
    }
    for (std::size_t rank = 1; rank <= n_pairs; ++rank) {
      appear(known_.emplace_back(), kTopCount / static_cast<std::int64_t>(rank) + 1);
    }
  }

  const Vocab& vocab() const { return vocab_; }
  Map<std::int64_t>& counts() { return counts_; }
  // Those that appeared since they were taken last.
  std::vector<Entry> take_risen() { return std::exchange(risen_, {}); }

  void change(const Entry& chosen) {
    counts_.erase(chosen.pair);
    appear(known_.emplace_back(), chosen.count / 2 + 1);
    for (int i = 0; i < kFalling; ++i) {
      std::int64_t* const count = counts_.find(somewhere());
      if (count != nullptr) *count -= *count / 4;
    }
    for (int i = 0; i < kAppearing; ++i) {
      Pair& place = somewhere();
      counts_.erase(place);
      appear(place, std::max<std::int64_t>(1, chosen.count >> below(16)));
    }
  }

 private:
  static constexpr std::uint32_t kIds = 32000;
  static constexpr std::int64_t kTopCount = 100000000;
  static constexpr int kFalling = 24, kAppearing = 6;

  // The same numbers on every machine, unlike those of the standard's distributions.
  std::uint32_t below(std::uint64_t end) { return static_cast<std::uint32_t>(random_() % end); }

  // What is frequent changes often: the first place, the next two, the next four, ... equally often.
  Pair& somewhere() {
    std::uint32_t levels = 0;
    while (known_.size() >> levels > 1) ++levels;
    const std::size_t reach = known_.size() >> below(levels + 1);
    return known_[below(reach)];
  }

  void appear(Pair& place, std::int64_t count) {
    do {
      const std::uint32_t left = below(kIds);
      place = pair_of(left, below(kIds));
    } while (counts_.find(place) != nullptr);
    counts_[place] = count;
    risen_.push_back({count, place});
  }

  std::mt19937_64 random_{2024};
  Vocab vocab_;
  Map<std::int64_t> counts_;
  std::vector<Pair> known_;
  std::vector<Entry> risen_;
};

// Scans for the greatest entry; an entry without a count is a free slot.
class Scan {
 public:
  using Entry = PairHeap::Entry;

  explicit Scan(const Vocab& vocab) : vocab_(vocab) {}

  void look(const Entry& entry, Entry& best) const {
    if (entry.count > best.count ||
        (entry.count == best.count && entry.count > 0 && vocab_.less(best.pair, entry.pair))) {
      best = entry;
    }
  }

  template <class At>
  Entry serial(std::size_t size, At at) const {
    Entry best{0, 0};
    for (std::size_t i = 0; i < size; ++i) look(at(i), best);
    return best;
  }

  // Without OpenMP one thread does it.
  template <class At>
  Entry parallel(std::size_t size, int threads, const std::string& schedule, At at) const {
    struct alignas(64) Mine {  // a cache line of its own: nobody waits for another's writes
      Entry best{0, 0};
    };
    std::vector<Mine> mine(static_cast<std::size_t>(threads));
#ifdef _OPENMP
    // Pieces as in stage `openmp_scan`; 0: one piece per thread.
    if (schedule == "static") omp_set_schedule(omp_sched_static, 0);
    if (schedule == "dynamic") omp_set_schedule(omp_sched_dynamic, 4096);
    if (schedule == "guided") omp_set_schedule(omp_sched_guided, 4096);
#pragma omp parallel num_threads(threads)
    {
      Entry best{0, 0};
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < size; ++i) look(at(i), best);
      mine[static_cast<std::size_t>(omp_get_thread_num())].best = best;
    }
#else
    static_cast<void>(schedule);
    mine[0].best = serial(size, at);
#endif
    Entry best{0, 0};
    for (const Mine& one : mine) look(one.best, best);
    return best;
  }

 private:
  const Vocab& vocab_;
};

struct Selected {
  double seconds = 0, first_seconds = 0;  // of the selections asked for; of those before them
  std::vector<PairHeap::Entry> chosen;
  Operations operations;
};

// The first selection starts threads and builds heaps; the second lets them grow.
inline constexpr int kFirstSelections = 2;

// Calls `select` and changes the counts, in turn.
template <class Pairs, class Select>
Selected select_often(Pairs& pairs, int selections, Select select) {
  Selected result;
  for (int i = 0; i < kFirstSelections + selections; ++i) {
    StopWatch watch;
    watch.start();
    result.chosen.push_back(select());
    watch.stop();
    (i < kFirstSelections ? result.first_seconds : result.seconds) += watch.seconds;
    pairs.change(result.chosen.back());
  }
  return result;
}

template <template <class> class Map>
Selected select_by_heap(std::size_t n_pairs, int selections) {
  ChangingPairs<Map> pairs(n_pairs);
  PairHeap heap(pairs.vocab());
  std::uint64_t pushes = 0, stale_pops = 0;
  Selected result = select_often(pairs, selections, [&] {
    const std::vector<PairHeap::Entry> risen = pairs.take_risen();
    heap.push_all(risen);
    pushes += risen.size();
    const Choice choice = heap.take(
        [&](Pair pair) {
          const std::int64_t* const count = pairs.counts().find(pair);
          return count == nullptr ? 0 : *count;
        },
        stale_pops);
    return PairHeap::Entry{choice.count, pair_of(choice.left, choice.right)};
  });
  result.operations = {{"heap_pushes", pushes}, {"stale_pops", stale_pops}};
  return result;
}

// `copied`: the entries are copied into a vector first, which any scan can take in pieces.
// `schedule` "": no OpenMP.
template <template <class> class Map, class InPlace>
Selected select_by_scan(std::size_t n_pairs, int selections, bool copied, int threads,
                        const std::string& schedule, InPlace in_place) {
  ChangingPairs<Map> pairs(n_pairs);
  const Scan scan(pairs.vocab());
  std::vector<PairHeap::Entry> entries;
  std::uint64_t scanned = 0, copies = 0;
  Selected result = select_often(pairs, selections, [&] {
    if (!copied) return in_place(scan, pairs.counts(), scanned);
    entries.clear();
    pairs.counts().each([&](Pair pair, std::int64_t count) { entries.push_back({count, pair}); });
    copies += entries.size();
    scanned += entries.size();
    const auto at = [&](std::size_t i) { return entries[i]; };
    return schedule.empty() ? scan.serial(entries.size(), at)
                            : scan.parallel(entries.size(), threads, schedule, at);
  });
  result.operations = {{"entries_scanned", scanned}, {"entries_copied", copies}};
  return result;
}

// `how`: "heap", "scan" or "copy"; `map`: "node" or "flat".
inline Selected select_pairs(const std::string& how, const std::string& map, std::size_t n_pairs,
                             int selections, int threads, const std::string& schedule) {
  if (!schedule.empty()) require_threads(threads);
  const bool copied = how == "copy";
  if (!copied && how != "scan" && how != "heap") {
    throw std::invalid_argument("no way to select is called " + how);
  }
  if (map == "node") {
    if (how == "heap") return select_by_heap<NodeMap>(n_pairs, selections);
    return select_by_scan<NodeMap>(
        n_pairs, selections, copied, threads, schedule,
        [](const Scan& scan, NodeMap<std::int64_t>& counts, std::uint64_t& scanned) {
          // Its entries have no numbers: no other thread can begin in the middle.
          PairHeap::Entry best{0, 0};
          scanned += counts.size();
          counts.each([&](Pair pair, std::int64_t count) { scan.look({count, pair}, best); });
          return best;
        });
  }
  if (map != "flat") throw std::invalid_argument("no map is called " + map);
  if (how == "heap") return select_by_heap<FlatMap>(n_pairs, selections);
  return select_by_scan<FlatMap>(
      n_pairs, selections, copied, threads, schedule,
      [&](const Scan& scan, FlatMap<std::int64_t>& counts, std::uint64_t& scanned) {
        scanned += counts.slots();
        const auto at = [&](std::size_t i) {
          const auto [pair, count] = counts.slot(i);
          return PairHeap::Entry{*count, pair};
        };
        return schedule.empty() ? scan.serial(counts.slots(), at)
                                : scan.parallel(counts.slots(), threads, schedule, at);
      });
}

}  // namespace bpe_lab
