// glibc's allocator statistics and trimming, which Swift's Glibc module leaves out.
#include <malloc.h>
