// Short cases whose choices a fuzzer makes, guided by the code that they reach.
//
//   make fuzz SECONDS=60
//
// FUZZ in the environment names the part: counting, stages or encoding.
#include <cstdlib>
#include <cstring>

#include "checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace bpe_lab;
  static const char* const named = std::getenv("FUZZ");
  static const auto part = named == nullptr                          ? fuzz_counting
                           : std::strcmp(named, "stages") == 0   ? fuzz_stages
                           : std::strcmp(named, "encoding") == 0 ? fuzz_encoding
                                                                 : fuzz_counting;
  Random random(bytes, size);
  part(random);
  return 0;
}
