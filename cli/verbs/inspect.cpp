// expose inspect: what a model holds.
#include <filesystem>
#include <memory>

#include "cli/characters.hpp"
#include "cli/choices.hpp"
#include "cli/layout.hpp"
#include "cli/models.hpp"
#include "cli/verbs.hpp"
#include "expose/base/hash.hpp"
#include "expose/detector/file_kind.hpp"
#include "expose/detector/model_file.hpp"
#include "expose/detector/plan_file.hpp"
#include "expose/detector/watcher.hpp"

namespace expose::cli {

namespace {

struct Choice {
  std::string model;
  bool json = false;
};

// One fact a line for people, one member for programs; both in this order.
class Facts {
 public:
  void text(const std::string& word, const std::string& value) {
    line(word, value);
    json_.text(word, value);
  }
  void count(const std::string& word, std::size_t value) {
    line(word, with_commas(value));
    json_.count(word, value);
  }
  void number(const std::string& word, double value) {
    line(word, in_brief(value));
    json_.number(word, value);
  }
  void plan(const Plan& plan) {
    json_.text("fingerprint", hex(plan.fingerprint()));  // people find it in the description
    lines_ += plan.description();
    json_.object("plan", describe(plan));
    if (plan.table()) columns(*plan.table());
  }
  void columns(const Columns& table) {
    lines_ += table.description() + "\n";
    json_.objects("columns", describe(table));
  }
  std::string str(bool json) const { return json ? json_.str() + "\n" : harmless(lines_); }

 private:
  void line(const std::string& word, const std::string& value) { lines_ += padded(word + " ", 14) + value + "\n"; }

  std::string lines_;
  Json json_;
};

void add(Facts& facts, const Detector& detector) {
  facts.text("kind", "detector");
  facts.number("rows", detector.weight());
  facts.number("turned_away", detector.turned_away());
  facts.text("threshold", in_words(detector.threshold()));
  facts.plan(detector.plan());
}

void add(Facts& facts, const Watcher& watcher) {
  facts.text("kind", "watcher");
  facts.count("rows", watcher.rows());
  facts.count("rejected", watcher.rejected());
  facts.number("weight", watcher.weight());
  facts.text("threshold", in_words(Alpha{watcher.alpha()}));
  if (watcher.planned()) return facts.plan(watcher.plan());
  facts.text("plan", "none yet");
  if (watcher.table()) facts.columns(*watcher.table());
}

int inspect(const Choice& choice) {
  Facts facts;
  facts.text("file", choice.model);
  if (kind_of(choice.model) == FileKind::detector) {
    add(facts, load(choice.model));
  } else {
    add(facts, load_watcher(choice.model));
  }
  facts.count("bytes", std::filesystem::file_size(choice.model));
  Output out;
  out.write(facts.str(choice.json));
  out.close();
  return kDone;
}

}  // namespace

Job declare_inspect(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  arguments.example("expose inspect normal.expose", "plan, fingerprint, rows, bytes, threshold, columns");
  arguments.example("expose inspect normal.expose --json", "the same for a program");
  arguments.positional("MODEL", "as fit or watch wrote it", choice->model).required = true;
  declare_json(arguments, choice->json);
  return [choice](Console&) { return inspect(*choice); };
}

}  // namespace expose::cli
