package org.hlo4j.tools;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.check.Comparison;
import org.hlo4j.interpreter.check.ExternalRunner;
import org.hlo4j.interpreter.check.Program;
import org.hlo4j.interpreter.check.Runner;
import org.hlo4j.interpreter.check.ToleranceProfile;

/**
 * The execution of a conformance suite on a system.
 *
 * @param suite the suite
 * @param name the name of the system
 * @param runner the system
 * @param profile what it may round in another way
 * @param other the system if it is another one, which is only asked whether it refuses
 */
record ConformanceRun(
    ConformanceSuite suite,
    String name,
    Runner runner,
    ToleranceProfile profile,
    Optional<ExternalRunner> other) {

  /** Runs a case; never throws an exception. */
  ConformanceReport.Entry run(JsonObject index) {
    String path = text(index, "path");
    return new ConformanceReport.Entry(
        name,
        text(index, "op"),
        text(index, "type"),
        text(index, "rule"),
        path,
        outcome(path, text(index, "kind").equals("refusal"), text(index, "rule")));
  }

  private static String text(JsonObject index, String field) {
    return index.has(field) ? index.get(field).getAsString() : "";
  }

  private Outcome outcome(String path, boolean isRefusal, String rule) {
    try {
      return isRefusal ? refusal(path, rule) : value(path);
    } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError problem) {
      return new Outcome.Failed(ErrorMessages.describe(problem));
    }
  }

  private Outcome refusal(String path, String rule) throws IOException {
    String hlo = suite.program(path);
    if (other.isPresent()) {
      if (!other.get().takesText()) {
        return new Outcome.Unsupported("a program as HLO text, which the command does not take");
      }
      return other.get().accepts(hlo, suite.inputs(path))
          ? new Outcome.Failed("got a value, want a refusal")
          : new Outcome.Passed();
    }
    HloModule module;
    try {
      module = Parser.parse(hlo);
    } catch (HloException refused) {
      return refused(refused, rule);
    }
    Program program = new Program(module, arguments(path, module));
    try {
      runner.run(program);
    } catch (HloException refused) {
      return refused(refused, rule);
    }
    return new Outcome.Failed("got a value, want a refusal");
  }

  private static Outcome refused(HloException refusal, String rule) {
    return refusal.summary().endsWith(rule)
        ? new Outcome.Passed()
        : new Outcome.Failed("got the refusal " + refusal.summary() + ", want " + rule);
  }

  private ImmutableList<Literal> arguments(String path, HloModule module) throws IOException {
    ImmutableList.Builder<Literal> arguments = ImmutableList.builder();
    int number = 0;
    for (HloInstruction parameter : module.entry().parameters()) {
      arguments.add(suite.array(path, "inputs", number++, shape(parameter)));
    }
    return arguments.build();
  }

  private static Shape.Array shape(HloInstruction instruction) {
    Shape shape = instruction.shape().withoutLayout();
    require(shape instanceof Shape.Array, "", "program: got %s, want an array", shape);
    return (Shape.Array) shape;
  }

  private Outcome value(String path) throws IOException {
    HloModule module = Parser.parse(suite.program(path));
    ImmutableList<Literal> arguments = arguments(path, module);
    Literal want = suite.array(path, "expected", 0, shape(module.entry().root()));
    Program program = new Program(module, arguments);
    Comparison comparison =
        Comparison.of(program, runner.run(program), want, profile, EvaluatorOptions.defaults());
    return comparison.verdict().isGood()
        ? new Outcome.Passed()
        : new Outcome.Failed(
            String.join("; ", ComparisonText.lines(comparison)).replaceAll("\\s+", " "));
  }
}
