// expose merge: add models of the same plan.
#include <memory>

#include "cli/choices.hpp"
#include "cli/models.hpp"
#include "cli/verbs.hpp"
#include "expose/detector/model_file.hpp"

namespace expose::cli {

namespace {

struct Choice {
  std::vector<std::string> models;
  std::string output;
};

int merge(const Choice& choice, Console& console) {
  if (choice.models.size() < 2) throw CommandError("name at least two models");
  Detector all = load(choice.models.front());
  for (std::size_t i = 1; i < choice.models.size(); ++i) {
    const Detector more = load(choice.models[i]);
    try {
      all.merge(more);
    } catch (const Error& error) {
      if (error.code() == Code::incompatible) {
        throw Error(error.code(), choice.models[i] + " has another plan than " + choice.models.front() +
                                      ", and only models of one plan can be added; make it again by expose fit DATA "
                                      "--plan " +
                                      choice.models.front() + " -o " + choice.models[i]);
      }
      throw Error(error.code(), choice.models[i] + " does not fit " + choice.models.front() + ": " + error.what());
    }
  }
  save(all, choice.output);
  console.say(choice.output + ": " + counted(choice.models.size(), "model") + ", " +
              counted(static_cast<std::size_t>(all.weight()), "row"));
  return kDone;
}

}  // namespace

Job declare_merge(Arguments& arguments) {
  const auto choice = std::make_shared<Choice>();
  arguments.example("expose merge a.expose b.expose -o all.expose", "the model of the rows of both, to the bit");
  Argument& models = arguments.positionals("MODELS", "models of the same plan", choice->models);
  models.required = true;
  models.file = FileUse::model;
  arguments.group("Output");
  Argument& output = arguments.option("-o,--output", "MODEL", "where the sum goes", choice->output);
  output.required = true;
  output.file = FileUse::replaced;
  arguments.note("Models have the same plan if all but the first were made with fit --plan FIRST.");
  return [choice](Console& console) { return merge(*choice, console); };
}

}  // namespace expose::cli
