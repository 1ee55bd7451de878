package org.hlo4j.check.compare;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The verdicts on functions of JAX: results that are zero, half, twice, 1 % off or in reverse order
 * are wrong; XLA:CPU's and the true ones are not. {@code functions.py} writes the functions; the
 * table is {@code target/functions.md}.
 */
@Tag("slow")
final class FunctionsTest {
  /** The verdict on a result of a call. */
  private record Judged(String call, String result, boolean isPlanted, Verdict verdict) {
    boolean isMissed() {
      return isPlanted && verdict.isGood();
    }

    boolean isFalseAlarm() {
      return !isPlanted && verdict == Verdict.WRONG;
    }

    /** Not what the specification leaves open, as the signs of vectors, in a right result. */
    boolean isUndecided() {
      return verdict == Verdict.UNDECIDED || (isPlanted && verdict == Verdict.UNSPECIFIED);
    }

    @Override
    public String toString() {
      return call + ", " + result + ": " + verdict;
    }
  }

  /** Whether all calls are judged: at night, and with {@code -Dhlo4j.check.functions=true}. */
  private static final boolean ALL = Boolean.getBoolean("hlo4j.check.functions") || Nightly.isOn();

  /** How many of a thousand planted results may be taken for right. */
  private static final int MISSED = 5;

  /** How many of a thousand results may be undecided. */
  private static final int UNDECIDED = 5;

  private static final int FALSE_ALARMS = 2;

  @Test
  void wrongResultsAreWrongAndRightOnesAreNot() throws IOException {
    List<Judged> judged = new ArrayList<>();
    List<FunctionCall> calls = ALL ? FunctionCall.all() : some(FunctionCall.all());
    calls.forEach(call -> judge(call, judged));
    Files.createDirectories(Path.of("target"));
    Files.writeString(Path.of("target", "functions.md"), table(judged));
    assertThat(calls.stream().map(FunctionCall::function).distinct().count())
        .isAtLeast(ALL ? 140L : 11L);
    List<Judged> planted = judged.stream().filter(Judged::isPlanted).toList();
    List<Judged> missed = planted.stream().filter(Judged::isMissed).toList();
    List<Judged> undecided = judged.stream().filter(Judged::isUndecided).toList();
    List<Judged> alarms = judged.stream().filter(Judged::isFalseAlarm).toList();
    assertWithMessage("%s", alarms).that(alarms.size()).isAtMost(FALSE_ALARMS);
    assertWithMessage("%s of %s: %s", missed.size(), planted.size(), missed)
        .that(missed.size() * 1000)
        .isAtMost(planted.size() * MISSED);
    assertWithMessage("%s of %s: %s", undecided.size(), judged.size(), undecided)
        .that(undecided.size() * 1000)
        .isAtMost(judged.size() * UNDECIDED);
  }

  /** Returns one call of each twelfth function. */
  private static List<FunctionCall> some(List<FunctionCall> all) {
    Map<String, FunctionCall> first = new LinkedHashMap<>();
    all.forEach(call -> first.putIfAbsent(call.function(), call));
    List<FunctionCall> each = List.copyOf(first.values());
    return IntStream.range(0, each.size()).filter(i -> i % 12 == 0).mapToObj(each::get).toList();
  }

  private static void judge(FunctionCall call, List<Judged> judged) {
    Program program = call.program();
    EvaluatorOptions options = EvaluatorOptions.defaults();
    Literal want = program.run(Interpreter::reference, options);
    Function<Literal, Comparison> judge =
        Comparison.judge(program, want, new ToleranceProfile.Native(), options);
    Function<List<Literal>, Verdict> verdict =
        result ->
            judge
                .apply(want.shape() instanceof Shape.Array ? result.get(0) : Literal.tuple(result))
                .verdict();
    call.allowed()
        .forEach((name, result) ->
            judged.add(new Judged(call.name(), name, false, verdict.apply(result))));
    call.planted()
        .forEach((name, result) ->
            judged.add(new Judged(call.name(), name, true, verdict.apply(result))));
  }

  /** Returns a line for each call: how many results have which verdict, and the others by name. */
  private static String table(List<Judged> judged) {
    Map<String, List<Judged>> calls = new LinkedHashMap<>();
    judged.forEach(each -> calls.computeIfAbsent(each.call(), name -> new ArrayList<>()).add(each));
    StringBuilder table =
        new StringBuilder(
            """
            | call | planted | wrong | allowed | not wrong | others |
            |---|---|---|---|---|---|
            """);
    calls.forEach((call, all) -> table.append(row(call, all)).append('\n'));
    return table.toString();
  }

  private static String row(String call, List<Judged> all) {
    List<Judged> planted = all.stream().filter(Judged::isPlanted).toList();
    List<Judged> others =
        all.stream()
            .filter(each -> each.isMissed() || each.isFalseAlarm() || each.isUndecided())
            .toList();
    return String.join(
        " | ",
        "| " + call,
        "" + planted.size(),
        "" + planted.stream().filter(each -> each.verdict() == Verdict.WRONG).count(),
        "" + (all.size() - planted.size()),
        "" + all.stream().filter(each -> !each.isPlanted() && each.verdict().isGood()).count(),
        others.stream().map(each -> each.result() + " " + each.verdict()).collect(joining(", "))
            + " |");
  }
}
