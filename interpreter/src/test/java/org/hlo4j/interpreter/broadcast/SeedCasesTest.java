package org.hlo4j.interpreter.broadcast;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.numpy;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.pdpd;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Ascii;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.broadcast.BroadcastMode;
import org.hlo4j.builder.broadcast.Broadcasts;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Rows;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All broadcasting cases of seed-cases.jsonl: those of XLA's document, and those of OpenVINO's
 * three, which the policies of {@code org.hlo4j.builder.broadcast} are for.
 */
class SeedCasesTest {
  /** One line of the file. */
  record SeedCase(String id, JsonObject json) {
    ElementType type() {
      return ElementType.named(json.get("dtype").getAsString()).orElseThrow();
    }

    Shape.Array operand(int i) {
      return Shape.of(type(), dims(json.getAsJsonArray("shapes").get(i)));
    }

    Dims attribute(String name) {
      return dims(json.getAsJsonObject("attrs").get(name));
    }

    String op() {
      return json.get("op").getAsString();
    }

    String mode() {
      return json.get("mode").getAsString();
    }

    boolean has(String attribute) {
      return json.getAsJsonObject("attrs").has(attribute);
    }

    int axis() {
      return json.getAsJsonObject("attrs").get("axis").getAsInt();
    }

    boolean isBinary() {
      return json.get("mode").getAsString().equals("binary");
    }

    boolean isRefused() {
      return json.getAsJsonObject("expect").has("error");
    }

    Shape.Array result() {
      return Shape.of(type(), dims(json.getAsJsonObject("expect").get("shape")));
    }

    /** The value given, or numbers that tell the elements apart. */
    Literal argument(int i) {
      return json.has("inputs")
          ? literal(operand(i), json.getAsJsonArray("inputs").get(i).getAsJsonArray())
          : BroadcastRowsTest.numbered(operand(i), i == 0 ? 1 : 1000);
    }

    /** The value given, or what index arithmetic says. */
    Literal output() {
      return json.has("output")
          ? literal(result(), json.getAsJsonArray("output"))
          : BroadcastRowsTest.sum(
              argument(0), argument(1), result(), attribute("broadcast_dimensions"));
    }

    private static Dims dims(JsonElement array) {
      return Dims.of(
          StreamSupport.stream(array.getAsJsonArray().spliterator(), false)
              .mapToLong(JsonElement::getAsLong)
              .toArray());
    }

    private static Literal literal(Shape.Array shape, JsonArray values) {
      LiteralBuilder literal = new LiteralBuilder(shape);
      assertThat(values).hasSize((int) shape.elementCount());
      for (int i = 0; i < values.size(); i++) {
        literal.setDouble(i, values.get(i).getAsDouble());
      }
      return literal.build();
    }

    @Override
    public String toString() {
      return id;
    }
  }

  private static List<SeedCase> cases(String system) {
    return Rows.lines("seed-cases.jsonl").stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .filter(json -> json.get("system").getAsString().equals(system))
        .map(json -> new SeedCase(json.get("id").getAsString(), json))
        .toList();
  }

  static List<SeedCase> xlaCases() {
    return cases("xla");
  }

  static List<SeedCase> openVinoCases() {
    return cases("openvino");
  }

  @Test
  void everyCaseIsOfXlaOrOfOpenVino() {
    assertThat(xlaCases()).hasSize(29);
    assertThat(cases("openvino")).hasSize(36);
    assertThat(Rows.lines("seed-cases.jsonl")).hasSize(65);
  }

  @ParameterizedTest
  @MethodSource("xlaCases")
  void xla(SeedCase seed) {
    if (seed.isRefused()) {
      HloException refusal = assertThrows(HloException.class, () -> built(seed));
      assertThat(refusal.label()).startsWith("broadcast B");
    } else {
      HloModule module = built(seed);
      Verifier.strict().verify(module);
      assertThat(module.entry().root().shape()).isEqualTo(seed.result());
      assertThat(Printer.print(module)).contains(" = " + seed.result());
      Literal[] arguments = new Literal[module.entry().parameters().size()];
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = seed.argument(i);
      }
      LiteralSubject.assertThat(Evaluators.both().run(module, arguments)).isEqualTo(seed.output());
    }
  }

  private static HloModule built(SeedCase seed) {
    XlaBuilder b = new XlaBuilder("seed");
    XlaOp first = b.parameter(0, seed.operand(0), "first");
    Dims dimensions = seed.attribute("broadcast_dimensions");
    if (!seed.isBinary()) {
      return b.build(first.broadcastInDim(seed.attribute("output_shape"), dimensions));
    }
    assertThat(seed.json().get("op").getAsString()).isEqualTo("add");
    return b.build(first.add(b.parameter(1, seed.operand(1), "second"), dimensions));
  }

  @ParameterizedTest
  @MethodSource("openVinoCases")
  void openVino(SeedCase seed) {
    boolean elementwise = seed.op().equals("elementwise");
    if (seed.isRefused()) {
      HloException refusal = assertThrows(HloException.class, () -> builtByPolicy(seed));
      assertThat(refusal.label()).startsWith(seed.mode());
    } else {
      HloModule module = builtByPolicy(seed);
      Verifier.strict().verify(module);
      assertThat(module.entry().root().shape()).isEqualTo(seed.result());
      assertThat(Printer.print(module)).contains(" = " + seed.result());
      Literal[] arguments = new Literal[module.entry().parameters().size()];
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = seed.argument(i);
      }
      PolicyOracle.Aligned aligned = aligned(seed).orElseThrow();
      int[] firsts = aligned.sources(0);
      int[] seconds = elementwise ? aligned.sources(1) : firsts;
      LiteralBuilder expected = new LiteralBuilder(seed.result());
      for (int i = 0; i < seed.result().elementCount(); i++) {
        double first = arguments[0].doubleAt(firsts[i]);
        double second = elementwise ? arguments[1].doubleAt(seconds[i]) : 0;
        expected.setDouble(i, first + second);
      }
      LiteralSubject.assertThat(Evaluators.both().run(module, arguments))
          .isEqualTo(expected.build());
    }
  }

  private static HloModule builtByPolicy(SeedCase seed) {
    XlaBuilder b = new XlaBuilder("seed");
    XlaOp first = b.parameter(0, seed.operand(0), "a");
    return b.build(
        switch (seed.op()) {
          case "elementwise" ->
              first.add(b.parameter(1, seed.operand(1), "b"), policy(seed.mode(), seed));
          case "Broadcast-1" -> {
            BroadcastMode mode = mode(seed.mode());
            yield seed.has("axes_mapping")
                ? Broadcasts.broadcast1(
                    first, seed.attribute("target_shape"), mode, seed.attribute("axes_mapping"))
                : Broadcasts.broadcast1(first, seed.attribute("target_shape"), mode);
          }
          case "Broadcast-3" -> {
            BroadcastMode mode = mode(seed.mode());
            yield seed.has("axes_mapping")
                ? Broadcasts.broadcast3(
                    first, seed.attribute("target_shape"), mode, seed.attribute("axes_mapping"))
                : Broadcasts.broadcast3(first, seed.attribute("target_shape"), mode);
          }
          default -> throw new AssertionError(seed.op());
        });
  }

  private static BroadcastMode mode(String name) {
    return BroadcastMode.valueOf(Ascii.toUpperCase(name));
  }

  private static BroadcastPolicy policy(String mode, SeedCase seed) {
    return mode.equals("pdpd") ? pdpd(seed.axis()) : numpy();
  }

  private static Optional<PolicyOracle.Aligned> aligned(SeedCase seed) {
    Dims first = seed.operand(0).sizes();
    if (seed.op().equals("elementwise")) {
      Dims second = seed.operand(1).sizes();
      return seed.mode().equals("pdpd")
          ? PolicyOracle.pdpd(first, second, seed.axis())
          : PolicyOracle.numpy(first, second);
    }
    return seed.has("axes_mapping")
        ? PolicyOracle.onto(first, seed.result().sizes(), seed.attribute("axes_mapping"))
        : PolicyOracle.numpy(first, seed.result().sizes());
  }
}
