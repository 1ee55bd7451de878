package org.hlo4j.tools.conformance;

import com.google.common.base.Splitter;
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
import org.hlo4j.tools.console.Results;

/**
 * The cases of a conformance suite that are made from the rows of hlo4j's own tests: instructions
 * on literals with their results or refusals, one file an op; the corner cases that specifications
 * leave open; the rules of shapes; and those of XLA's verifier.
 */
final class RowCases {
  private static final String SEMANTICS = "https://openxla.org/xla/operation_semantics";
  private static final String VERIFIER =
      "https://github.com/openxla/xla/blob/main/xla/service/hlo_verifier.cc";
  private static final long MAX_ELEMENTS = 1 << 20;
  private static final Pattern CHECK = Pattern.compile("(\\d\\.\\d )?(?<op>[a-z0-9-]+): ");
  private static final Pattern TYPE = Pattern.compile("\\b([a-z][a-z0-9]*)\\[");
  private static final ImmutableSet<HloException.Kind> OWN =
      ImmutableSet.of(HloException.Kind.LIMIT, HloException.Kind.UNSUPPORTED);
  private static final Pattern COMPUTATION = Pattern.compile("([\\w.-]+) \\{.*\\}");
  private static final Pattern PARAMETER =
      Pattern.compile("= (?<shape>[^=]+?) parameter\\((?<number>\\d{1,6})\\)");

  private final List<ConformanceCase> cases = new ArrayList<>();

  /** How many cases there are by op, name and type. */
  private final Map<String, Integer> numbers = new HashMap<>();

  private final CaseFilter filter;

  private final Twins twins;

  private RowCases(CaseFilter filter, Twins twins) {
    this.filter = filter;
    this.twins = twins;
  }

  /** Returns the chosen cases, of rows that have small arrays of known sizes. */
  static Stream<ConformanceCase> of(CaseFilter filter) {
    ImmutableList.Builder<ValueRow> examples = ImmutableList.builder();
    for (String opcode : OpSchema.opcodes()) {
      String file = "rows/" + opcode + ".rows";
      read(file).ifPresent(text -> examples.addAll(ValueRow.parse(file, text)));
    }
    String file = "stablehlo-corner-cases.rows";
    ImmutableList<ValueRow> corners = ValueRow.parse(file, read(file).orElseThrow());
    ImmutableList<VerdictRow> shapes = VerdictRow.parse(read("shapes.rows").orElseThrow());
    ImmutableList<VerdictRow> modules = VerdictRow.parse(read("verifier.rows").orElseThrow());
    Stream<String> values =
        Stream.concat(examples.build().stream(), corners.stream())
            .map(ValueRowModule::of)
            .filter(module -> !module.refused())
            .map(ValueRowModule::text);
    Stream<String> valid =
        Stream.concat(shapes.stream(), modules.stream())
            .filter(row -> !row.isRefused())
            .map(VerdictRow::text);
    RowCases rows = new RowCases(filter, new Twins(Stream.concat(values, valid)));
    rows.addValues(examples.build(), "row");
    rows.addValues(corners, "corner");
    rows.addVerdicts(shapes, "shapes", SEMANTICS);
    rows.addVerdicts(modules, "verifier", VERIFIER);
    return rows.cases.parallelStream().map(rows::completed).toList().stream();
  }

  private static Optional<String> read(String file) {
    URL resource = RowCases.class.getResource(file);
    if (resource == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Resources.toString(resource, StandardCharsets.UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private void addValues(List<ValueRow> rows, String name) {
    for (ValueRow row : rows) {
      ValueRowModule module = ValueRowModule.of(row);
      if (filter.accepts(module.opcode()) && !module.hasBounds()) {
        String comment = row.comment().replaceFirst("^Case: ", "");
        String rule =
            module.refused() ? module.expected() : comment.isEmpty() ? row.text() : comment;
        Basis basis =
            Basis.ofLabel(module.refused() ? rule : "")
                .or(() -> Basis.ofOp(module.opcode()))
                .orElse(new Basis(rule, SEMANTICS));
        add(
            module.opcode(),
            name,
            rule,
            basis,
            module.text(),
            module.arguments(),
            module.refused());
      }
    }
  }

  private void addVerdicts(List<VerdictRow> rows, String name, String source) {
    for (VerdictRow row : rows) {
      if (row.isRefused() && filter.accepts(op(row))) {
        addRefusal(row, name, source);
      }
    }
  }

  private void addRefusal(VerdictRow row, String name, String source) {
    String text =
        row.text().startsWith("HloModule")
            ? row.text()
            : "HloModule m\n\n" + withoutUnused(row.text());
    Basis basis = Basis.ofLabel(row.message()).orElse(new Basis(row.check(), source));
    String label = row.label().map(found -> " [" + found + "]").orElse("");
    arguments(text, ImmutableList.of())
        .ifPresent(found -> add(op(row), name, row.check() + label, basis, text, found, true));
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

  /** Returns a text without the computations before ENTRY that nothing in it names. */
  private static String withoutUnused(String text) {
    List<String> used = new ArrayList<>();
    int start = 0;
    for (String line : Splitter.on('\n').split(text)) {
      int end = start + line.length();
      Matcher named = COMPUTATION.matcher(line);
      if (line.contains("ENTRY")
          || !named.matches()
          || isNamed(named.group(1), text.substring(0, start))
          || isNamed(named.group(1), text.substring(end))) {
        used.add(line);
      }
      start = end + 1;
    }
    return String.join("\n", used);
  }

  /** Returns whether a text has a name that no further name or number follows. */
  private static boolean isNamed(String name, String text) {
    for (int at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      int end = at + name.length();
      while (end < text.length() && Character.isWhitespace(text.charAt(end))) {
        end++;
      }
      if (!isWord(text, at - 1) && !isWord(text, end) && !text.startsWith(".", end)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isWord(String text, int at) {
    return at >= 0
        && at < text.length()
        && (text.charAt(at) == '_' || Character.isLetterOrDigit(text.charAt(at)));
  }

  /**
   * Returns arguments for the entry computation of a module that may not be valid: the given ones
   * where their shapes are those of the parameters, otherwise zeros. Empty if a parameter is no
   * small array of known sizes.
   */
  static Optional<ImmutableList<Literal>> arguments(String text, List<Literal> given) {
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
            shapes.entrySet().stream()
                .map(each -> argument(each.getKey(), (Shape.Array) each.getValue(), given))
                .collect(ImmutableList.toImmutableList()))
        : Optional.empty();
  }

  private static Literal argument(int number, Shape.Array shape, List<Literal> given) {
    return number < given.size() && given.get(number).shape().equals(shape.withoutLayout())
        ? given.get(number)
        : Literal.zeros(shape);
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
      Basis basis,
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
    int number = numbers.merge(op + " " + name + " " + type, 1, Integer::sum);
    String numbered = name + "-" + number;
    ConformanceCase added =
        new ConformanceCase(
            op,
            numbered,
            type,
            rule,
            basis,
            text,
            arguments,
            Optional.empty(),
            refusal.map(ConformanceRun::message).orElse(""),
            ImmutableList.of());
    cases.add(added);
  }

  /** Returns a case with what is expected of it; without twins if none is found. */
  private ConformanceCase completed(ConformanceCase added) {
    if (added.refusal().isEmpty()) {
      String hlo = printed(added.hlo(), "", added.inputs());
      Program program = new Program(Parser.parse(hlo), added.inputs());
      return added.withHlo(hlo).withResult(ConformanceResult.of(program));
    }
    return twins
        .of(added.op(), added.hlo(), added.refusal(), added.inputs())
        .map(twin -> {
          String typed = Twins.typed(added.hlo(), twin, added.inputs(), added.refusal());
          String hlo = printed(typed, added.refusal(), added.inputs());
          return added
              .withHlo(hlo)
              .withRefusal(refusal(hlo, added.inputs()), List.of(printed(twin)));
        })
        .orElse(added);
  }

  private static Twin printed(Twin twin) {
    return new Twin(printed(twin.hlo(), "", twin.arguments()), twin.arguments());
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
   * nothing calls; the given text if hlo4j cannot print it, or what it prints is not refused for
   * the same reason.
   *
   * @param refusal why it is refused; empty if it is not
   */
  private static String printed(String text, String refusal, List<Literal> arguments) {
    try {
      HloModule module = Parser.parse(text);
      HloModule called =
          HloModule.create(module.name(), module.entry())
              .withText(module.attributes(), module.stackFrames());
      return Stream.of(called, module)
          .map(Printer::print)
          .filter(each -> plain(refusal(each, arguments)).equals(plain(refusal)))
          .findFirst()
          .orElse(text);
    } catch (HloException invalid) {
      return text;
    }
  }

  /** Returns why a program is refused; empty if it is not. */
  private static String refusal(String text, List<Literal> arguments) {
    return ConformanceRun.refusal(text, arguments).map(ConformanceRun::message).orElse("");
  }

  /** Returns a message without the layouts of printed shapes. */
  private static String plain(String message) {
    return message.replaceAll("\\{[0-9,]*\\}", "");
  }
}
