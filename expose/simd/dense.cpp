#include "expose/simd/dense.hpp"

#include <algorithm>
#include <cstring>

#include "expose/simd/blocks.hpp"
#include "expose/simd/config.hpp"
#include "expose/simd/scratch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/dense.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

// Rows of a tile: with 2 vectors of columns, as many accumulators as the registers hold.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr std::size_t kRows = 12;
#elif HWY_TARGET == HWY_AVX2
inline constexpr std::size_t kRows = 6;
#else
inline constexpr std::size_t kRows = 4;
#endif
static_assert(kMaxRows % kRows == 0);
// Panels of a tile that has one row: its accumulators then hide the latency of the multiply-adds.
inline constexpr std::size_t kWide = 4;

// ---- what a product becomes ----

// Distances are summed from differences: |x|^2 + |z|^2 - 2 <x, z> would have no digits left for rows that are close to
// each other and far from the centre.
template <Profile P>
HWY_INLINE V step(V a, V z, V x) {
  if constexpr (P == Profile::fourier) return fma(z, x, a);
  const V difference = hn::Sub(x, z);
  if constexpr (P == Profile::laplacian) return hn::Add(a, hn::Abs(difference));
  return fma(difference, difference, a);
}

template <Profile P>
HWY_INLINE V kernel(V a) {
  if constexpr (P == Profile::gaussian || P == Profile::laplacian) return exp2_held(hn::Neg(a));
  // Matern, a = t^2; beyond t = 42 the kernel is nothing beside the grid.
  const V t = hn::Min(hn::Sqrt(a), set(42.0F));
  const V decay = exp2_held(hn::Mul(t, set(-1.44269504F)));
  V factor = hn::Add(set(1.0F), t);
  if constexpr (P == Profile::matern52) factor = fma(hn::Mul(t, t), set(0.333333343F), factor);
  return hn::Mul(factor, decay);
}

// ---- where a tile goes ----
// A sink takes the products a[i][v] of rows row + i and columns slot + 16 v .. slot + 16 v + N.

template <Profile P>
struct Sums {  // bits of the features, added as int32
  const Dense& map;
  std::int32_t* sums;  // [slots], for fourier [2][slots]

  HWY_INLINE V start(std::size_t) const { return set(0.0F); }

  template <std::size_t R, std::size_t C>
  HWY_INLINE void take(const V (&a)[R][C], std::size_t, std::size_t slot) const {
    EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) {
      std::int32_t* const to = sums + slot + kLanes * v;
      I first = load(to);
      if constexpr (P == Profile::fourier) {
        I second = load(to + map.slots);
        EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) {
          I cos_bits, sin_bits;
          circle(a[i][v], cos_bits, sin_bits);
          first = hn::Add(first, cos_bits);
          second = hn::Add(second, sin_bits);
        }
        store(second, to + map.slots);
      } else {
        EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) {
          first = hn::Add(first, bits(hn::Add(kernel<P>(a[i][v]), set(3.0F))));
        }
      }
      store(first, to);
    }
  }
};

template <Profile P>
struct Features {  // the features themselves
  const Dense& map;
  float* features;  // [rows][slots], for fourier [rows][2][slots]

  HWY_INLINE V start(std::size_t) const { return set(0.0F); }

  template <std::size_t R, std::size_t C>
  HWY_INLINE void take(const V (&a)[R][C], std::size_t row, std::size_t slot) const {
    EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) {
      EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) {
        if constexpr (P == Profile::fourier) {
          float* const to = features + (row + i) * 2 * map.slots + slot + kLanes * v;
          I cos_bits, sin_bits;
          circle(a[i][v], cos_bits, sin_bits);
          store(from_grid(cos_bits), to);
          store(from_grid(sin_bits), to + map.slots);
        } else {
          float* const to = features + (row + i) * map.slots + slot + kLanes * v;
          store(from_grid(bits(hn::Add(kernel<P>(a[i][v]), set(3.0F)))), to);
        }
      }
    }
  }
};

template <Profile P>
struct Lanes {  // amplitude times feature, added in 16 virtual lanes a row
  const Dense& map;
  const float* amplitude;
  const float* starts;  // [slots], of fourier
  float* lanes;         // [rows][16]

  HWY_INLINE V start(std::size_t slot) const { return P == Profile::fourier ? load(starts + slot) : set(0.0F); }

  template <std::size_t R, std::size_t C>
  HWY_INLINE void take(const V (&a)[R][C], std::size_t row, std::size_t slot) const {
    float* const to = lanes + row * kLanes + slot % kLanes;
    EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) {
      V sum = load(to + i * kLanes);
      EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) {
        const V weight = load(amplitude + slot + kLanes * v);
        const V feature = P == Profile::fourier ? cos_turns(a[i][v]) : kernel<P>(a[i][v]);
        sum = fma(weight, feature, sum);
      }
      store(sum, to + i * kLanes);
    }
  }
};

// ---- the tile ----

// a_ij = start_j + sum_k step(z_jk, x_ik), k ascending: R rows against Q panels (the lanes h .. h + N of each).
template <Profile P, std::size_t R, std::size_t Q, class Sink>
HWY_INLINE void tile(const Dense& map, const float* x, std::size_t row, std::size_t slot, const Sink& sink) {
  constexpr std::size_t C = 2 * Q;
  V a[R][C];
  EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) {
    const V start = sink.start(slot + kLanes * v);
    EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) a[i][v] = start;
  }
  const float* z = map.panels.data() + slot / kPanel * kPanel * map.d + slot % kPanel;
  for (std::size_t k = 0; k < map.d; ++k, z += kPanel, x += R) {
    V column[C];
    EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) column[v] = load(z + v / 2 * kPanel * map.d + v % 2 * kLanes);
    EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) {
      const V value = set(x[i]);
      EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) a[i][v] = step<P>(a[i][v], column[v], value);
    }
  }
  sink.take(a, row, slot);
}

// Rows in tiles of kRows, interleaved ([k][kRows]); the rest one by one ([k]).
HWY_INLINE void pack(const Dense& map, Rows rows, float* x) {
  const std::size_t whole = rows.n() / kRows * kRows;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const bool tiled = i < whole;
    float* const to = x + (tiled ? i / kRows * kRows * map.d + i % kRows : i * map.d);
    const std::size_t stride = tiled ? kRows : 1;
    const float* const from = rows[i].data();
    if (map.centre.empty()) {
      for (std::size_t k = 0; k < map.d; ++k) to[k * stride] = std::min(std::max(from[k], -map.reach), map.reach);
    } else {
      for (std::size_t k = 0; k < map.d; ++k) to[k * stride] = map.seen(from[k], k);
    }
  }
}

template <Profile P, class Sink>
HWY_INLINE void sweep(const Dense& map, Rows rows, const Sink& sink) {
  float* const x = room(scratch().rows, rows.n() * map.d);
  pack(map, rows, x);
  const std::size_t whole = rows.n() / kRows * kRows;
  if (whole > 0) {
    for (std::size_t panel = 0; panel < map.slots; panel += kPanel) {
      for (std::size_t h = 0; h < kLanes; h += N) {
        for (std::size_t i = 0; i < whole; i += kRows) {
          tile<P, kRows, 1>(map, x + i * map.d, i, panel + h, sink);
        }
      }
    }
  }
  for (std::size_t i = whole; i < rows.n(); ++i) {
    std::size_t panel = 0;
    for (; panel + kWide * kPanel <= map.slots; panel += kWide * kPanel) {
      for (std::size_t h = 0; h < kLanes; h += N) {
        tile<P, 1, kWide>(map, x + i * map.d, i, panel + h, sink);
      }
    }
    for (; panel < map.slots; panel += kPanel) {
      for (std::size_t h = 0; h < kLanes; h += N) tile<P, 1, 1>(map, x + i * map.d, i, panel + h, sink);
    }
  }
}

// ---- the three jobs, a block of rows each ----

template <Profile P>
HWY_INLINE void project_block(const Dense& map, Rows rows, float* features) {
  if (map.r == map.slots) return sweep<P>(map, rows, Features<P>{map, features});
  const std::size_t parts = P == Profile::fourier ? 2 : 1;
  float* const padded = room(scratch().features, rows.n() * parts * map.slots);
  sweep<P>(map, rows, Features<P>{map, padded});
  for (std::size_t i = 0; i < rows.n() * parts; ++i) {
    std::memcpy(features + i * map.r, padded + i * map.slots, map.r * sizeof(float));
  }
}

template <Profile P>
HWY_INLINE void accumulate_block(const Dense& map, Rows rows, std::int64_t* sums) {
  const std::size_t parts = P == Profile::fourier ? 2 : 1;
  std::int32_t* const narrow = room(scratch().sums, parts * map.slots);
  std::fill_n(narrow, parts * map.slots, 0);
  sweep<P>(map, rows, Sums<P>{map, narrow});
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t j = 0; j < map.r; ++j) {
      sums[part * map.r + j] += grid_units(narrow[part * map.slots + j], rows.n());
    }
  }
}

template <Profile P>
HWY_INLINE void similarity_block(const Dense& map, Rows rows, const float* amplitude, const float* start, double* eta) {
  float* const lanes = room(scratch().lanes, rows.n() * kLanes);
  std::fill_n(lanes, rows.n() * kLanes, 0.0F);
  sweep<P>(map, rows, Lanes<P>{map, amplitude, start, lanes});
  for (std::size_t i = 0; i < rows.n(); ++i) eta[i] = static_cast<double>(tree(lanes + i * kLanes));
}

template <class Job>
HWY_INLINE void by_profile(Profile profile, const Job& job) {
  switch (profile) {
    case Profile::fourier:
      return job.template run<Profile::fourier>();
    case Profile::gaussian:
      return job.template run<Profile::gaussian>();
    case Profile::matern32:
      return job.template run<Profile::matern32>();
    case Profile::matern52:
      return job.template run<Profile::matern52>();
    case Profile::laplacian:
      return job.template run<Profile::laplacian>();
  }
}

struct Project {
  const Dense& map;
  Rows rows;
  float* features;
  template <Profile P>
  HWY_ATTR void run() const {
    project_block<P>(map, rows, features);
  }
};
struct Accumulate {
  const Dense& map;
  Rows rows;
  std::int64_t* sums;
  template <Profile P>
  HWY_ATTR void run() const {
    accumulate_block<P>(map, rows, sums);
  }
};
struct Judge {
  const Dense& map;
  Rows rows;
  const float* amplitude;
  const float* start;
  double* eta;
  template <Profile P>
  HWY_ATTR void run() const {
    similarity_block<P>(map, rows, amplitude, start, eta);
  }
};

HWY_ATTR void project_rows(const Dense& map, Rows rows, float* features) {
  by_profile(map.profile, Project{map, rows, features});
}
HWY_ATTR void accumulate_rows(const Dense& map, Rows rows, std::int64_t* sums) {
  by_profile(map.profile, Accumulate{map, rows, sums});
}
HWY_ATTR void judge_rows(const Dense& map, Rows rows, const float* amplitude, const float* start, double* eta) {
  by_profile(map.profile, Judge{map, rows, amplitude, start, eta});
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(project_rows);
HWY_EXPORT(accumulate_rows);
HWY_EXPORT(judge_rows);

namespace {

// Rows a block: packed they fill a quarter of a small second-level cache, and int32 sums stay exact.
std::size_t block_rows(const Dense& map) {
  constexpr std::size_t kFloats = 65536;
  constexpr std::size_t kGranule = 12;  // a multiple of every tile height
  const std::size_t fit = kFloats / map.d / kGranule * kGranule;
  return std::clamp(fit, kGranule, kMaxRows);
}

}  // namespace

AlignedVector<float> pack_panels(std::span<const float> columns, std::size_t r, std::size_t d) {
  AlignedVector<float> panels(panel_slots(r) * d, 0.0F);
  for (std::size_t j = 0; j < r; ++j) {
    for (std::size_t k = 0; k < d; ++k) panels[(j / kPanel * d + k) * kPanel + j % kPanel] = columns[j * d + k];
  }
  return panels;
}

void project(const Dense& map, Rows rows, float* features) {
  constexpr std::size_t kFew = 48;  // rows whose padded features are in memory at a time
  in_blocks(rows, std::min(kFew, block_rows(map)), [&](Rows part, std::size_t begin) {
    HWY_DYNAMIC_DISPATCH(project_rows)(map, part, features + begin * map.features());
  });
}

void accumulate(const Dense& map, Rows rows, std::int64_t* sums) {
  in_blocks(rows, block_rows(map), [&](Rows part, std::size_t) {
    HWY_DYNAMIC_DISPATCH(accumulate_rows)(map, part, sums);
  });
}

void similarity(const Dense& map, Rows rows, const float* amplitude, const float* start, double* eta) {
  in_blocks(rows, block_rows(map), [&](Rows part, std::size_t begin) {
    HWY_DYNAMIC_DISPATCH(judge_rows)(map, part, amplitude, start, eta + begin);
  });
}

}  // namespace expose::simd
#endif  // HWY_ONCE
