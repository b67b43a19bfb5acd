// detector/: fit, learn, judge, forget, merge; drift/.
#include <nanobind/stl/pair.h>

#include "expose/detector/blocks.hpp"
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

using SharedDetector = Shared<Detector>;

// Blocks that Python makes: next() gives an array or None, rewind() says whether it went back.
class PythonSource final : public Source {
 public:
  PythonSource(nb::object next, nb::object rewind) : next_(std::move(next)), rewind_(std::move(rewind)) {}

  Records next() override {
    const nb::gil_scoped_acquire acquire;
    const nb::object block = next_();
    if (block.is_none()) return {};
    block_ = nb::cast<Matrix>(block);
    return records_of(block_);
  }
  bool rewind() override {
    const nb::gil_scoped_acquire acquire;
    return nb::cast<bool>(rewind_());
  }

 private:
  nb::object next_;
  nb::object rewind_;
  Matrix block_;
};

std::pair<std::string, double> name_and_value(const Threshold& threshold) {
  if (const auto* const t = std::get_if<Fdr>(&threshold)) return {"fdr", t->q};
  if (const auto* const t = std::get_if<Contamination>(&threshold)) return {"contamination", t->share};
  if (const auto* const t = std::get_if<Top>(&threshold)) return {"top", static_cast<double>(t->count)};
  return {"alpha", std::get<Alpha>(threshold).alpha};
}

nb::tuple arrays_of(const std::vector<GroupVerdict>& verdicts) {
  std::vector<double> similarity, p_value;
  std::vector<std::int64_t> rows;
  std::vector<std::uint8_t> status;
  for (const GroupVerdict& verdict : verdicts) {
    similarity.push_back(verdict.similarity);
    p_value.push_back(verdict.p_value);
    rows.push_back(static_cast<std::int64_t>(verdict.rows));
    status.push_back(static_cast<std::uint8_t>(verdict.status));
  }
  return nb::make_tuple(array_of(std::move(similarity)), array_of(std::move(p_value)), array_of(std::move(rows)),
                        array_of(std::move(status)));
}

nb::tuple arrays_of(const std::vector<ErrorBar>& bars) {
  std::vector<double> monte_carlo, sampling, total;
  for (const ErrorBar& bar : bars) {
    monte_carlo.push_back(bar.monte_carlo);
    sampling.push_back(bar.sampling);
    total.push_back(bar.total());
  }
  return nb::make_tuple(array_of(std::move(monte_carlo)), array_of(std::move(sampling)), array_of(std::move(total)));
}

nb::tuple detection_of(Detection found) {
  auto* const detector = new SharedDetector(std::move(found.detector));
  return nb::make_tuple(nb::cast(detector, nb::rv_policy::take_ownership), python::arrays_of(found.verdicts),
                        found.much_looks_anomalous);
}

// The rows as a model of their own, made without a lock: adding it, or taking it out, is short.
Learned learn(SharedDetector& d, const Records& rows, std::span<const double> weights) {
  Detector more = d.now()->empty();
  Learned learned = long_call([&] { return more.learn(rows, weights); });
  d.change([&](Detector& detector) { detector.merge(more); });
  return learned;
}

Learned forget(SharedDetector& d, const Records& rows, std::span<const double> weights) {
  Detector less = d.now()->empty();
  Learned forgotten = long_call([&] {
    Learned found = less.learn(rows, weights);
    found.landmarks = find_landmarks(less.plan(), rows);
    return found;
  });
  d.change([&](Detector& detector) { detector.unmerge(less); });
  return forgotten;
}

std::vector<double> vouch(SharedDetector& d, const Records& rows, std::span<const double> weights) {
  Detector trial = *d.now();
  Detector more = trial.empty();
  std::vector<double> used = long_call([&] {
    std::vector<double> found = trial.vouch(rows, weights);
    if (!found.empty()) more.vouch(rows, found);
    return found;
  });
  d.change([&](Detector& detector) { detector.merge(more); });
  return used;
}

void withdraw(SharedDetector& d, const Records& rows, std::span<const double> weights) {
  Detector trial = *d.now();
  Detector less = trial.empty();
  long_call([&] {
    trial.withdraw(rows, weights);
    if (!weights.empty()) less.vouch(rows, weights);
  });
  d.change([&](Detector& detector) { detector.unmerge(less); });
}

void bind_changes(nb::class_<SharedDetector>& c) {
  using nb::arg;
  c.def(
       "learn",
       [](SharedDetector& d, const Matrix& x, const std::optional<Numbers>& weights) {
         return tuple_of(learn(d, records_of(x), span_of(weights)));
       },
       arg("x"), arg("weights").none())
      .def(
          "forget",
          [](SharedDetector& d, const Matrix& x, const std::optional<Numbers>& weights) {
            return tuple_of(forget(d, records_of(x), span_of(weights)));
          },
          arg("x"), arg("weights").none())
      .def("merge",
           [](SharedDetector& d, const SharedDetector& other) {
             const std::shared_ptr<const Detector> more = other.now();
             d.change([&](Detector& detector) { detector.merge(*more); });
           })
      .def("unmerge",
           [](SharedDetector& d, const SharedDetector& other) {
             const std::shared_ptr<const Detector> less = other.now();
             d.change([&](Detector& detector) { detector.unmerge(*less); });
           })
      .def("assign",
           [](SharedDetector& d, const SharedDetector& other) {
             const std::shared_ptr<const Detector> from = other.now();
             d.change([&](Detector& detector) { detector = *from; });
           })
      .def(
          "vouch",
          [](SharedDetector& d, const Matrix& x, const std::optional<Numbers>& weights) {
            return array_of(vouch(d, records_of(x), span_of(weights)));
          },
          arg("x"), arg("weights").none())
      .def(
          "withdraw",
          [](SharedDetector& d, const Matrix& x, const Numbers& weights) {
            withdraw(d, records_of(x), span_of(weights));
          },
          arg("x"), arg("weights"))
      .def("set_threshold", [](SharedDetector& d, const std::string& its_name, double value) {
        const Threshold threshold = threshold_named(its_name, value);
        d.change([&](Detector& detector) { detector.set_threshold(threshold); });
      });
}

void bind_looks(nb::class_<SharedDetector>& c) {
  using nb::arg;
  c.def(
       "judge",
       [](const SharedDetector& d, const Matrix& x, const std::optional<Matrix>& errors) {
         const Records rows = records_of(x);
         const Records bars = errors ? records_of(*errors) : Records();
         return python::arrays_of(d.look(
             [&](const Detector& detector) { return errors ? detector.judge(rows, bars) : detector.judge(rows); }));
       },
       arg("x"), arg("errors").none())
      .def("p_value",
           [](const SharedDetector& d, double similarity) {
             return d.look([&](const Detector& detector) { return detector.p_value(similarity); });
           })
      .def(
          "judge_fitted",
          [](const SharedDetector& d, const Matrix& x, const std::optional<Numbers>& weights) {
            const Records rows = records_of(x);
            return python::arrays_of(
                d.look([&](const Detector& detector) { return detector.judge_fitted(rows, span_of(weights)); }));
          },
          arg("x"), arg("weights").none())
      .def(
          "explain",
          [](const SharedDetector& d, const Matrix& x, const std::optional<Groups>& groups) {
            const Records rows = records_of(x);
            const std::span<const std::uint32_t> of = groups ? span_of(*groups) : std::span<const std::uint32_t>();
            std::vector<double> shares = d.look([&](const Detector& detector) { return detector.explain(rows, of); });
            return array_of(std::move(shares));
          },
          arg("x"), arg("groups").none())
      .def(
          "judge_groups",
          [](const SharedDetector& d, const Matrix& x, const Groups& group) {
            const Records rows = records_of(x);
            return arrays_of(
                d.look([&](const Detector& detector) { return detector.judge_groups(rows, span_of(group)); }));
          },
          arg("x"), arg("group"))
      .def(
          "error_bars",
          [](const SharedDetector& d, const Matrix& x) {
            const Records rows = records_of(x);
            return arrays_of(d.look([&](const Detector& detector) { return detector.error_bars(rows); }));
          },
          arg("x"))
      .def("calibration_similarities",
           [](const SharedDetector& d) {
             return array_of(d.look([](const Detector& detector) { return detector.calibration_similarities(); }));
           })
      .def("trust",
           [](const SharedDetector& d) { return d.look([](const Detector& detector) { return detector.trust(); }); })
      .def("drift", [](const SharedDetector& a, const SharedDetector& b) {
        const std::shared_ptr<const Detector> other = b.now();
        return a.look([&](const Detector& detector) { return drift(detector, *other); });
      });
}

}  // namespace

nb::tuple tuple_of(Learned learned) {
  return nb::make_tuple(learned.learned, learned.turned_away, array_of(std::move(learned.rejected)),
                        array_of(std::move(learned.unknown)), array_of(std::move(learned.landmarks)));
}

void bind_detector(nb::module_& m) {
  using nb::arg;
  nb::class_<Trust>(m, "Trust")
      .def_ro("noise", &Trust::noise)
      .def_ro("spread", &Trust::spread)
      .def_ro("enough", &Trust::enough)
      .def_ro("r_needed", &Trust::r_needed);
  nb::class_<Drift>(m, "Drift")
      .def_ro("mmd", &Drift::mmd)
      .def_ro("p_value", &Drift::p_value)
      .def_prop_ro(
          "features", [](const Drift& drift) { return array_of(drift.features); }, nb::rv_policy::move);
  nb::class_<SharedDetector> c(m, "Detector");
  c.def(
       "__init__",
       [](SharedDetector* self, const Plan& plan, std::size_t threads) {
         new (self) SharedDetector(Detector(plan, threads));
       },
       arg("plan"), arg("threads"))
      .def_prop_ro("plan", [](const SharedDetector& d) { return d.now()->plan(); })
      .def_prop_ro("mean", [](const SharedDetector& d) { return new SharedMean(d.now()->mean()); })
      .def_prop_ro("weight", [](const SharedDetector& d) { return d.now()->weight(); })
      .def_prop_ro("turned_away", [](const SharedDetector& d) { return d.now()->turned_away(); })
      .def_prop_ro("threshold", [](const SharedDetector& d) { return name_and_value(d.now()->threshold()); })
      .def("copy", [](const SharedDetector& d) { return d.copy(); })
      .def(
          "__eq__", [](const SharedDetector& a, const SharedDetector& b) { return *a.now() == *b.now(); },
          nb::is_operator())
      .def("to_bytes",
           [](const SharedDetector& d) {
             return bytes_of(d.look([](const Detector& detector) { return to_bytes(detector); }));
           })
      .def("save", [](const SharedDetector& d, const std::string& path) {
        d.look([&](const Detector& detector) { save(detector, path); });
      });
  c.attr("__hash__") = nb::none();
  bind_changes(c);
  bind_looks(c);
  m.def("detector_from_bytes", [](const nb::bytes& bytes, std::size_t threads) {
    return new SharedDetector(long_call([&] { return detector_from_bytes(span_of(bytes), threads); }));
  });
  m.def("load", [](const std::string& path, std::size_t threads) {
    return new SharedDetector(long_call([&] { return load(path, threads); }));
  });
  m.def(
      "fit",
      [](const Matrix& x, const Options& options, const std::optional<Numbers>& weights, const nb::object& progress) {
        const Records rows = records_of(x);
        const Progress told = progress_of(progress);
        return new SharedDetector(long_call([&] { return fit(rows, options, span_of(weights), told); }));
      },
      arg("x"), arg("options"), arg("weights").none(), arg("progress").none());
  m.def(
      "fit_source",
      [](const nb::object& next, const nb::object& rewind, const Options& options, const nb::object& progress) {
        PythonSource source(next, rewind);
        const Progress told = progress_of(progress);
        return new SharedDetector(long_call([&] { return fit(source, options, told); }));
      },
      arg("next"), arg("rewind"), arg("options"), arg("progress").none());
  m.def(
      "detect_source",
      [](const nb::object& next, const nb::object& rewind, const Options& options, const nb::object& progress) {
        PythonSource source(next, rewind);
        const Progress told = progress_of(progress);
        return detection_of(long_call([&] { return detect(source, options, told); }));
      },
      arg("next"), arg("rewind"), arg("options"), arg("progress").none());
  m.def(
      "detect",
      [](const Matrix& x, const Options& options, const std::optional<Numbers>& weights, const nb::object& progress) {
        const Records rows = records_of(x);
        const Progress told = progress_of(progress);
        return detection_of(long_call([&] { return detect(rows, options, span_of(weights), told); }));
      },
      arg("x"), arg("options"), arg("weights").none(), arg("progress").none());
}

}  // namespace expose::python
