// The C++ of ext/ against straightforward versions of itself, without Python: for the sanitizers.
//
//   make sanitize
//
// Random texts, tables and settings from fixed seeds; the first difference ends the program.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bad_hash.hpp"
#include "byte_masks.hpp"
#include "checks.hpp"

namespace {

std::size_t checks = 0;
std::uint64_t digest = 14695981039346656037u;  // FNV-1a, of 64 bits at a time

}  // namespace

namespace bpe_lab {

void check(bool holds, const char* what, const std::string& of) {
  ++checks;
  if (holds) return;
  std::fprintf(stderr, "check_native: %s: \"", what);
  for (const char c : of) std::fprintf(stderr, "\\x%02x", static_cast<unsigned char>(c));
  std::fprintf(stderr, "\"\n");
  std::abort();
}

void add_to_digest(std::uint64_t value) { digest = (digest ^ value) * 1099511628211u; }

}  // namespace bpe_lab

#ifndef BPE_LAB_FUZZ  // a fuzzer has its own
int main(int arguments, char** argument) {
  // Sanitizers are slow: fewer rounds than without.
  using namespace bpe_lab;
  const std::size_t scale = arguments > 1 ? std::strtoul(argument[1], nullptr, 10) : 10;
  Random random(2024);
  std::uint64_t first = 0;  // the digest of the first of them: whatever the scale
  for (std::size_t done = 0; done < scale; ++done) {
    check_scanners(random, 4000);
    check_special_tokens(random, 300);
    check_tables(random);
    check_counting(random, 20);
    check_encoding(random, 6);
    check_stages(random, 60);
    check_larger(random);
    if (done == 0) first = digest;
  }
  check(counts_with_bad_hash(scale > 1 ? 10'000'000 : 500'000), "words that collide have other counts", "");
#ifdef BPE_LAB_FAILING_MEMORY
  check_failing_memory();
#endif
#if defined(BPE_LAB_SSE2)
  const char* const scanner = "SSE2";
#elif defined(BPE_LAB_NEON)
  const char* const scanner = "NEON";
#else
  const char* const scanner = "portable";
#endif
#ifdef _OPENMP
  const char* const threads = "with threads";
#else
  const char* const threads = "without OpenMP";
#endif
  std::printf("check_native: %zu checks held (scanners: %s and portable; %s)\n", checks, scanner, threads);
  std::printf("digest %016" PRIx64 "\n", first);
  return 0;
}
#endif
