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
HWY_INLINE V step(V a, V z, const float* x) {
  if constexpr (P == Profile::fourier) return fma(z, set(*x), a);
  const V difference = minus_broadcast(z, x);
  if constexpr (P == Profile::laplacian) return hn::Add(a, hn::Abs(difference));
  return fma(difference, difference, a);
}

template <Profile P>
HWY_INLINE V kernel(V a) {
  if constexpr (P == Profile::gaussian || P == Profile::laplacian) return exp2_minus(a);
  // Matern, a = t^2; beyond t = 42 the kernel is nothing beside the grid.
  const V t = hn::Min(hn::Sqrt(a), set(42.0F));
  const V decay = exp2_minus(hn::Mul(t, set(1.44269504F)));
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

// The feature on the grid: 3 + f, back as f. What a kernel gives lies in [0, 1], where taking 3 away again is exact; a
// cosine may lie below -1 by a last bit, where only the bits tell its units.
template <Profile P>
HWY_INLINE V kernel_on_grid(V a) {
  const V shifted = hn::Add(kernel<P>(a), set(3.0F));
  if constexpr (P == Profile::gaussian || P == Profile::laplacian) return hn::Sub(shifted, set(3.0F));
  return from_grid(bits(shifted));
}

template <Profile P>
struct Features {  // the features themselves
  static constexpr std::size_t kParts = P == Profile::fourier ? 2 : 1;
  const Dense& map;
  float* features;  // [rows][kParts][r]: panels that are full go there,
  float* rest;      // [rows][kParts][32], and the last one here if it is not

  HWY_INLINE V start(std::size_t) const { return set(0.0F); }

  template <std::size_t R, std::size_t C>
  HWY_INLINE void take(const V (&a)[R][C], std::size_t row, std::size_t slot) const {
    EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) {
      const std::size_t at = slot + kLanes * v;
      const bool full = at / kPanel < map.r / kPanel;
      const std::size_t part = full ? map.r : kPanel;
      float* to = (full ? features + at : rest + at % kPanel) + row * kParts * part;
      EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i, to += kParts * part) {
        if constexpr (P == Profile::fourier) {
          I cos_bits, sin_bits;
          circle(a[i][v], cos_bits, sin_bits);
          store(from_grid(cos_bits), to);
          store(from_grid(sin_bits), to + part);
        } else {
          store(kernel_on_grid<P>(a[i][v]), to);
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

struct Watched {  // a row of a stream: bits of the features times the sums, and added to them
  const Dense& map;
  std::int64_t* sums;  // [2][slots]
  double* lanes;       // [2][16]: of the cosines, of the sines

  HWY_INLINE V start(std::size_t) const { return set(0.0F); }

  template <std::size_t C>
  HWY_INLINE void take(const V (&a)[1][C], std::size_t, std::size_t slot) const {
    double* const to = lanes + slot % kLanes;
    VD cos_cross[kParts], sin_cross[kParts];
    load_lanes(to, cos_cross);
    load_lanes(to + kLanes, sin_cross);
    EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) {
      I cos_bits, sin_bits;
      circle(a[0][v], cos_bits, sin_bits);
      watch_grid(cos_bits, sums + slot + kLanes * v, cos_cross);
      watch_grid(sin_bits, sums + map.slots + slot + kLanes * v, sin_cross);
    }
    store_lanes(cos_cross, to);
    store_lanes(sin_cross, to + kLanes);
  }
};

struct Distances {  // the products themselves
  const Dense& map;
  float* squared;  // [rows][slots]

  HWY_INLINE V start(std::size_t) const { return set(0.0F); }

  template <std::size_t R, std::size_t C>
  HWY_INLINE void take(const V (&a)[R][C], std::size_t row, std::size_t slot) const {
    EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) {
      float* const to = squared + (row + i) * map.slots + slot;
      EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) store(a[i][v], to + kLanes * v);
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
      EXPOSE_UNROLL for (std::size_t v = 0; v < C; ++v) a[i][v] = step<P>(a[i][v], column[v], x + i);
    }
  }
  sink.take(a, row, slot);
}

// A row as the loop sees it: clipped, for the kernels centred first and multiplied by the gain. Written for a compiler
// that vectorizes.
HWY_INLINE void see(const Dense& map, const float* HWY_RESTRICT from, float* HWY_RESTRICT to) {
  const std::size_t d = map.d;
  const float reach = map.reach;
  if (map.centre.empty()) {
    for (std::size_t k = 0; k < d; ++k) to[k] = std::min(std::max(from[k], -reach), reach);
    return;
  }
  const float* const HWY_RESTRICT centre = map.centre.data();
  const float gain = map.gain;
  for (std::size_t k = 0; k < d; ++k) to[k] = std::min(std::max(from[k] - centre[k], -reach), reach) * gain;
}

// Rows in tiles of kRows, interleaved ([k][kRows]); the rest one by one ([k]).
HWY_INLINE void pack(const Dense& map, Rows rows, float* x) {
  const std::size_t d = map.d;
  const std::size_t whole = rows.n() / kRows * kRows;
  float* const seen = room(scratch().seen, kRows * d);
  for (std::size_t begin = 0; begin < whole; begin += kRows) {
    for (std::size_t i = 0; i < kRows; ++i) see(map, rows[begin + i].data(), seen + i * d);
    float* to = x + begin * d;
    for (std::size_t k = 0; k < d; ++k) {
      EXPOSE_UNROLL for (std::size_t i = 0; i < kRows; ++i)* to++ = seen[i * d + k];
    }
  }
  for (std::size_t i = whole; i < rows.n(); ++i) see(map, rows[i].data(), x + i * d);
}

template <Profile P, class Sink>
HWY_INLINE void sweep_row(const Dense& map, const float* x, std::size_t row, const Sink& sink) {
  std::size_t panel = 0;
  for (; panel + kWide * kPanel <= map.slots; panel += kWide * kPanel) {
    for (std::size_t h = 0; h < kLanes; h += N) tile<P, 1, kWide>(map, x, row, panel + h, sink);
  }
  for (; panel < map.slots; panel += kPanel) {
    for (std::size_t h = 0; h < kLanes; h += N) tile<P, 1, 1>(map, x, row, panel + h, sink);
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
  for (std::size_t i = whole; i < rows.n(); ++i) sweep_row<P>(map, x + i * map.d, i, sink);
}

// ---- the jobs, a block of rows each ----

template <Profile P>
HWY_INLINE void project_block(const Dense& map, Rows rows, float* features) {
  const std::size_t parts = Features<P>::kParts * rows.n();
  float* const rest = room(scratch().features, parts * kPanel);
  sweep<P>(map, rows, Features<P>{map, features, rest});
  const std::size_t full = map.r / kPanel * kPanel;
  if (full == map.r) return;
  for (std::size_t i = 0; i < parts; ++i) {
    std::memcpy(features + i * map.r + full, rest + i * kPanel, (map.r - full) * sizeof(float));
  }
}

template <Profile P>
HWY_INLINE void accumulate_block(const Dense& map, Rows rows, std::int64_t* sums) {
  const std::size_t parts = P == Profile::fourier ? 2 : 1;
  std::int32_t* const narrow = room(scratch().sums, parts * map.slots);
  std::fill_n(narrow, parts * map.slots, 0);
  sweep<P>(map, rows, Sums<P>{map, narrow});
  for (std::size_t part = 0; part < parts; ++part) {
    add_units(narrow + part * map.slots, map.r, rows.n(), sums + part * map.r);
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
HWY_ATTR double watch_dense(const Dense& map, const float* row, std::int64_t* sums) {
  HWY_ALIGN double lanes[2][kLanes] = {};
  float* const x = room(scratch().rows, map.d);
  see(map, row, x);
  sweep_row<Profile::fourier>(map, x, 0, Watched{map, sums, lanes[0]});
  return tree(lanes[0]) + tree(lanes[1]);
}
HWY_ATTR void distance_rows(const Dense& map, Rows rows, float* squared) {
  sweep<Profile::gaussian>(map, rows, Distances{map, squared});
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(project_rows);
HWY_EXPORT(accumulate_rows);
HWY_EXPORT(judge_rows);
HWY_EXPORT(distance_rows);
HWY_EXPORT(watch_dense);

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
  constexpr std::size_t kFew = 48;  // rows whose features stay in the second-level cache
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

double watch(const Dense& map, const float* row, std::int64_t* sums) {
  return HWY_DYNAMIC_DISPATCH(watch_dense)(map, row, sums);
}

void squared_distances(const Dense& map, Rows rows, float* squared) {
  in_blocks(rows, block_rows(map), [&](Rows part, std::size_t begin) {
    HWY_DYNAMIC_DISPATCH(distance_rows)(map, part, squared + begin * map.slots);
  });
}

}  // namespace expose::simd
#endif  // HWY_ONCE
