package org.hlo4j.hlo.proto;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;

import com.google.common.base.Splitter;
import com.google.common.io.BaseEncoding;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Instruction protos have the fields that XLA writes; attributes without a field are refused. */
final class XlaFieldsTest {
  private static String module(String instruction) {
    return "HloModule m\n\nENTRY e {\n  x = f32[4,4]{1,0} parameter(0)\n  ROOT r = "
        + instruction
        + "\n}\n";
  }

  static Stream<Arguments> rows() throws IOException {
    List<String> lines =
        Resources.readLines(
            Resources.getResource(XlaFieldsTest.class, "xla_fields.txt"), StandardCharsets.UTF_8);
    lines.removeIf(line -> line.startsWith("#"));
    List<Arguments> rows = new ArrayList<>();
    for (int i = 0; i < lines.size(); i += 2) {
      String[] field = lines.get(i + 1).strip().split(" ", 2);
      rows.add(Arguments.of(lines.get(i), Integer.valueOf(field[0]), field[1]));
    }
    return rows.stream();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void fields(String instruction, int number, String values) {
    byte[] bytes = HloProtos.writeModule(Parser.parse(module(instruction)));
    ProtoMessage entry = ProtoMessage.of("HloModuleProto", bytes).messages("computations").get(0);
    ProtoMessage root = entry.messages("instructions").get(1);
    assertThat(values(root, number)).isEqualTo(values);
    assertThat(Printer.print(HloProtos.readModule(bytes))).contains("ROOT %r = " + instruction);
  }

  private static String values(ProtoMessage message, int number) {
    return IntStream.range(0, message.entryCount())
        .filter(i -> message.number(i) == number)
        .mapToObj(i -> BaseEncoding.base16().lowerCase().encode(message.raw(i)))
        .collect(Collectors.joining(" "));
  }

  /** XLA writes the aliasing of an asynchronous op at its start, not at the op it wraps. */
  @Test
  void aliasingOfAnAsyncStart() {
    String start =
        "%s = ((f32[4]{0}), f32[4]{0}, s32[]) async-start(%x), "
            + "output_to_operand_aliasing={{1}: (0, {})}, calls=%w";
    String module =
        "HloModule m\n\n%w (p: f32[4]) -> f32[4] {\n  %p = f32[4]{0} parameter(0)\n"
            + "  ROOT %c = f32[4]{0} custom-call(%p), custom_call_target=\"t\"\n}\n\n"
            + "ENTRY %e (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  "
            + start
            + "\n  ROOT %d = f32[4]{0} async-done(%s)\n}\n";
    byte[] bytes = HloProtos.writeModule(Parser.parse(module));
    ProtoMessage entry = ProtoMessage.of("HloModuleProto", bytes).messages("computations").get(1);
    assertThat(values(entry.messages("instructions").get(1), 74)).isEqualTo("0a0101");
    assertThat(Printer.print(HloProtos.readModule(bytes))).contains(start);
  }

  /** XLA wrote these bytes for {@code dim_labels=?b01f_0?1io->b01?f}. */
  @Test
  void unknownDimensionLabels() {
    String instruction =
        "f32[1,6,4,1]{3,2,1,0} custom-call(%x), dim_labels=?b01f_0?1io->b01?f,"
            + " custom_call_target=\"t\"";
    fields(instruction, 16, "1803200432020002380140045004" + "5a02020362020102");
  }

  /** A custom call has the roles of dimensions as text, which has one role for each dimension. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | 2   | 2 2 | at byte 16: convolution_dimension_numbers got bf0_oi0?->bf0, want each role at a dimension of its own
          1 | 2 2 | 2   | at byte 16: convolution_dimension_numbers got bf0?_oi0->bf0, want each role at a dimension of its own
          0 | 2   | 2   | at byte 0: dim_labels: b?0_oi0->bf0 got b?0, want f in it once
          1 | 2   | 2 3 | at byte 0: dim_labels: bf0_oi01->bf0 got oi01, want 1 spatial dimensions as in lhs, 10 at most
          1 | 2   | -1  | at byte 0: dim_labels: bf0_oi?->bf0 got oi?, want 1 spatial dimensions as in lhs, 10 at most
          """)
  void rolesWithoutADimensionAreRefused(
      int inputFeature, String inputSpatial, String kernelSpatial, String message) {
    ConvolutionDimensionNumbers numbers =
        new ConvolutionDimensionNumbers(
            0, inputFeature, dims(inputSpatial), 1, 0, dims(kernelSpatial), 0, 1, Dims.of(2));
    ProtoBuilder instruction = ProtoBuilder.of("HloInstructionProto").put("opcode", "custom-call");
    Structures.writeConvolution(instruction, "convolution_dimension_numbers", numbers);
    assertRefused(
        "proto: " + message,
        () ->
            InstructionAttributes.read(
                ProtoMessage.of("HloInstructionProto", instruction.toBytes()), id -> ""));
  }

  private static Dims dims(String text) {
    return Dims.copyOf(Splitter.on(' ').splitToStream(text).map(Integer::valueOf).toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          frontend_attributes={ b = "0" ,a="1" }           | frontend_attributes={a="1",b="0"}
          frontend_attributes={a='x"y'}                    | frontend_attributes={a="x\\"y"}
          frontend_attributes={a={{0,1},{1,0}} }           | frontend_attributes={a={{0,1},{1,0}}}
          origin={ ( {"a"  { 1 , 2 } } , {} ) }            | origin={({"a" {1,2}}, {})}
          statistics={visualizing_index=0,a=inf,b=-inf} | statistics={visualizing_index=0,a=inf,b=-inf}
          statistics={visualizing_index=0,a=1e20}          | statistics={visualizing_index=0,a=1e+20}
          """)
  void attributesAreNormalized(String got, String want) {
    HloModule read =
        HloProtos.readModule(
            HloProtos.writeModule(Parser.parse(module("f32[4,4]{1,0} negate(x), " + got))));
    assertThat(Printer.print(read)).contains("negate(%x), " + want + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          unheard_of=1                     | proto: got the attribute unheard_of, which hlo.proto has no field for
          metadata={made_by="me"}          | proto: metadata got made_by, which hlo.proto has no field for
          origin={neg}                     | proto: origin got neg, want a tree such as {({"a"}, {"b" {0}})}
          origin={{"neg" {x}}}             | proto: origin got {"neg" {x}}, want a tree such as {({"a"}, {"b" {0}})}
          statistics={a}                   | proto: statistics got {a}, want {name=value,…}
          statistics={a=b}                 | proto: statistics got {a=b}, want numbers where HLO text has them
          """)
  void attributesWithoutProtoFieldAreRefused(String attribute, String message) {
    HloModule module = Parser.parse(module("f32[4,4]{1,0} negate(x), " + attribute));
    assertRefused(message, () -> HloProtos.writeModule(module));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          made_by=me | proto: got the attribute made_by, which hlo.proto has no field for
          """)
  void headerAttributesWithoutProtoFieldAreRefused(String attribute, String message) {
    String text =
        module("f32[4,4]{1,0} negate(x)").replace("HloModule m", "HloModule m, " + attribute);
    assertRefused(message, () -> HloProtos.writeModule(Parser.parse(text)));
  }

  @Test
  void incompleteSourceTargetPairsAreRefused() {
    HloModule module =
        Parser.parse(
            module("f32[4,4]{1,0} collective-permute(x), source_target_pairs={{0,1},{1}}"));
    assertRefused(
        "proto: source_target_pairs got (1), want pairs of devices",
        () -> HloProtos.writeModule(module));
  }

  /** An element without a tuple index is that of an array, which has only one. */
  @Test
  void severalOriginalValuesNeedTupleIndices() {
    ProtoBuilder value = ProtoBuilder.of("OriginalValueProto");
    value.put("elements", ProtoBuilder.of("OriginalValueElementProto"));
    value.put("elements", ProtoBuilder.of("OriginalValueElementProto"));
    ProtoMessage message = ProtoMessage.of("OriginalValueProto", value.toBytes());
    assertRefused(
        "proto: at byte 4: elements got (), want the places of a tuple",
        () -> OriginalValues.text(message));
  }
}
