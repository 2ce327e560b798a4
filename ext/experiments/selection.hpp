// What the suites `select` and `negative` measure: ways to find the greatest of many counts while some change.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "experiments/stopwatch.hpp"
#include "heap.hpp"
#include "maps.hpp"
#include "stage.hpp"
#include "threads.hpp"
#include "vocab.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace bpe_lab {

// Pairs whose counts fall by ranks as those of words do, and change a little after each selection, as in
// a training: the chosen pair goes, some counts fall, some pairs vanish, and as many appear, none of them
// with a higher count than the chosen one.
template <template <class> class Map>
class ChangingPairs {
 public:
  using Entry = PairHeap::Entry;

  explicit ChangingPairs(std::size_t n_pairs) : vocab_(Setup{256}) {
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

// kNone: without OpenMP.
enum class Schedule { kNone, kStatic, kDynamic, kGuided };

// The greatest of the entries at(0) .. at(size - 1); one without a count is a free slot.
template <class At>
PairHeap::Entry greatest(const Vocab& vocab, std::size_t size, int threads, Schedule schedule, At at) {
  PairHeap::Entry best;
#ifdef _OPENMP
  if (schedule != Schedule::kNone) {
    // Pieces as in stage `openmp_scan`; 0: one piece per thread.
    if (schedule == Schedule::kStatic) omp_set_schedule(omp_sched_static, 0);
    if (schedule == Schedule::kDynamic) omp_set_schedule(omp_sched_dynamic, 4096);
    if (schedule == Schedule::kGuided) omp_set_schedule(omp_sched_guided, 4096);
    const WithoutSignals without(threads);
#pragma omp parallel num_threads(threads)
    {
      without.all_started();
      PairHeap::Entry mine;
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < size; ++i) keep_greater(vocab, at(i), mine);
#pragma omp critical
      keep_greater(vocab, mine, best);
    }
    return best;
  }
#endif
  for (std::size_t i = 0; i < size; ++i) keep_greater(vocab, at(i), best);
  return best;
}

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
    double& seconds = i < kFirstSelections ? result.first_seconds : result.seconds;
    seconds += seconds_of([&] { result.chosen.push_back(select()); });
    pairs.change(result.chosen.back());
  }
  return result;
}

// The greatest of the map itself. The entries of a node map have no numbers: no other thread can begin in the middle.
inline PairHeap::Entry scan_in_place(const Vocab& vocab, NodeMap<std::int64_t>& counts, int, Schedule,
                                     std::uint64_t& scanned) {
  PairHeap::Entry best;
  scanned += counts.size();
  counts.each([&](Pair pair, std::int64_t count) { keep_greater(vocab, {count, pair}, best); });
  return best;
}

inline PairHeap::Entry scan_in_place(const Vocab& vocab, FlatMap<std::int64_t>& counts, int threads, Schedule schedule,
                                     std::uint64_t& scanned) {
  scanned += counts.slots();
  return greatest(vocab, counts.slots(), threads, schedule, [&](std::size_t i) {
    const auto [pair, count] = counts.slot(i);
    return PairHeap::Entry{*count, pair};
  });
}

// kCopy: the entries are copied into a vector first, which any scan can take in pieces.
enum class Way { kHeap, kScan, kCopy };

template <template <class> class Map>
Selected select_pairs(Way way, std::size_t n_pairs, int selections, int threads, Schedule schedule) {
  if (schedule != Schedule::kNone) require_threads(threads);
  ChangingPairs<Map> pairs(n_pairs);
  auto& counts = pairs.counts();
  const Vocab& vocab = pairs.vocab();
  Selected result;
  if (way == Way::kHeap) {
    PairHeap heap(vocab);
    std::uint64_t pushes = 0, stale_pops = 0;
    const auto count_of = [&](Pair pair) {
      const std::int64_t* const count = counts.find(pair);
      return count == nullptr ? 0 : *count;
    };
    result = select_often(pairs, selections, [&] {
      const std::vector<PairHeap::Entry> risen = pairs.take_risen();
      for (const PairHeap::Entry& entry : risen) heap.push(entry);
      pushes += risen.size();
      const Choice choice = heap.take(count_of, stale_pops);
      return PairHeap::Entry{choice.count, pair_of(choice.left, choice.right)};
    });
    result.operations = {{"heap_pushes", pushes}, {"stale_pops", stale_pops}};
  } else if (way == Way::kScan) {
    std::uint64_t scanned = 0;
    result = select_often(pairs, selections, [&] { return scan_in_place(vocab, counts, threads, schedule, scanned); });
    result.operations = {{"entries_scanned", scanned}, {"entries_copied", 0}};
  } else {
    std::vector<PairHeap::Entry> entries;
    std::uint64_t copied = 0;
    result = select_often(pairs, selections, [&] {
      entries.clear();
      counts.each([&](Pair pair, std::int64_t count) { entries.push_back({count, pair}); });
      copied += entries.size();
      return greatest(vocab, entries.size(), threads, schedule, [&](std::size_t i) { return entries[i]; });
    });
    result.operations = {{"entries_scanned", copied}, {"entries_copied", copied}};
  }
  return result;
}

inline Selected select_pairs(Way way, MapKind map, std::size_t n_pairs, int selections, int threads,
                             Schedule schedule) {
  return map == MapKind::kNode ? select_pairs<NodeMap>(way, n_pairs, selections, threads, schedule)
                               : select_pairs<FlatMap>(way, n_pairs, selections, threads, schedule);
}

}  // namespace bpe_lab
