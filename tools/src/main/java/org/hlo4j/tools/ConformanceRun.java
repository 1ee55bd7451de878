package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.external.ExternalRunner;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.rows.VerdictRow;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

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
  private static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().maxSteps(1_000_000).build();

  private static final Pattern POSITION = Pattern.compile("^\\d+:\\d+: ");

  /** Runs a case; never throws an exception. */
  ConformanceReport.Entry run(JsonObject index) {
    String path = text(index, "path");
    return new ConformanceReport.Entry(
        name,
        text(index, "op"),
        text(index, "type"),
        text(index, "rule"),
        path,
        outcome(path, text(index, "kind").equals("refusal"), text(index, "message")));
  }

  private static String text(JsonObject index, String field) {
    return index.has(field) ? index.get(field).getAsString() : "";
  }

  private Outcome outcome(String path, boolean isRefusal, String message) {
    try {
      return isRefusal ? refusal(path, message) : value(path);
    } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError problem) {
      return new Outcome.Failed(ErrorMessages.describe(problem));
    }
  }

  private Outcome refusal(String path, String message) throws IOException {
    String hlo = suite.program(path);
    if (other.isPresent()) {
      if (!other.get().takesText()) {
        return new Outcome.Unsupported("a program as HLO text, which the command does not take");
      }
      return other.get().accepts(hlo, suite.inputs(path))
          ? new Outcome.Failed("got a value, want a refusal")
          : new Outcome.Passed();
    }
    Optional<HloException> refusal =
        refusal(hlo, module -> suite.arrays(path, "inputs", parameters(module)), runner);
    if (refusal.isEmpty()) {
      return new Outcome.Failed("got a value, want a refusal");
    }
    String got = message(refusal.get());
    return got.equals(message)
        ? new Outcome.Passed()
        : new Outcome.Failed("got the refusal " + got + ", want " + message);
  }

  /** Gives a module its arguments. */
  @FunctionalInterface
  private interface Arguments {
    List<Literal> of(HloModule module) throws IOException;
  }

  /** Returns why a program is refused by the reference, also because it takes many steps. */
  static Optional<HloException> refusal(String hlo, List<Literal> arguments) {
    try {
      return refusal(hlo, module -> arguments, Runner.of(Interpreter.reference(LIMITS)));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** Returns why a program is refused: as text, by the verifier, or by an evaluator. */
  private static Optional<HloException> refusal(String hlo, Arguments arguments, Runner evaluator)
      throws IOException {
    try {
      HloModule module = Parser.parse(hlo);
      Verifier.lenient().verify(module);
      evaluator.run(new Program(module, ImmutableList.copyOf(arguments.of(module))));
      return Optional.empty();
    } catch (HloException refusal) {
      return Optional.of(refusal);
    }
  }

  /**
   * Returns the first line of a message without the position in the text; of several findings, all
   * lines.
   */
  static String message(HloException refusal) {
    String first = POSITION.matcher(refusal.summary()).replaceFirst("");
    return first.endsWith(" findings") ? VerdictRow.spaced(refusal.getMessage()) : first;
  }

  private Outcome value(String path) throws IOException {
    HloModule module = Parser.parse(suite.program(path));
    Program program = new Program(module, suite.arrays(path, "inputs", parameters(module)));
    Shape shape = module.entry().root().shape().withoutLayout();
    Literal want =
        Results.of(shape, suite.arrays(path, "expected", Results.shapes(shape)).iterator());
    Comparison comparison =
        Comparison.of(program, runner.run(program), want, profile, EvaluatorOptions.defaults());
    return comparison.verdict().isGood()
        ? new Outcome.Passed()
        : new Outcome.Failed(
            String.join("; ", ComparisonText.lines(comparison)).replaceAll("\\s+", " "));
  }

  private static ImmutableList<Shape.Array> parameters(HloModule module) {
    return module.entry().parameters().stream()
        .map(parameter -> (Shape.Array) parameter.shape().withoutLayout())
        .collect(ImmutableList.toImmutableList());
  }
}
