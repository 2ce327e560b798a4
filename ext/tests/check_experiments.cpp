#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checks.hpp"
#include "experiments/hash_functions.hpp"
#include "experiments/limits.hpp"
#include "experiments/pair_changes.hpp"
#include "experiments/selection.hpp"

namespace bpe_lab {

namespace {

// All ways through a text find the same words, and all keys arrive in whatever table.
void check_walks() {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += " low's lower, \xC3\xA4\xE4\xB8\xAD" + std::to_string(i) + "<|endoftext|>";
    text += std::string(static_cast<std::size_t>(i % 40), 'w') + "\n";
  }
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  for (const std::size_t block_bytes : {std::size_t{7}, std::size_t{1} << 20}) {
    const TextToWalk walked(bytes, text.size(), {"<|endoftext|>"}, block_bytes);
    const Walked scan = walked.walk(Walk::kScan, 1, false, 1), keys = walked.walk(Walk::kKeys, 1, false, 1);
    check(scan.words == keys.words && scan.word_bytes == keys.word_bytes, "scans differ", "keys");
    check(scan.word_bytes + 300 * 13 == text.size(), "bytes are in no word", "scan");
    for (const Walk way : {Walk::kSlots, Walk::kCount}) {
      for (const std::size_t slots : {1, 64, 4096}) {
        for (const bool anywhere : {false, true}) {
          const Walked other = walked.walk(way, slots, anywhere, 2);
          check(other.words == keys.words && other.word_bytes == keys.word_bytes, "words differ", "slots");
          check(other.checksum == keys.checksum, "keys differ", "slots");
        }
      }
    }
    check(walked.walk(Walk::kPass, 1, false, 2).bytes == text.size(), "bytes differ", "pass");
  }
}

void check_places() {
  const Looked looked = look_words_up(LookUp::kWaits, 64, 1000);
  for (const LookUp way : {LookUp::kOverlaps, LookUp::kQueued}) {
    const Looked other = look_words_up(way, 64, 1000);
    check(other.found == 1000 && other.checksum == looked.checksum, "other words were looked up", "limits");
  }
  for (const std::size_t cells : {1, 50, 5000}) {
    const Touched touched = touch_places(Touch::kWaits, cells, 9, 999);
    for (const Touch way : {Touch::kOverlaps, Touch::kAscends, Touch::kFetched}) {
      check(touch_places(way, cells, 9, 999).checksum == touched.checksum, "other places were touched", "limits");
    }
  }
}

// Each pair (2i, 2i + 1) of the words becomes 256 + i: so does every cell of it.
void check_passes() {
  constexpr std::size_t kCells = 10000;
  const PairedWords made(kCells);
  std::uint64_t checksum = 0, at = 0;
  checksum += ++at * FlatWordsOfShortIds::kSeparator;
  for (std::size_t i = 0; i < made.bytes.size(); ++i) {
    checksum += ++at * (256 + made.bytes[i] / 2);
    if ((i + 1) % PairedWords::kBytes == 0) checksum += ++at * FlatWordsOfShortIds::kSeparator;
  }
  const Passed once = merge_in_passes(kCells, made.bytes.size() / 2);
  check(once.positions == made.bytes.size() / 2 && once.stale == 0, "not at each position", "passes");
  check(once.checksum == checksum, "cells differ", "passes");
  const Passed twice = merge_in_passes(kCells, made.bytes.size());
  check(twice.positions == made.bytes.size() && twice.checksum == 2 * checksum, "not made anew", "passes");
}

}  // namespace

// What the experiments compare: the same choices and counts, whatever the map, hash and threads.
void check_experiments() {
  check_walks();
  check_places();
  check_passes();
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
