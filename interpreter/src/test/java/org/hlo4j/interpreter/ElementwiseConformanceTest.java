package org.hlo4j.interpreter;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.testing.ElementwiseCase;
import org.hlo4j.testing.ElementwiseJudge;
import org.junit.jupiter.api.Test;

/**
 * Every element-wise op on every element type that XLA's CPU compiler takes, against its answers
 * and the exact ones. The file stands beside the repository, as {@code
 * ../shared/conformance/elementwise.jsonl.gz}; without it there is nothing to hold against.
 */
class ElementwiseConformanceTest {
  private static final String FILE = "shared/conformance/elementwise.jsonl.gz";
  private static final ImmutableMap<String, Kind> KINDS =
      Arrays.stream(Kind.values()).collect(toImmutableMap(Kind::mnemonic, Function.identity()));

  /** Lines in which we follow the specification and not XLA. */
  private static final ImmutableMap<String, String> DELIBERATE =
      ImmutableMap.of(
          "popcnt s4 -> s4", "XLA counts the sign bits of the byte too; we count in 4 bits");

  @Test
  void everyLineIsAsItShouldBe() throws IOException {
    Optional<Path> file = file();
    assumeTrue(file.isPresent(), "no ../" + FILE + ": elementwise conformance not tested");
    List<ElementwiseCase> rows = ElementwiseCase.read(file.orElseThrow());
    Map<String, String> failures = new LinkedHashMap<>();
    int points = 0;
    int checked = 0;
    for (ElementwiseCase row : rows) {
      ElementwiseJudge.Verdict verdict = ElementwiseJudge.judge(row, evaluated(row));
      points += verdict.points();
      checked += verdict.checked();
      if (!verdict.findings().isEmpty()) {
        failures.put(row.toString(), String.join("\n  ", verdict.findings()));
      }
    }
    System.out.printf(
        "%s of %s lines passed (%s of %s points checked)%n",
        rows.size() - failures.size(), rows.size(), checked, points);
    DELIBERATE.forEach((row, why) -> System.out.printf("  not as XLA: %s: %s%n", row, why));
    assertWithMessage(Joiner.on("\n").withKeyValueSeparator("\n  ").join(failures))
        .that(failures.keySet())
        .containsExactlyElementsIn(DELIBERATE.keySet());
    assertThat(rows).hasSize(1219);
  }

  /** Looks beside each directory above this one. */
  private static Optional<Path> file() {
    return Stream.iterate(Path.of("").toAbsolutePath(), Objects::nonNull, Path::getParent)
        .map(directory -> directory.resolve(FILE))
        .filter(Files::isReadable)
        .findFirst();
  }

  private static Literal evaluated(ElementwiseCase row) {
    XlaBuilder b = new XlaBuilder("row");
    List<XlaOp> operands = new ArrayList<>();
    for (Literal argument : row.arguments()) {
      operands.add(b.parameter(operands.size(), argument.shape(), "p" + operands.size()));
    }
    HloModule module = b.build(built(row, operands));
    Verifier.strict().verify(module);
    return Interpreter.reference().run(module, row.arguments().toArray(Literal[]::new));
  }

  private static XlaOp built(ElementwiseCase row, List<XlaOp> in) {
    ImmutableMap<String, String> attributes = row.attributes();
    return switch (row.op()) {
      case "bitcast-convert" -> in.get(0).bitcastConvertType(row.xla().elementType());
      case "clamp" -> in.get(1).clamp(in.get(0), in.get(2));
      case "compare" ->
          in.get(0)
              .compare(
                  in.get(1),
                  Compare.Direction.valueOf(attributes.getOrDefault("direction", "")),
                  Optional.ofNullable(attributes.get("type")).map(Compare.Type::valueOf),
                  Dims.of());
      case "convert" -> in.get(0).convertElementType(row.xla().elementType());
      case "reduce-precision" ->
          in.get(0)
              .reducePrecision(
                  Integer.parseInt(attributes.getOrDefault("exponent_bits", "")),
                  Integer.parseInt(attributes.getOrDefault("mantissa_bits", "")));
      case "select" -> in.get(0).select(in.get(1), in.get(2));
      default -> {
        Kind kind = KINDS.get(row.op());
        assertWithMessage("an op of %s", row).that(kind).isNotNull();
        yield Builds.elementwise(Objects.requireNonNull(kind), in).orElseThrow();
      }
    };
  }

  @Test
  void aWrongResultIsFound() {
    ElementwiseCase row =
        ElementwiseCase.parse(
            "{\"op\":\"add\",\"in\":[\"s8\",\"s8\"],\"out\":\"s8\",\"n\":2,"
                + "\"args\":[\"7f01\",\"0102\"],\"xla\":\"8003\"}");
    Literal right = evaluated(row);
    assertThat(ElementwiseJudge.judge(row, right).findings()).isEmpty();
    assertThat(ElementwiseJudge.judge(row, row.arguments().get(0)).findings())
        .containsExactly(
            "[0] 127 (0x7f) 1 (0x1): got 127 (0x7f), want -128 (0x80)",
            "[1] 1 (0x1) 2 (0x2): got 1 (0x1), want 3 (0x3)");
  }
}
