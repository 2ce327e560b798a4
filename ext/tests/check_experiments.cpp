#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checks.hpp"
#include "experiments/hash_functions.hpp"
#include "experiments/pair_changes.hpp"
#include "experiments/selection.hpp"

namespace bpe_lab {

// What the experiments compare: the same choices and counts, whatever the map, hash and threads.
void check_experiments() {
  const auto chosen = select_pairs(Way::kHeap, MapKind::kNode, 3000, 30, 1, Schedule::kNone).chosen;
  for (const Way way : {Way::kScan, Way::kCopy}) {
    for (const Schedule schedule :
         {Schedule::kNone, Schedule::kStatic, Schedule::kDynamic, Schedule::kGuided}) {
      for (const int threads : {1, 2, 3, 8}) {
        const Selected other = select_pairs(way, MapKind::kFlat, 3000, 30, threads, schedule);
        bool same = other.chosen.size() == chosen.size();
        for (std::size_t i = 0; same && i < chosen.size(); ++i) {
          same = other.chosen[i].pair == chosen[i].pair && other.chosen[i].count == chosen[i].count;
        }
        check(same, "choices differ", way == Way::kScan ? "scan" : "copy");
      }
    }
  }
  const std::vector<Change> changes = training_changes({"banana", "ananas", "bandana"}, {3, 5, 2}, 256, 262);
  std::map<Pair, std::int64_t> counts;
  for (const Change& one : changes) counts[one.pair] += one.change;
  for (const MapKind map : {MapKind::kNode, MapKind::kFlat}) {
    for (const HashFunction hash :
         {HashFunction::kIdentity, HashFunction::kShiftedXor, HashFunction::kBoostCombine,
          HashFunction::kFibonacci, HashFunction::kMultiplyMix}) {
      std::map<Pair, std::int64_t> left = counts;
      for (const Change& one : replay(map, hash, changes, 1).counts) left[one.pair] -= one.change;
      for (const auto& [pair, count] : left) check(count == 0, "counts differ", std::to_string(pair));
    }
  }
}

}  // namespace bpe_lab
