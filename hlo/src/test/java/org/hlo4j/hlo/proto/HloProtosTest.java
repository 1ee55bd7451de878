package org.hlo4j.hlo.proto;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import com.google.common.primitives.Bytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class HloProtosTest {
  private static byte[] hex(String hex) {
    return BaseEncoding.base16().lowerCase().decode(hex.replaceAll("\\s", ""));
  }

  private static String hex(byte[] bytes) {
    return BaseEncoding.base16().lowerCase().encode(bytes);
  }

  private static void assertTextRoundTrips(String text) {
    HloModule module = Parser.parse(text);
    byte[] bytes = HloProtos.writeModule(module);
    HloModule read = HloProtos.readModule(bytes);
    assertThat(Printer.print(read)).isEqualTo(Printer.print(module));
    assertThat(hex(HloProtos.writeModule(read))).isEqualTo(hex(bytes));
  }

  @Test
  void textRoundTrips() {
    assertTextRoundTrips(Modules.ATTRIBUTES);
    assertTextRoundTrips(Modules.CALLS);
  }

  @Test
  void readModulesPassTheVerifier() {
    HloModule read = HloProtos.readModule(HloProtos.writeModule(Parser.parse(Modules.CALLS)));
    Verifier.strict().verify(read);
    assertThat(read.computations()).hasSize(4);
  }

  @Test
  void defaultOperandLayoutConstraintsAreKept() {
    HloModule read =
        HloProtos.readModule(
            HloProtos.writeModule(
                Parser.parse(
                    """
                    HloModule m
                    ENTRY e {
                      p = f32[2] parameter(0)
                      ROOT c = f32[2] custom-call(p), custom_call_target="t",
                        operand_layout_constraints={f32[2]{0}}
                    }
                    """)));
    Verifier.strict().verify(read);
    CustomCall call = (CustomCall) read.entry().root().op();
    assertThat(call.operandLayoutConstraints().toString()).isEqualTo("Optional[[f32[2]{0}]]");
  }

  @Test
  void attributesWithProtoFieldsAreNotKeptAsText() {
    String text = HloProtos.print(HloProtos.writeModule(Parser.parse(Modules.ATTRIBUTES)));
    ImmutableList<String> kept =
        ProtoLines.of(text).stream()
            .filter(line -> line.startsWith("key: \""))
            .collect(ImmutableList.toImmutableList());
    assertThat(kept)
        .containsExactly(
            "key: \"allow_spmd_sharding_propagation_to_output\"",
            "key: \"replica_count\"",
            "key: \"num_partitions\"",
            "key: \"a\"",
            "key: \"c\"",
            "key: \"q\"");
  }

  @Test
  void hloProtoWrapperIsRead() throws IOException {
    HloModule module = Parser.parse(Modules.CALLS);
    byte[] hlo = HloProtos.writeHloProto(module);
    assertThat(ProtoForm.of(hlo)).isEqualTo(ProtoForm.HLO);
    String text = Printer.print(module);
    assertThat(Printer.print(HloProtos.readModule(hlo))).isEqualTo(text);
    assertThat(Printer.print(HloProtos.readModule(new ByteArrayInputStream(hlo)))).isEqualTo(text);
  }

  @Test
  void snapshotsRoundTrip() {
    HloSnapshot snapshot =
        new HloSnapshot(
            Parser.parse(Modules.CALLS),
            ImmutableList.of(Literal.of(7), Literal.tuple(Literal.of(true), Literal.token())),
            Optional.of(Literal.of(new float[][] {{1, 2}, {3, 4}})),
            "Host");
    byte[] bytes = HloProtos.writeSnapshot(snapshot);
    assertThat(ProtoForm.of(bytes)).isEqualTo(ProtoForm.SNAPSHOT);
    HloSnapshot read = HloProtos.readSnapshot(bytes);
    assertThat(read.arguments()).isEqualTo(snapshot.arguments());
    assertThat(read.result()).isEqualTo(snapshot.result());
    assertThat(read.executionPlatform()).isEqualTo("Host");
    assertThat(Printer.print(HloProtos.readModule(bytes)))
        .isEqualTo(Printer.print(snapshot.module()));
  }

  // Literals.

  @ParameterizedTest
  @EnumSource
  void literalsOfEveryTypeRoundTrip(ElementType type) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type, 3, 2));
    for (int i = 0; i < (type.isComplex() ? 12 : 6); i++) {
      builder.setBits(i, 0x4123456789abcdefL >>> i);
    }
    Literal literal = builder.build();
    assertThat(HloProtos.readLiteral(HloProtos.writeLiteral(literal))).isEqualTo(literal);
    Literal empty = Literal.zeros(Shape.of(type, 2, 0));
    assertThat(HloProtos.readLiteral(HloProtos.writeLiteral(empty))).isEqualTo(empty);
  }

  /** The XLA of JAX 0.10.2 wrote these bytes. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          s4[3] {1, -2, 3}           | 0a1010151a01032a060a01008001013201 00aa0103010e03
          s32[2] {-1, 2}             | 0a1010041a01022a060a01008001013201 00220bffffffffffffffffff0102
          pred[2] {1, 0}             | 0a1010011a01022a060a01008001013201 0012020100
          f8e4m3fn[2] {1, -2}        | 0a1010141a01022a060a01008001013201 00a2010238c0
          bf16[2] {1, 2}             | 0a1010101a01022a060a01008001013201 006a04803f0040
          c64[2] {(1, 2), (3, 4)}    | 0a10100f1a01022a060a01008001013201 0062100000803f000000400000404000008040
          """)
  void literalBytesMatchXla(String literal, String hex) {
    assertThat(HloProtos.readLiteral(hex(hex)).toString()).isEqualTo(literal);
    assertThat(hex(HloProtos.writeLiteral(Parser.parseLiteral(literal))))
        .isEqualTo(hex.replace(" ", ""));
  }

  /** The layout f32[2,2]{0,1} determines the order of the elements. */
  @Test
  void literalsAreReadInLayoutOrder() {
    byte[] bytes =
        hex("0a13100b1a0202022a070a020001800101320200004210 0000803f 00004040 00000040 00008040");
    assertThat(HloProtos.readLiteral(bytes).toString())
        .isEqualTo("f32[2,2] { { 1, 2 }, { 3, 4 } }");
  }

  @Test
  void unpackedRepeatedFieldsAreRead() {
    byte[] bytes = hex("0a06 1004 1801 1801  2005");
    assertThat(HloProtos.readLiteral(bytes).toString()).isEqualTo("s32[1,1] { {5} }");
  }

  // Unknown fields.

  /** Adds an unknown field 4000 to each nested message at the path. */
  private static byte[] withUnknown(byte[] module, String... path) {
    return withUnknown(ProtoMessage.of("HloModuleProto", module), path, 0).toBytes();
  }

  private static ProtoBuilder withUnknown(ProtoMessage message, String[] path, int depth) {
    ProtoBuilder copy = ProtoBuilder.of(message.type());
    for (int i = 0; i < message.entryCount(); i++) {
      Optional<MessageType.Field> field = message.type().field(message.number(i));
      boolean next =
          depth < path.length && field.isPresent() && field.get().name().equals(path[depth]);
      if (next) {
        ProtoMessage inside = ProtoMessage.of(field.get().message(), message.raw(i));
        copy.put(path[depth], withUnknown(inside, path, depth + 1));
      } else {
        copy.addRaw(message.number(i), message.wireCode(i), message.raw(i));
      }
    }
    if (depth == path.length) {
      copy.addRaw(4000, MessageType.Wire.DELIMITED.code(), new byte[] {'u', 'n'});
    }
    return copy;
  }

  @ParameterizedTest
  @CsvSource({
    "''",
    "host_program_shape",
    "stack_frame_index",
    "computations",
    "computations.program_shape",
    "computations.instructions",
    "computations.instructions.shape",
    "computations.instructions.shape.layout",
    "computations.instructions.shape.tuple_shapes",
    "computations.instructions.metadata",
    "computations.instructions.window.dimensions",
    "computations.instructions.sharding",
  })
  void unknownFieldsAreKept(String path) {
    String[] steps = path.isEmpty() ? new String[0] : path.split("\\.", -1);
    byte[] bytes = HloProtos.writeModule(Parser.parse(Modules.ATTRIBUTES));
    byte[] more = withUnknown(bytes, steps);
    assertThat(more.length).isGreaterThan(bytes.length);
    HloModule read = HloProtos.readModule(more);
    assertThat(sorted(HloProtos.writeModule(read))).isEqualTo(sorted(more));
  }

  private static ImmutableList<String> sorted(byte[] module) {
    return ImmutableList.sortedCopyOf(ProtoLines.of(HloProtos.print(module)));
  }

  // Refusals.

  @Test
  void truncatedFilesAreRefused() {
    byte[] module = HloProtos.writeModule(Parser.parse(Modules.CALLS));
    int last = 0;
    for (int length = 0; length < module.length; length++) {
      byte[] start = Arrays.copyOf(module, length);
      if (ProtoForm.of(start) == ProtoForm.OTHER) {
        last = length;
        HloException refusal = assertThrows(HloException.class, () -> HloProtos.readModule(start));
        assertThat(refusal).hasMessageThat().startsWith("proto: at byte ");
      }
    }
    assertThat(last).isGreaterThan(module.length / 2);
  }

  @Test
  void refusalsHaveTheBytePosition() {
    byte[] module = HloProtos.writeModule(Parser.parse(Modules.CALLS));
    String text = hex(module);
    assertRefused(
        "proto: at byte 103 in computations[0].instructions[2]: opcode got \"adx\", want an opcode"
            + " of HLO",
        () -> HloProtos.readModule(hex(text.replaceFirst("1203616464", "1203616478"))));
    assertRefused(
        "proto: at byte 1: got a length of 5, want at most 3 bytes",
        () -> HloProtos.readModule(hex("0a05 414243")));
    assertRefused(
        "proto: at byte 0: got a message without whole computations, want an HloModuleProto,"
            + " HloProto or HloSnapshot",
        () -> HloProtos.readModule(hex("0a03 414243")));
    assertRefused("proto: at byte 0: got cut short, want a number", () -> readLiteral("ff"));
    assertRefused(
        "proto: at byte 0: got a number of more than 10 bytes",
        () -> readLiteral("ffffffffffffffffffffff"));
    assertRefused("proto: at byte 0: got wire type 7, want 0, 1, 2 or 5", () -> readLiteral("0f"));
    assertRefused(
        "proto: at byte 0: got the tag 0, want a field number and a wire type",
        () -> readLiteral("00"));
  }

  @Test
  void hostProgramShapeMustMatchTheEntry() {
    ProtoBuilder another = ProtoBuilder.of("HloModuleProto");
    another.at("host_program_shape").at("parameters").put("element_type", 11);
    another.at("host_program_shape").at("result").put("element_type", 4);
    byte[] module = HloProtos.writeModule(Parser.parse(Modules.CALLS));
    byte[] wrong = Bytes.concat(module, another.toBytes());
    assertRefused(
        "proto: at byte 621: host_program_shape got (s32[], f32[]) -> s32[], want (s32[]) -> s32[]"
            + " as the entry",
        () -> HloProtos.readModule(wrong));
  }

  private static void readLiteral(String hex) {
    HloProtos.readLiteral(hex(hex));
  }

  @Test
  void literalsWithTooFewElementsAreRefused() {
    assertRefused(
        "proto: at byte 14: u8s got 1 values, want 1099511627776 for u8[1048576,1048576]",
        () -> HloProtos.readLiteral(hex("0a0a 1006 1a06 808040 808040 1a01 07")));
    assertRefused(
        "proto: at byte 0: got a literal without a shape, want one",
        () -> HloProtos.readLiteral(hex("1a01 07")));
  }

  /** HLO text and fields of bytes hold any bytes; strings of protocol buffers are UTF-8. */
  @Test
  void stringsOfOtherBytesAreRefused() {
    String negate = "ENTRY e { a = f32[] parameter(0) ROOT r = f32[] negate(a), ";
    HloModule module = Parser.parse(negate + "metadata={op_name=\"\\377x\"} }");
    HloException refusal = assertThrows(HloException.class, () -> HloProtos.writeModule(module));
    assertThat(refusal.summary())
        .isEqualTo(
            "proto: op_name got bytes that are no UTF-8, which a string of a protocol buffer"
                + " cannot hold");
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.UNSUPPORTED);
    String config = "backend_config=\"\\377x\"";
    assertTextRoundTrips(negate + config + " }");
    assertThat(Printer.print(Parser.parse(negate + config + " }"))).contains(config);
  }

  /**
   * TensorFlow leaves them out of large constants of optimized HLO: they are as {...} in text. What
   * is no constant has all its elements.
   */
  @Test
  void constantsWithoutElements() {
    byte[] empty =
        HloProtos.writeModule(
            Parser.parse("HloModule m ENTRY e { ROOT c = (f32[0], s8[0]) constant(({}, {})) }"));
    String dimension = "1a0100";
    byte[] elided = hex(hex(empty).replace(dimension, "1a0103"));
    assertThat(Printer.print(HloProtos.readModule(elided)))
        .contains("ROOT %c = (f32[3]{0}, s8[3]{0}) constant(( {...}, {...} ))\n");
    assertRefused(
        "proto: at byte 0: f32s got 0 values, want 3 for f32[3]",
        () -> HloProtos.readLiteral(hex("0a05 100b 1a01 03")));
  }

  /** XLA refuses the same buffers; the shape of a literal cannot be a buffer at all. */
  @Test
  void buffersHoldExactlyOneArray() {
    assertRefused(
        "proto: at byte 2 in shape: tuple_shapes of a buffer got [], want one array",
        () -> HloProtos.readLiteral(hex("0a02 1022")));
    assertRefused(
        "proto: at byte 10 in shape: tuple_shapes of a buffer got [f32[], f32[]], want one array",
        () -> HloProtos.readLiteral(hex("0a0a 1022 2202100b 2202100b")));
    assertRefused(
        "proto: at byte 6 in shape: tuple_shapes of a buffer got [token[]], want one array",
        () -> HloProtos.readLiteral(hex("0a06 1022 22021011")));
    assertRefused(
        "proto: at byte 0: got a literal of shape b(f32[]), want an array or a tuple",
        () -> HloProtos.readLiteral(hex("0a06 1022 2202100b")));
  }

  /** Each level is a tuple of the next one. */
  @Test
  void deepNestingIsRefused() {
    byte[] shape = hex("100b");
    for (int i = 0; i < 2000; i++) {
      ProtoBuilder tuple = ProtoBuilder.of("ShapeProto").put("element_type", 13);
      shape = tuple.putBytes("tuple_shapes", shape).toBytes();
    }
    byte[] literal = ProtoBuilder.of("LiteralProto").putBytes("shape", shape).toBytes();
    HloException refusal = assertThrows(HloException.class, () -> HloProtos.readLiteral(literal));
    assertThat(refusal).hasMessageThat().startsWith("proto: at byte ");
    assertThat(refusal).hasMessageThat().contains("messages nested deeper than 500, want fewer");
  }
}
