# cython: language_level=3
"""How the compiled part of bpe_lab was built: the compiler, and OpenMP on or off."""

cdef extern from *:
    """
    #ifdef _OPENMP
      #include <omp.h>
      static long bpe_lab_openmp_version() { return _OPENMP; }
      static int bpe_lab_max_threads() { return omp_get_max_threads(); }
    #else
      static long bpe_lab_openmp_version() { return 0; }
      static int bpe_lab_max_threads() { return 1; }
    #endif

    #if defined(__clang__)
      #define BPE_LAB_COMPILER "clang " __clang_version__
    #elif defined(__GNUC__)
      #define BPE_LAB_COMPILER "gcc " __VERSION__
    #else
      #define BPE_LAB_COMPILER "unknown"
    #endif
    #ifndef BPE_LAB_FLAGS
      #define BPE_LAB_FLAGS ""
    #endif
    """
    long bpe_lab_openmp_version() nogil
    int bpe_lab_max_threads() nogil
    const char* BPE_LAB_COMPILER
    const char* BPE_LAB_FLAGS


def openmp_version():
    """The date of the OpenMP specification (such as 201511) that the core was compiled with, 0 without."""
    return bpe_lab_openmp_version()


def max_threads():
    """The number of threads that OpenMP would use here, 1 without it."""
    return bpe_lab_max_threads()


def compiler():
    """Name and version of the C++ compiler: `gcc 12.2.0`."""
    return BPE_LAB_COMPILER.decode()


def flags():
    """The compiler options of the core: of optimisation, and of the user (CXXFLAGS)."""
    return BPE_LAB_FLAGS.decode()
