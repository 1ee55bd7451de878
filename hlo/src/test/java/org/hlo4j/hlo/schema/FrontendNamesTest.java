package org.hlo4j.hlo.schema;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of frontend attributes that protocol buffers can hold and HLO text cannot. */
class FrontendNamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a=b", "a,b", "a\"b", "a}b", "1a", "\u00e4", "a\nb", "-a"})
  void protosKeepNamesThatTextRefuses(String name) {
    HloModule module = module(ImmutableMap.of(name, "x", "plain", "{1}"));
    HloModule read = HloProtos.readModule(HloProtos.writeModule(module));
    String text = read.entry().root().attributes().getOrDefault("frontend_attributes", "");
    assertThat(AttributeText.parseFrontendAttributes(text))
        .containsExactly(name, "x", "plain", "{1}");
    HloException refusal = assertThrows(HloException.class, () -> Printer.print(read));
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.UNSUPPORTED);
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(
            "frontend_attributes: HLO text cannot hold the name "
                + AttributeText.quoted(name)
                + ", want letters, digits, '_', '.' and '-', a letter or '_' first");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "_xla.b-c", "A1"})
  void plainNamesArePrinted(String name) {
    assertThat(Printer.print(module(ImmutableMap.of(name, "x=\"y\""))))
        .contains("frontend_attributes={" + name + "=\"x=\\\"y\\\"\"}");
  }

  /** In a value in braces XLA counts them; what it would count otherwise than we is in quotes. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{1} | {1}",
        "{\"}\"} | {\"}\"}",
        "{'}'} | \"{\\'}\\'}\"",
        "{'} | \"{\\'}\"",
        "{} {} | \"{} {}\"",
        "{ | \"{\"",
      })
  void valuesInBracesArePrintedAsXlaReadsThem(String value, String text) {
    String all = AttributeText.frontendAttributes(Map.of("a", value));
    assertThat(all).isEqualTo("{a=" + text + "}");
    assertThat(AttributeText.parseFrontendAttributes(all)).containsExactly("a", value);
  }

  private static HloModule module(Map<String, String> frontend) {
    Shape shape = Shape.of(ElementType.F32);
    HloInstruction parameter =
        HloInstruction.create(
            "p",
            new Parameter(0, shape),
            List.of(),
            List.of(),
            shape,
            Metadata.NONE,
            Map.of("frontend_attributes", AttributeText.frontendAttributes(frontend)));
    return HloModule.create("m", HloComputation.create("e", List.of(parameter), parameter));
  }
}
