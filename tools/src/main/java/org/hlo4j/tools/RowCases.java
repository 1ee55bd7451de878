package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.rows.ValueRow;
import org.hlo4j.hlo.rows.ValueRowModule;
import org.hlo4j.hlo.rows.VerdictRow;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;

/**
 * The cases of a conformance suite that are made from the rows of hlo4j's own tests: instructions
 * on literals with their results or refusals, one file an op; the corner cases that specifications
 * leave open; the rules of shapes; and those of XLA's verifier.
 */
final class RowCases {
  private static final String SEMANTICS = "https://openxla.org/xla/operation_semantics";
  private static final String VERIFIER =
      "https://github.com/openxla/xla/blob/main/xla/service/hlo_verifier.cc";
  private static final String STABLEHLO = "https://openxla.org/stablehlo/spec";
  private static final long MAX_ELEMENTS = 1 << 20;
  private static final Pattern CHECK = Pattern.compile("(\\d\\.\\d )?(?<op>[a-z0-9-]+): ");
  private static final Pattern TYPE = Pattern.compile("\\b([a-z][a-z0-9]*)\\[");
  private static final ImmutableSet<HloException.Kind> OWN =
      ImmutableSet.of(HloException.Kind.LIMIT, HloException.Kind.UNSUPPORTED);
  private static final Pattern PARAMETER =
      Pattern.compile("= (?<shape>[^=]+?) parameter\\((?<number>\\d+)\\)");

  private final List<ConformanceCase> cases = new ArrayList<>();

  /** How many cases there are by op, name and type. */
  private final Map<String, Integer> numbers = new HashMap<>();

  private final CaseFilter filter;

  private RowCases(CaseFilter filter) {
    this.filter = filter;
  }

  /** Returns the chosen cases, of rows that have small arrays of known sizes. */
  static Stream<ConformanceCase> of(CaseFilter filter) {
    RowCases rows = new RowCases(filter);
    for (String opcode : OpSchema.opcodes()) {
      String file = "rows/" + opcode + ".rows";
      read(file).ifPresent(text -> rows.addValues(ValueRow.parse(file, text), "row", SEMANTICS));
    }
    String corners = "stablehlo-corner-cases.rows";
    rows.addValues(ValueRow.parse(corners, read(corners).orElseThrow()), "corner", STABLEHLO);
    rows.addVerdicts(VerdictRow.parse(read("shapes.rows").orElseThrow()), "shapes", SEMANTICS);
    rows.addVerdicts(VerdictRow.parse(read("verifier.rows").orElseThrow()), "verifier", VERIFIER);
    return rows.cases.stream();
  }

  private static Optional<String> read(String file) {
    URL resource = RowCases.class.getResource("conformance/" + file);
    if (resource == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Resources.toString(resource, StandardCharsets.UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private void addValues(List<ValueRow> rows, String name, String source) {
    for (ValueRow row : rows) {
      ValueRowModule module = ValueRowModule.of(row);
      if (!module.hasBounds()) {
        String comment = row.comment().replaceFirst("^Case: ", "");
        String rule =
            module.refused() ? module.expected() : comment.isEmpty() ? row.text() : comment;
        add(
            module.opcode(),
            name,
            rule,
            source,
            module.text(),
            module.arguments(),
            module.refused());
      }
    }
  }

  private void addVerdicts(List<VerdictRow> rows, String name, String source) {
    for (VerdictRow row : rows) {
      String text =
          row.text().startsWith("HloModule") ? row.text() : "HloModule m\n\n" + row.text();
      Optional<ImmutableList<Literal>> arguments = zeros(text);
      if (row.isRefused() && arguments.isPresent()) {
        add(
            op(row),
            name,
            row.check() + row.label().map(label -> " [" + label + "]").orElse(""),
            row.label().flatMap(VerdictRow.Label::section).orElse(source),
            text,
            arguments.get(),
            true);
      }
    }
  }

  /** Returns the op that the check or the message names. */
  private static String op(VerdictRow row) {
    return Stream.of(row.check(), row.shown())
        .map(CHECK::matcher)
        .filter(check -> check.lookingAt() && OpSchema.contains(check.group("op")))
        .map(check -> check.group("op"))
        .findFirst()
        .orElse(CaseFilter.MODULE);
  }

  /**
   * Returns arguments for the entry computation of a module that may not be valid; empty if a
   * parameter is no small array of known sizes.
   */
  private static Optional<ImmutableList<Literal>> zeros(String text) {
    Map<Integer, Shape> shapes = new TreeMap<>();
    Matcher parameter = PARAMETER.matcher(text.substring(Math.max(0, text.indexOf("ENTRY"))));
    try {
      while (parameter.find()) {
        shapes.put(
            Integer.parseInt(parameter.group("number")),
            Parser.parseShape(parameter.group("shape")));
      }
    } catch (HloException invalid) {
      return Optional.empty();
    }
    return shapes.values().stream().allMatch(RowCases::isSmallArray)
        ? Optional.of(
            shapes.values().stream()
                .map(shape -> Literal.zeros((Shape.Array) shape))
                .collect(ImmutableList.toImmutableList()))
        : Optional.empty();
  }

  private static boolean isSmallArray(Shape shape) {
    return shape instanceof Shape.Array array
        && !array.isDynamic()
        && array.elementCount() <= MAX_ELEMENTS;
  }

  /**
   * Adds the case of a module, unless a value is no small array of known sizes, or only hlo4j
   * refuses it: for a limit, an unknown custom call, or by its strict verifier alone.
   */
  private void add(
      String op,
      String name,
      String rule,
      String source,
      String text,
      ImmutableList<Literal> arguments,
      boolean isRefused) {
    if (!arguments.stream().allMatch(argument -> isSmallArray(argument.shape()))) {
      return;
    }
    String type = arguments.isEmpty() ? firstType(text) : arguments.get(0).elementType().toString();
    if (!filter.accepts(op, type)) {
      return;
    }
    Optional<HloException> refusal = ConformanceRun.refusal(text, arguments);
    boolean isOwn = refusal.map(HloException::kind).filter(OWN::contains).isPresent();
    boolean isLarge = refusal.isEmpty() && !hasSmallResult(text);
    if (refusal.isPresent() != isRefused || isOwn || isLarge) {
      return;
    }
    String hlo = printed(text, refusal.isPresent(), arguments);
    Optional<String> message = ConformanceRun.refusal(hlo, arguments).map(ConformanceRun::message);
    Optional<ConformanceResult> result =
        message.isPresent()
            ? Optional.empty()
            : Optional.of(ConformanceResult.of(new Program(Parser.parse(hlo), arguments)));
    int number = numbers.merge(op + " " + name + " " + type, 1, Integer::sum);
    String numbered = name + "-" + number;
    cases.add(
        new ConformanceCase(
            op, numbered, type, rule, source, hlo, arguments, result, message.orElse("")));
  }

  /** Returns the element type of the first array in the entry computation of a module. */
  private static String firstType(String text) {
    return TYPE.matcher(text.substring(Math.max(0, text.indexOf("ENTRY"))))
        .results()
        .map(found -> found.group(1))
        .filter(name -> ElementType.named(name).isPresent())
        .findFirst()
        .orElse("none");
  }

  private static boolean hasSmallResult(String text) {
    Shape result = Parser.parse(text).entry().root().shape();
    return Results.shapes(result).stream().allMatch(RowCases::isSmallArray);
  }

  /**
   * Returns the text that other systems may read, with all shapes and without computations that
   * nothing calls; the given text if hlo4j cannot print it, or what it prints is not refused.
   */
  private static String printed(String text, boolean isRefused, List<Literal> arguments) {
    try {
      HloModule module = Parser.parse(text);
      HloModule called =
          HloModule.create(module.name(), module.entry())
              .withText(module.attributes(), module.stackFrames());
      return Stream.of(called, module)
          .map(Printer::print)
          .filter(each -> ConformanceRun.refusal(each, arguments).isPresent() == isRefused)
          .findFirst()
          .orElse(text);
    } catch (HloException invalid) {
      return text;
    }
  }
}
