package org.hlo4j.tools.conformance;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.Runner.OtherSystem;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.rows.VerdictRow;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.tools.cases.Outcome;
import org.hlo4j.tools.console.ErrorMessages;
import org.hlo4j.tools.console.Results;

/**
 * The execution of a conformance suite on a system.
 *
 * @param suite the suite
 * @param name the name of the system
 * @param runner the system
 * @param other the system if it is another one, which is only asked whether it refuses
 * @param accepted whether twins are accepted, by their text
 */
public record ConformanceRun(
    ConformanceSuite suite,
    String name,
    Runner runner,
    Optional<OtherSystem> other,
    Map<String, Boolean> accepted) {
  public ConformanceRun(
      ConformanceSuite suite, String name, Runner runner, Optional<OtherSystem> other) {
    this(suite, name, runner, other, new HashMap<>());
  }

  private static final EvaluatorOptions LIMITS =
      EvaluatorOptions.builder().maxSteps(1_000_000).build();

  private static final Pattern POSITION = Pattern.compile("^\\d+:\\d+: ");

  /** Runs a case; never throws an exception. */
  public ConformanceReport.Entry run(JsonObject index) {
    return new ConformanceReport.Entry(
        name,
        text(index, "op"),
        text(index, "type"),
        text(index, "rule"),
        Standing.valueOf(Ascii.toUpperCase(text(index, "standing"))),
        text(index, "path"),
        outcome(index));
  }

  private static String text(JsonObject index, String field) {
    return index.has(field) ? index.get(field).getAsString() : "";
  }

  private Outcome outcome(JsonObject index) {
    try {
      return text(index, "kind").equals("refusal") ? refusal(index) : value(index);
    } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError problem) {
      return new Outcome.Failed(ErrorMessages.describe(problem));
    }
  }

  /** Runs a program that must be refused, and its twins, which must not. */
  private Outcome refusal(JsonObject index) throws IOException {
    if (other.isPresent() && !other.get().takesText()) {
      return new Outcome.Unsupported("a program as HLO text, which the command does not take");
    }
    Optional<String> refusal;
    try {
      refusal = refusal(text(index, "path"));
    } catch (HloException unasked) {
      if (unasked.kind() != HloException.Kind.UNSUPPORTED) {
        throw unasked;
      }
      return new Outcome.Unsupported(ErrorMessages.describe(unasked));
    }
    String want = text(index, "message");
    if (refusal.isEmpty()) {
      return new Outcome.Failed("got a value, want a refusal");
    }
    if (other.isEmpty() && !refusal.get().equals(want)) {
      return new Outcome.Failed("got the refusal " + refusal.get() + ", want " + want);
    }
    for (JsonElement twin : index.get("twins").getAsJsonArray()) {
      if (!accepts(twin.getAsString())) {
        return new Outcome.Unsupported("the valid program " + twin.getAsString());
      }
    }
    return new Outcome.Passed();
  }

  private boolean accepts(String twin) throws IOException {
    String hlo = suite.program(twin);
    Boolean known = accepted.get(hlo);
    if (known == null) {
      known = refusal(twin).isEmpty();
      accepted.put(hlo, known);
    }
    return known;
  }

  /** Returns why the system refuses a program; of another system that is not known. */
  private Optional<String> refusal(String path) throws IOException {
    String hlo = suite.program(path);
    return other.isPresent()
        ? Optional.of("").filter(none -> !other.get().accepts(hlo, suite.inputs(path)))
        : refusal(hlo, module -> suite.inputs(path, parameters(module)), runner)
            .map(ConformanceRun::message);
  }

  /** Gives a module its arguments. */
  @FunctionalInterface
  private interface Arguments {
    List<Literal> of(HloModule module) throws IOException;
  }

  /** Returns why a program is refused by the reference, also because it takes many steps. */
  static Optional<HloException> refusal(String hlo, List<Literal> arguments) {
    return refusal(hlo, arguments, LIMITS);
  }

  /** Returns why a program is refused by the reference with some options. */
  static Optional<HloException> refusal(
      String hlo, List<Literal> arguments, EvaluatorOptions options) {
    try {
      return refusal(hlo, module -> arguments, Runner.of(Interpreter.reference(options)));
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

  private Outcome value(JsonObject index) throws IOException {
    String path = text(index, "path");
    HloModule module = Parser.parse(suite.program(path));
    Program program = new Program(module, suite.inputs(path, parameters(module)));
    Shape shape = module.entry().root().shape().withoutLayout();
    ConformanceResult want = suite.result(path, Results.shapes(shape));
    ImmutableList<Literal> got = runner.run(program).arrays();
    Verdict verdict = want.verdict(got);
    return switch (verdict) {
      case SAME, ROUNDED -> new Outcome.Passed();
      case UNSPECIFIED, UNDECIDED ->
          new Outcome.NotJudged(
              verdict, want.first(verdict, got).orElseThrow() + ", " + reason(verdict, index));
      case WRONG -> new Outcome.Failed(want.first(verdict, got).orElseThrow());
    };
  }

  /** Returns why a verdict says nothing: the rows that leave something open. */
  private static String reason(Verdict verdict, JsonObject index) {
    return verdict == Verdict.UNDECIDED || !index.has("open")
        ? "roundings justify any value"
        : "left open: "
            + index.get("open").getAsJsonArray().asList().stream()
                .map(row -> text(row.getAsJsonObject(), "name"))
                .collect(Collectors.joining(", "));
  }

  private static ImmutableList<Shape.Array> parameters(HloModule module) {
    return module.entry().parameters().stream()
        .map(parameter -> (Shape.Array) parameter.shape().withoutLayout())
        .collect(ImmutableList.toImmutableList());
  }
}
