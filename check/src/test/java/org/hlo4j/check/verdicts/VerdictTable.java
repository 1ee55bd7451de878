package org.hlo4j.check.verdicts;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multimaps;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * The verdicts of all cases.
 *
 * @param judged the cases with their verdicts
 */
record VerdictTable(ImmutableList<Judged> judged) {
  static final String[] FILES = {
    "elementwise.verdicts",
    "sums.verdicts",
    "moves.verdicts",
    "programs.verdicts",
    "linalg.verdicts",
    "scales.verdicts",
    "recorded.verdicts"
  };

  private static final ImmutableSet<String> CLASSES =
      ImmutableSet.of("f64", "f32", "integers", "bf16", "f16", "f8");

  /**
   * A case and what the judge says.
   *
   * @param of the case
   * @param verdict the verdict, or why the case cannot be judged
   */
  record Judged(VerdictCase of, String verdict) {
    boolean is(String expected) {
      return of.expected().equals(expected);
    }

    boolean isWrong() {
      return verdict.equals("wrong");
    }

    boolean isUndecided() {
      return verdict.equals("undecided");
    }

    /**
     * Returns whether the case itself is at fault: it cannot be run, or a fault changes nothing.
     */
    boolean isBroken() {
      return verdict.startsWith("broken") || (is("planted") && verdict.equals("same"));
    }

    boolean isMissed() {
      return is("planted") ? !isWrong() : isWrong() || (is("allowed") && isUndecided());
    }

    @Override
    public String toString() {
      return "%s %s | %s%s"
          .formatted(
              of.expected(),
              verdict,
              of.name(),
              of.missed().isEmpty() ? "" : " | no bound can see it: " + of.missed());
    }
  }

  static ImmutableList<VerdictCase> cases(String... files) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String file : files) {
      lines.addAll(
          Resources.readLines(
              Resources.getResource(VerdictTable.class, file), StandardCharsets.UTF_8));
    }
    return VerdictRows.parse(lines).stream()
        .flatMap(VerdictGroup::cases)
        .collect(toImmutableList());
  }

  /** Returns the cases of one type of each group: of two groups in a row, of different ones. */
  static ImmutableList<VerdictCase> ofOneType(List<VerdictCase> cases) {
    List<String> groups = cases.stream().map(c -> c.group().name()).distinct().toList();
    return cases.stream()
        .filter(c -> {
          ImmutableList<String> types = c.group().types();
          return c.type().equals(types.get(groups.indexOf(c.group().name()) % types.size()));
        })
        .collect(toImmutableList());
  }

  /** Returns the verdicts on all cases; those of one program share its runs on the reference. */
  static VerdictTable of(List<VerdictCase> cases) {
    ImmutableListMultimap<String, VerdictCase> byProgram =
        Multimaps.index(cases, c -> c.group().name() + ' ' + c.type());
    return new VerdictTable(
        byProgram.asMap().values().parallelStream()
            .flatMap(same -> judged(ImmutableList.copyOf(same)))
            .collect(toImmutableList()));
  }

  private static Stream<Judged> judged(ImmutableList<VerdictCase> same) {
    Supplier<Function<Literal, Comparison>> judge =
        Suppliers.memoize(() -> judge(same.getFirst().program()));
    return same.stream().map(c -> new Judged(c, verdict(c, judge)));
  }

  private static Function<Literal, Comparison> judge(Program program) {
    EvaluatorOptions options = EvaluatorOptions.defaults();
    return Comparison.judge(
        program,
        program.run(Interpreter::reference, options),
        new ToleranceProfile.Native(),
        options);
  }

  private static String verdict(VerdictCase of, Supplier<Function<Literal, Comparison>> judge) {
    try {
      return judge.get().apply(of.got()).verdict().toString();
    } catch (RuntimeException e) {
      return "broken: " + String.valueOf(e).replace('\n', ' ');
    }
  }

  private long count(Predicate<Judged> which) {
    return judged.stream().filter(which).count();
  }

  private double percent(Predicate<Judged> of, Predicate<Judged> which) {
    long all = count(of);
    return all == 0 ? 100 : 100.0 * count(of.and(which)) / all;
  }

  /** Returns how many percent of the faults of a class of types are called wrong. */
  double percentWrong(String types) {
    return percent(j -> j.is("planted") && j.of().typeClass().equals(types), Judged::isWrong);
  }

  /** Returns how many percent of the allowed differences have a verdict. */
  double percentOfAllowed(String verdict) {
    return percent(j -> j.is("allowed"), j -> j.verdict().equals(verdict));
  }

  ImmutableList<Judged> broken() {
    return judged.stream().filter(Judged::isBroken).collect(toImmutableList());
  }

  /** Returns a table by class of types, and each miss with the name of its case. */
  String markdown() {
    StringBuilder text =
        new StringBuilder(
            "| types | planted | called wrong | % | undecided | allowed | called wrong | undecided"
                + " | open | called wrong |\n|---|---|---|---|---|---|---|---|---|---|\n");
    CLASSES.forEach(c -> text.append(row(c, j -> j.of().typeClass().equals(c))));
    text.append(row("all", j -> true)).append('\n');
    judged.stream()
        .filter(j -> j.isMissed() || j.isBroken())
        .forEach(j -> text.append(j).append('\n'));
    return text.toString();
  }

  private String row(String name, Predicate<Judged> in) {
    Predicate<Judged> planted = in.and(j -> j.is("planted"));
    Predicate<Judged> allowed = in.and(j -> j.is("allowed"));
    Predicate<Judged> open = in.and(j -> j.is("open"));
    return String.format(
        Locale.ROOT,
        "| %s | %d | %d | %.1f | %d | %d | %d | %d | %d | %d |\n",
        name,
        count(planted),
        count(planted.and(Judged::isWrong)),
        percent(planted, Judged::isWrong),
        count(planted.and(Judged::isUndecided)),
        count(allowed),
        count(allowed.and(Judged::isWrong)),
        count(allowed.and(Judged::isUndecided)),
        count(open),
        count(open.and(Judged::isWrong)));
  }

  /** Writes the table of all cases whose names contain a text: {@code FILE [TEXT]}. */
  public static void main(String[] args) throws IOException {
    String part = args.length > 1 ? args[1] : "";
    ImmutableList<VerdictCase> cases =
        Stream.of(cases(System.getProperty("files", String.join(",", FILES)).split(",")))
            .flatMap(List::stream)
            .filter(c -> c.name().contains(part))
            .collect(toImmutableList());
    Files.writeString(Path.of(args[0]), of(cases).markdown());
  }
}
