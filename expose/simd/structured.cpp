#include "expose/simd/structured.hpp"

#include <algorithm>
#include <bit>

#include "expose/simd/blocks.hpp"
#include "expose/simd/scratch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expose/simd/structured.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "expose/simd/lanes-inl.hpp"

// Arrays whose sizes are powers of two would share cache sets; this many floats between them keeps them apart.
#ifndef EXPOSE_SIMD_APART
#define EXPOSE_SIMD_APART
namespace expose::simd {
inline constexpr std::size_t kApart = 48;

// Positions [begin, end).
struct Span {
  std::size_t begin;
  std::size_t end;
  Span next() const { return {end, end + (end - begin)}; }
};
}  // namespace expose::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace expose::simd::HWY_NAMESPACE {

// ---- Hadamard stages in registers ----

// Additions and multiply-adds run in different units of most cores, and there are more additions here: so where a
// register is left for the 1, one stage is written 1 a + b, 1 a - b, the same numbers.
#if HWY_TARGET == HWY_AVX3
inline constexpr bool kMultiplied = true;
#else
inline constexpr bool kMultiplied = false;
#endif

// 1, unknown to the compiler, which would know better than to multiply by it.
HWY_INLINE V unit() {
  V one = set(1.0F);
#if HWY_TARGET == HWY_AVX3 && defined(__GNUC__)
  asm("" : "+v"(one.raw));
#endif
  return one;
}

// The stages at distance From, 2 From, .. R/2 of R values: (a, b) -> (a + b, a - b).
template <std::size_t From, std::size_t R>
HWY_INLINE void butterflies(V (&v)[R]) {
  const V one = unit();
  EXPOSE_UNROLL for (std::size_t h = From; h < R; h *= 2) {
    EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) {
      if ((i & h) != 0) continue;
      const V a = v[i];
      const V b = v[i + h];
      if (kMultiplied && h == 2) {
        v[i] = hn::MulAdd(a, one, b);
        v[i + h] = hn::MulSub(a, one, b);
      } else {
        v[i] = hn::Add(a, b);
        v[i + h] = hn::Sub(a, b);
      }
    }
  }
}

// The same after flipping signs. A product with +-1 is exact, so fusing it into the first stage changes no bit, and
// Highway's MulAdd may be used on every target.
template <std::size_t R>
HWY_INLINE void signed_butterflies(V (&v)[R], const float* signs, std::size_t stride) {
  EXPOSE_UNROLL for (std::size_t i = 0; i < R; i += 2) {
    const V sign = load(signs + i * stride * kLanes);
    const V b = hn::Mul(v[i + 1], load(signs + (i + 1) * stride * kLanes));
    const V a = v[i];
    v[i] = hn::MulAdd(a, sign, b);
    v[i + 1] = hn::MulSub(a, sign, b);
  }
  butterflies<2>(v);
}

// ---- one pass over the D positions of N blocks; w is [D][N] ----
// `apart` is how many floats lie between the values of a butterfly, its stride times N or a little more.

template <std::size_t R>
HWY_INLINE void load_radix(const float* w, std::size_t apart, V (&v)[R]) {
  EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) v[i] = load(w + i * apart);
}
template <std::size_t R>
HWY_INLINE void store_radix(const V (&v)[R], std::size_t apart, float* w) {
  EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) store(v[i], w + i * apart);
}

// Calls step(at) for the first position of every butterfly of a pass that lies in [begin, end).
template <std::size_t R, class Step>
HWY_INLINE void over(Span span, std::size_t stride, const Step& step) {
  for (std::size_t outer = span.begin; outer < span.end; outer += R * stride) {
    for (std::size_t at = outer; at < outer + stride; ++at) step.template run<R>(at);
  }
}

struct First {  // the row, its signs flipped, into w
  const float* x;
  const float* signs;
  float* w;
  template <std::size_t R>
  HWY_INLINE void run(std::size_t at) const {
    V v[R];
    EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) v[i] = set(x[at + i]);
    signed_butterflies(v, signs + at * kLanes, 1);
    store_radix(v, N, w + at * N);
  }
};
struct Plain {
  float* w;
  std::size_t apart;
  template <std::size_t R>
  HWY_INLINE void run(std::size_t at) const {
    V v[R];
    load_radix(w + at * N, apart, v);
    butterflies<1>(v);
    store_radix(v, apart, w + at * N);
  }
};
struct Turn {  // the end of one transform, a sign flip, and the beginning of the next: one load, one store
  float* w;
  std::size_t apart;
  const float* signs;
  std::size_t stride;
  template <std::size_t R>
  HWY_INLINE void run(std::size_t at) const {
    V v[R];
    load_radix(w + at * N, apart, v);
    butterflies<1>(v);
    signed_butterflies(v, signs + at * kLanes, stride);
    store_radix(v, apart, w + at * N);
  }
};
template <class Sink>
struct Last {  // the end of the last transform, given to the sink position by position
  const float* w;
  std::size_t apart;
  std::size_t stride;
  Sink& sink;
  template <std::size_t R>
  HWY_INLINE void run(std::size_t at) const {
    V v[R];
    load_radix(w + at * N, apart, v);
    butterflies<1>(v);
    EXPOSE_UNROLL for (std::size_t i = 0; i < R; ++i) sink.take(v[i], at + i * stride);
  }
};

template <class Step>
HWY_INLINE void pass(Span span, const Pass& pass, const Step& step) {
  switch (pass.radix) {
    case 4:
      return over<4>(span, pass.stride, step);
    case 8:
      return over<8>(span, pass.stride, step);
    default:
      return over<16>(span, pass.stride, step);
  }
}

// ---- the transforms ----

// H S3 H S2 H S1 x for N blocks. `signs` points to this group's three sign vectors, at the first lane.
// All passes but the top one stay within chunks of positions: what they have to do there is done while the chunk is in
// the first-level cache. Between the chunks lies a gap: the values of a butterfly of the top pass would share one cache
// set, and push out each other and the signs.
template <class Sink>
HWY_INLINE void sorf(const Structured& map, const float* x, const float* signs, float* w, Sink& sink) {
  const std::size_t D = map.D;
  const float* const second = signs + D * kLanes;
  const float* const third = second + D * kLanes;
  if (map.passes.size() == 1) {  // D = 16 fits into registers
    V v[16];
    EXPOSE_UNROLL for (std::size_t i = 0; i < 16; ++i) v[i] = set(x[i]);
    signed_butterflies(v, signs, 1);
    signed_butterflies(v, second, 1);
    signed_butterflies(v, third, 1);
    EXPOSE_UNROLL for (std::size_t i = 0; i < 16; ++i) sink.take(v[i], i);
    return;
  }
  const Pass* const p = map.passes.data();
  const std::size_t top = map.passes.size() - 1;
  const std::size_t chunk = p[top].stride;
  const std::size_t apart = chunk * N + kApart;
  const auto up = [&](Span part, float* v) HWY_ATTR {
    for (std::size_t i = 1; i < top; ++i) pass(part, p[i], Plain{v, p[i].stride * N});
  };
  for (Span part{0, chunk}; part.begin < D; part = part.next()) {
    float* const v = w + part.begin / chunk * kApart;
    pass(part, p[0], First{x, signs, v});
    up(part, v);
  }
  pass({0, D}, p[top], Turn{w, apart, second, chunk});
  for (Span part{0, chunk}; part.begin < D; part = part.next()) {
    float* const v = w + part.begin / chunk * kApart;
    for (std::size_t i = top - 1; i > 0; --i) pass(part, p[i], Plain{v, p[i].stride * N});
    pass(part, p[0], Turn{v, N, third, 1});
    up(part, v);
  }
  pass({0, D}, p[top], Last<Sink>{w, apart, chunk, sink});
}

// H G P H B x for N blocks, the lanes from h on of group g. Each block has its own permutation, so that step goes
// number by number.
template <class Sink>
HWY_INLINE void fastfood(const Structured& map, std::size_t g, std::size_t h, const float* x, float* w, Sink& sink) {
  const std::size_t D = map.D;
  const Pass* const p = map.passes.data();
  const std::size_t top = map.passes.size() - 1;
  const std::size_t at = g * D * kLanes + h;
  float* const permuted = w + D * N + kApart;
  const Span all{0, D};
  pass(all, p[0], First{x, &map.signs[at], w});
  for (std::size_t i = 1; i <= top; ++i) pass(all, p[i], Plain{w, p[i].stride * N});
  for (std::size_t i = 0; i < D; ++i) {
    for (std::size_t l = 0; l < N; ++l) {
      const std::size_t here = at + i * kLanes + l;
      permuted[i * N + l] = w[map.permutation[here] * N + l] * map.gains[here];
    }
  }
  for (std::size_t i = 0; i < top; ++i) pass(all, p[i], Plain{permuted, p[i].stride * N});
  pass(all, p[top], Last<Sink>{permuted, p[top].stride * N, p[top].stride, sink});
}

// ---- where a frequency's product goes ----
// A sink takes position after position of the N blocks whose first slot is `slot`; the phase is p = scale v, in turns.

struct SumsSink {  // bits of the features, added as int32
  const float* scale;
  std::int32_t* cos_sums;
  std::int32_t* sin_sums;
  HWY_INLINE void take(V v, std::size_t position) const {
    const std::size_t at = position * kLanes;
    I cos_bits, sin_bits;
    circle(hn::Mul(v, load(scale + at)), cos_bits, sin_bits);
    store(hn::Add(load(cos_sums + at), cos_bits), cos_sums + at);
    store(hn::Add(load(sin_sums + at), sin_bits), sin_sums + at);
  }
};
struct FeaturesSink {
  const float* scale;
  float* cosines;
  float* sines;
  HWY_INLINE void take(V v, std::size_t position) const {
    const std::size_t at = position * kLanes;
    I cos_bits, sin_bits;
    circle(hn::Mul(v, load(scale + at)), cos_bits, sin_bits);
    store(from_grid(cos_bits), cosines + at);
    store(from_grid(sin_bits), sines + at);
  }
};
struct WatchSink {  // bits of the features times the sums, and added to them
  const float* scale;
  std::int64_t* cos_sums;
  std::int64_t* sin_sums;
  VD cos_cross[kParts];
  VD sin_cross[kParts];
  HWY_INLINE void take(V v, std::size_t position) {
    const std::size_t at = position * kLanes;
    I cos_bits, sin_bits;
    circle(hn::Mul(v, load(scale + at)), cos_bits, sin_bits);
    watch_grid(cos_bits, cos_sums + at, cos_cross);
    watch_grid(sin_bits, sin_sums + at, sin_cross);
  }
};
struct LanesSink {  // amplitude cos 2 pi (p + start), added in the virtual lanes
  const float* scale;
  const float* amplitude;
  const float* start;
  V sum;
  HWY_INLINE void take(V v, std::size_t position) {
    const std::size_t at = position * kLanes;
    sum = fma(load(amplitude + at), cos_turns(fma(v, load(scale + at), load(start + at))), sum);
  }
};

// ---- the jobs ----

// Rows, held within reach and padded with zeros to D.
HWY_INLINE void pack(const Structured& map, Rows rows, float* x) {
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const float* const from = rows[i].data();
    float* const to = x + i * map.D;
    for (std::size_t k = 0; k < map.d; ++k) to[k] = std::min(std::max(from[k], -map.reach), map.reach);
    std::fill(to + map.d, to + map.D, 0.0F);
  }
}

// Sends every row through every group. job.sink(row, slot) is where the N blocks at `slot` go; job.done takes it back.
template <class Job>
HWY_INLINE void sweep(const Structured& map, Rows rows, const Job& job) {
  Scratch& buffers = scratch();
  float* const x = room(buffers.rows, rows.n() * map.D);
  float* const w = room(buffers.work, 2 * map.D * kLanes + 16 * kApart);
  pack(map, rows, x);
  for (std::size_t g = 0; g < map.groups; ++g) {
    const std::size_t lanes_in_use = std::min(kLanes, map.blocks - g * kLanes);
    for (std::size_t i = 0; i < rows.n(); ++i) {
      for (std::size_t h = 0; h < lanes_in_use; h += N) {
        auto sink = job.sink(i, g * map.D * kLanes + h);
        if (map.gains.empty()) {
          sorf(map, x + i * map.D, &map.signs[g * map.flips * map.D * kLanes + h], w, sink);
        } else {
          fastfood(map, g, h, x + i * map.D, w, sink);
        }
        job.done(i, h, sink);
      }
    }
  }
}

struct SumsJob {
  const Structured& map;
  std::int32_t* sums;
  HWY_INLINE SumsSink sink(std::size_t, std::size_t slot) const {
    return {map.scale.data() + slot, sums + slot, sums + map.slots() + kApart + slot};
  }
  HWY_INLINE void done(std::size_t, std::size_t, const SumsSink&) const {}
};
struct FeaturesJob {
  const Structured& map;
  float* features;  // [rows][2][slots]
  HWY_INLINE FeaturesSink sink(std::size_t row, std::size_t slot) const {
    float* const to = features + row * 2 * map.slots() + slot;
    return {map.scale.data() + slot, to, to + map.slots()};
  }
  HWY_INLINE void done(std::size_t, std::size_t, const FeaturesSink&) const {}
};
struct LanesJob {
  const Structured& map;
  const float* amplitude;
  const float* start;
  float* lanes;  // [rows][16]
  HWY_INLINE LanesSink sink(std::size_t row, std::size_t slot) const {
    return {map.scale.data() + slot, amplitude + slot, start + slot, load(lanes + row * kLanes + slot % kLanes)};
  }
  HWY_INLINE void done(std::size_t row, std::size_t h, const LanesSink& sink) const {
    store(sink.sum, lanes + row * kLanes + h);
  }
};

struct WatchJob {  // of one row
  const Structured& map;
  std::int64_t* sums;  // [2][slots]
  double* lanes;       // [2][16]: of the cosines, of the sines
  HWY_INLINE WatchSink sink(std::size_t, std::size_t slot) const {
    WatchSink sink{map.scale.data() + slot, sums + slot, sums + map.slots() + slot, {}, {}};
    load_lanes(lanes + slot % kLanes, sink.cos_cross);
    load_lanes(lanes + kLanes + slot % kLanes, sink.sin_cross);
    return sink;
  }
  HWY_INLINE void done(std::size_t, std::size_t h, const WatchSink& sink) const {
    store_lanes(sink.cos_cross, lanes + h);
    store_lanes(sink.sin_cross, lanes + kLanes + h);
  }
};

HWY_ATTR void project_block(const Structured& map, Rows rows, float* features) {
  const std::size_t slots = map.slots();
  if (map.r == slots) return sweep(map, rows, FeaturesJob{map, features});
  float* const padded = room(scratch().features, rows.n() * 2 * slots);
  sweep(map, rows, FeaturesJob{map, padded});
  for (std::size_t i = 0; i < rows.n() * 2; ++i) {  // cosines, sines, cosines, ..
    for (std::size_t j = 0; j < map.r; ++j) features[i * map.r + j] = padded[i * slots + map.slot[j]];
  }
}

HWY_ATTR void accumulate_block(const Structured& map, Rows rows, std::int32_t* sums) {
  sweep(map, rows, SumsJob{map, sums});
}

HWY_ATTR void judge_block(const Structured& map, Rows rows, const float* amplitude, const float* start, double* eta) {
  float* const lanes = room(scratch().lanes, rows.n() * kLanes);
  std::fill_n(lanes, rows.n() * kLanes, 0.0F);
  sweep(map, rows, LanesJob{map, amplitude, start, lanes});
  for (std::size_t i = 0; i < rows.n(); ++i) eta[i] = static_cast<double>(tree(lanes + i * kLanes));
}

HWY_ATTR double watch_structured(const Structured& map, Rows row, std::int64_t* sums) {
  HWY_ALIGN double lanes[2][kLanes] = {};
  sweep(map, row, WatchJob{map, sums, lanes[0]});
  return tree(lanes[0]) + tree(lanes[1]);
}

}  // namespace expose::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace expose::simd {

HWY_EXPORT(project_block);
HWY_EXPORT(accumulate_block);
HWY_EXPORT(judge_block);
HWY_EXPORT(watch_structured);

namespace {

// Rows a block: padded they stay in the first-level cache while every group's signs pass by.
std::size_t block_rows(const Structured& map) {
  constexpr std::size_t kFloats = 8192;
  return std::clamp<std::size_t>(kFloats / map.D, 1, kMaxRows);
}

}  // namespace

std::vector<Pass> hadamard_passes(std::size_t D) {
  const auto stages = static_cast<std::size_t>(std::countr_zero(D));
  const std::size_t count = (stages + 3) / 4;
  std::vector<Pass> passes;
  std::size_t stride = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t radix = std::size_t{1} << (stages / count + (i < stages % count ? 1 : 0));
    passes.push_back({radix, stride});
    stride *= radix;
  }
  return passes;
}

void project(const Structured& map, Rows rows, float* features) {
  in_blocks(rows, 1, [&](Rows part, std::size_t begin) {
    HWY_DYNAMIC_DISPATCH(project_block)(map, part, features + begin * 2 * map.r);
  });
}

void accumulate(const Structured& map, Rows rows, std::int64_t* sums) {
  const std::size_t second = map.slots() + kApart;  // where the sines begin
  in_blocks(rows, kMaxRows, [&](Rows some, std::size_t) {
    std::int32_t* const narrow = room(scratch().sums, second + map.slots());
    std::fill_n(narrow, second + map.slots(), 0);
    in_blocks(some, block_rows(map), [&](Rows part, std::size_t) {
      HWY_DYNAMIC_DISPATCH(accumulate_block)(map, part, narrow);
    });
    for (std::size_t j = 0; j < map.r; ++j) {
      sums[j] += grid_units(narrow[map.slot[j]], some.n());
      sums[map.r + j] += grid_units(narrow[second + map.slot[j]], some.n());
    }
  });
}

double watch(const Structured& map, std::span<const float> row, std::int64_t* sums) {
  return HWY_DYNAMIC_DISPATCH(watch_structured)(map, Rows(row, map.d), sums);
}

void similarity(const Structured& map, Rows rows, const float* amplitude, const float* start, double* eta) {
  in_blocks(rows, block_rows(map), [&](Rows part, std::size_t begin) {
    HWY_DYNAMIC_DISPATCH(judge_block)(map, part, amplitude, start, eta + begin);
  });
}

}  // namespace expose::simd
#endif  // HWY_ONCE
