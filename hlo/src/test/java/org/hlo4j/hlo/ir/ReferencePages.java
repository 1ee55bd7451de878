package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Arity;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.rows.VerdictRow;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.hlo.text.Parser;

/** Generates the reference pages of ops and refusals from the code and its test rows. */
final class ReferencePages {
  private static final Path OPS = Path.of("src/main/java/org/hlo4j/hlo/op");
  private static final ImmutableList<String> TYPES = ImmutableList.of("pred", "s32", "u32", "c64");

  /** Rules that only protos and the API can break, so that no row of HLO text tests them. */
  private static final String UNWRITTEN =
      """

      ## Not in text

      HLO text cannot break these rules, since it writes the dimensions of a convolution as `dim_labels`:

      - `[convolution C12]`, `[convolution C17]`, `[convolution C19]`: input, kernel and output each have the
        right number of dimensions;
      - `[convolution C13]`, `[convolution C18]`, `[convolution C20]`: and each dimension once.

      The rules of implicit broadcasting, `[broadcast B1]` and those that follow, are those of the builder: see
      [broadcasting](../explanation/broadcasting.md).
      """;

  private static final Pattern DRAWING = Pattern.compile("(?s)<pre>\\s*\\n(?<lines>.*?)</pre>");
  private static final Pattern SENTENCE = Pattern.compile("(?s)/\\*\\*(?<text>.*?)(\\*/|\\* <p>)");

  private ReferencePages() {}

  // Ops.

  static String ops() throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            # Ops

            All ops of HLO that hlo4j reads, verifies, prints and evaluates. This page is made from the code
            by `ReferencePagesTest`.

            ## Element-wise ops

            All operands have the shape of the result. The builder makes broadcasting explicit before it
            comes to them; see [broadcasting](../explanation/broadcasting.md).

            | op | what it computes | operands | their element types | element type of the result |
            |---|---|---|---|---|
            """);
    String source = Files.readString(OPS.resolve("Elementwise.java"));
    for (Elementwise.Kind kind : Elementwise.Kind.values()) {
      String comment = source.substring(0, source.indexOf(" " + kind.name() + "(\""));
      page.append(elementwise(kind, markdown(comment.substring(comment.lastIndexOf("/**") + 3))));
    }
    page.append(
        """

        ## Other ops

        Each example is accepted by the strict verifier. In an example of one line, shapes stand for the
        operands. “Also with” lists what `f32` may be replaced by in the example.

        """);
    page.append("```\n").append(sharedComputations()).append("```\n");
    Map<String, VerdictRow> examples = examples();
    for (OpSchema schema : sorted()) {
      page.append(section(schema, requireNonNull(examples.get(schema.opcode()))));
    }
    return page.toString();
  }

  private static List<OpSchema> sorted() {
    return OpSchema.all().stream().sorted(Comparator.comparing(OpSchema::opcode)).toList();
  }

  static Map<String, VerdictRow> examples() throws IOException {
    Map<String, VerdictRow> examples = new TreeMap<>();
    for (VerdictRow row : VerifierRowsTest.rows("ops.rows")) {
      examples.put(row.check(), row);
    }
    return examples;
  }

  private static String sharedComputations() throws IOException {
    return VerdictRow.shared(VerifierRowsTest.read("ops.rows"));
  }

  private static String elementwise(Elementwise.Kind kind, String meaning) {
    String types =
        Arrays.stream(ElementType.Kind.values())
            .filter(family ->
                Arrays.stream(ElementType.values())
                    .anyMatch(type -> type.kind() == family && kind.accepts(type)))
            .map(family -> CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.LOWER_HYPHEN, family.name()))
            .collect(joining(", "));
    String others =
        Stream.of(ElementType.F32, ElementType.C64)
            .filter(type -> kind.accepts(type) && kind.resultType(type) != type)
            .map(type -> "`%s` for `%s`".formatted(kind.resultType(type), type))
            .collect(joining(", "));
    return "| `%s` | %s | %s | %s | %s |\n"
        .formatted(
            kind.mnemonic(), meaning, kind.arity(), types, others.isEmpty() ? "the same" : others);
  }

  /** Returns the module with another element type in place of f32. */
  private static String withType(VerdictRow row, String type) {
    return row.text().replace("f32[", type + "[");
  }

  /** Returns the first instruction with the opcode. */
  private static HloInstruction instruction(VerdictRow row, String opcode) {
    return Parser.parse(row.text()).computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .filter(instruction -> instruction.op().opcode().equals(opcode))
        .findFirst()
        .orElseThrow();
  }

  private static String section(OpSchema schema, VerdictRow example) throws IOException {
    String also =
        TYPES.stream()
            .filter(type -> VerifierRowsTest.verdict(withType(example, type)).equals("ok"))
            .map(type -> "`" + type + "`")
            .collect(joining(", "));
    String attributes =
        schema.attributes().stream()
            .filter(OpAttribute::isNamed)
            .map(attribute -> "`" + attribute.name() + "`")
            .collect(joining(", "));
    HloInstruction made = instruction(example, schema.opcode());
    String callees =
        made.op().callees().stream().map(name -> "`" + name + "`").collect(joining(", "));
    return "\n## "
        + schema.opcode()
        + "\n\n"
        + description(schema.type())
        + "\n\n```\n"
        + example.written()
        + "\n```\n\n"
        + "Operands: "
        + operands(made.op().arity())
        + "."
        + (attributes.isEmpty() ? "" : " Attributes: " + attributes + ".")
        + (callees.isEmpty() ? "" : " Computations: " + callees + ".")
        + (also.isEmpty() ? "" : " Also with " + also + ".")
        + "\n";
  }

  private static String operands(Arity arity) {
    return arity.most() == Integer.MAX_VALUE
        ? arity.least() + " or more"
        : arity.least() == arity.most()
            ? arity.least() + ""
            : arity.least() + " to " + arity.most();
  }

  /** Returns the first paragraph of the class comment as Markdown. */
  private static String description(Class<?> type) throws IOException {
    String source = Files.readString(OPS.resolve(type.getSimpleName() + ".java"));
    int declared = source.indexOf("public record " + type.getSimpleName());
    Matcher comment = SENTENCE.matcher(source.substring(0, declared));
    if (!comment.find()) {
      throw new IllegalStateException("no comment of " + type);
    }
    String text = comment.group("text");
    Matcher drawing = DRAWING.matcher(text);
    return drawing.find()
        ? markdown(text.substring(0, drawing.start())) + "\n\n" + block(drawing.group("lines"))
        : markdown(text);
  }

  /** Returns the drawing of a comment as a Markdown code block. */
  private static String block(String lines) {
    String drawn = lines.replaceAll("(?m)^ *\\* ?", "").replace("&gt;", ">").replace("&lt;", "<");
    return "```\n" + drawn.stripTrailing().stripIndent() + "\n```";
  }

  private static String markdown(String javadoc) {
    return javadoc
        .replaceAll("\\s*\\n\\s*\\*\\s*@param(?s:.*)", "")
        .replaceAll("\\s*\\*/\\s*", "")
        .replaceAll("</?sup>", "")
        .replaceAll("\\s*\\n\\s*\\* ?", " ")
        .replaceAll("\\{@(?:code|link)\\s+([^}]*)\\}", "`$1`")
        .strip();
  }

  // Refusals.

  /** Returns the page of refusals: an example of each label, and of each check without a label. */
  static String refusals() throws IOException {
    Multimap<String, String> sections = LinkedHashMultimap.create();
    Set<String> seen = new HashSet<>();
    for (VerdictRow row : rows()) {
      Optional<VerdictRow.Label> label = row.label();
      String key = label.map(Object::toString).orElse(row.check());
      if (row.isRefused() && seen.add(key)) {
        String op = label.map(VerdictRow.Label::op).orElse("verifier");
        sections.put(op, entry(label.map(ReferencePages::rule).orElse(row.check()), row));
      }
    }
    StringBuilder page =
        new StringBuilder(
            """
            # Refusals

            What hlo4j refuses, with an example of each rule and the whole message. The label in brackets, which
            `HloException.label()` gives, names the rule: `[dot_general C3]` is constraint C3 of `dot_general` in
            the StableHLO specification, which XLA holds HLO to as well. Labels with another letter are rules of
            XLA that the specification does not have. The message says what was got and what is wanted; where
            one change suffices, a line `fits:` gives it. In an example of one line, shapes stand for the
            operands. This page is made from the rows that test the rules, by `ReferencePagesTest`.
            """);
    sections.keySet().stream()
        .filter(op -> !op.equals("verifier"))
        .sorted()
        .forEach(op -> append(page, op, sections));
    append(page, "verifier", sections);
    page.append(UNWRITTEN);
    return page.toString();
  }

  static ImmutableList<VerdictRow> rows() throws IOException {
    return ImmutableList.<VerdictRow>builder()
        .addAll(VerifierRowsTest.rows("shapes.rows"))
        .addAll(VerifierRowsTest.rows("verifier.rows"))
        .build();
  }

  private static void append(StringBuilder page, String op, Multimap<String, String> sections) {
    page.append("\n## ").append(op).append("\n");
    if (op.equals("verifier")) {
      page.append(
          "\n"
              + "Checks without a label, most of them XLA's `hlo_verifier.cc`; named by what is"
              + " checked.\n");
    }
    sections.get(op).forEach(page::append);
  }

  private static String rule(VerdictRow.Label label) {
    return label
        .section()
        .map(section -> "[%s](%s)".formatted(label.rule(), section))
        .orElse(label.rule());
  }

  private static String entry(String title, VerdictRow row) {
    return "\n" + title + "\n\n```\n" + row.written() + "\n```\n```\n" + row.shown() + "\n```\n";
  }

  /** Returns the labels that the main code has as string literals. */
  static ImmutableList<String> labels() throws IOException {
    Pattern literal = Pattern.compile("\"([a-z_]+ [A-Z]\\d+)\"");
    try (var files = Files.walk(Path.of("src/main/java"))) {
      List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
      ImmutableList.Builder<String> labels = ImmutableList.builder();
      for (Path source : sources) {
        literal
            .matcher(Files.readString(source))
            .results()
            .map(found -> found.group(1))
            .forEach(labels::add);
      }
      return labels.build().stream().distinct().sorted().collect(toImmutableList());
    }
  }
}
