// expose learn and expose forget: rows into a model and out of it again.
#include <memory>

#include "cli/models.hpp"
#include "cli/verbs.hpp"

namespace expose::cli {

namespace {

struct Choice {
  InputChoice input;
  std::string model;
  std::string output;
};

// What became of all rows of all blocks.
struct Account {
  std::size_t learned = 0;
  std::size_t turned_away = 0;
  std::size_t unknown = 0;
  std::size_t landmarks = 0;

  void add(const Learned& block) {
    learned += block.learned;
    turned_away += block.turned_away;
    unknown += block.unknown.size();
    landmarks += block.landmarks.size();
  }
};

// The model is changed as a whole or not at all: every block is learned before it is saved.
int update(const Choice& choice, Console& console, const char* verb,
           Learned (Detector::*act)(Records, std::span<const double>), const char* done) {
  Input input(choice.input, Reads::once, console, verb);
  Account account;
  double weight = 0;
  update_model(choice.model, choice.output, choice.input.threads, console, [&](Detector& detector) {
    input.take(detector.plan(), choice.model);
    for (Records rows = input.next(); !rows.empty(); rows = input.next()) {
      try {
        account.add((detector.*act)(rows, {}));
      } catch (const Error& error) {
        if (error.code() != Code::not_found) throw;
        throw Error(error.code(), input.name() + ": " + error.what() + "; " + choice.model + " stays as it is");
      }
    }
    weight = detector.weight();
  });
  console.say((choice.output.empty() ? choice.model : choice.output) + ": " +
              counted(account.learned + account.turned_away, "row") + " " + done + ", " +
              with_commas(account.turned_away) + " of them outside the gate; now of " +
              counted(static_cast<std::size_t>(weight), "row"));
  if (account.unknown > 0)
    console.say(counted(account.unknown, "row") + " without any value " + (account.unknown == 1 ? "was" : "were") +
                " left out");
  if (account.landmarks > 0) {
    console.say("note: " + counted(account.landmarks, "of these rows is a landmark", "of these rows are landmarks") +
                " of the plan; the model file still holds their values. A new fit without them does not");
  }
  return input.finish();
}

std::shared_ptr<Choice> declare(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  declare_model(arguments, choice->model);
  arguments
      .option("-o,--output", "MODEL", "where the changed model goes (default: over the old one, as a whole)",
              choice->output)
      .file = FileUse::replaced;
  declare_input(arguments, choice->input);
  return choice;
}

}  // namespace

Job declare_learn(Arguments& arguments) {
  arguments.example("expose learn -m normal.expose more.csv", "the model of all rows, to the bit");
  const std::shared_ptr<Choice> choice = declare(arguments);
  return [choice](Console& console) { return update(*choice, console, "learn", &Detector::learn, "learned"); };
}

Job declare_forget(Arguments& arguments) {
  arguments.example("expose forget -m normal.expose bad.csv", "the model as if these rows had never been learned");
  const std::shared_ptr<Choice> choice = declare(arguments);
  return [choice](Console& console) { return update(*choice, console, "forget", &Detector::forget, "forgotten"); };
}

}  // namespace expose::cli
