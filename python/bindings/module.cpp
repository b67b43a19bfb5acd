#include "python/bindings/bindings-inl.hpp"

NB_MODULE(_core, m) {
  using namespace expose::python;
  m.doc() = "The C++ library; what people use is the package `expose`.";
  bind_base(m);
  bind_encode(m);
  bind_options(m);
  bind_map(m);
  bind_mean(m);
  bind_plan(m);
  bind_verdict(m);
  bind_detector(m);
  bind_watcher(m);
  bind_arrow_in(m);
  bind_arrow_out(m);
}
