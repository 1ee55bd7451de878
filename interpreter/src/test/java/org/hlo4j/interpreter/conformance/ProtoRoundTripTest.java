package org.hlo4j.interpreter.conformance;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.Arrays;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.UnknownFields;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** A module of every op comes through XLA's protocol buffers whole. */
final class ProtoRoundTripTest {
  @TestFactory
  Stream<DynamicTest> structuredOps() {
    return CoverageTest.examples().entrySet().stream()
        .map(row ->
            dynamicTest(
                row.getKey().getSimpleName(),
                () -> assertComesThrough(row.getValue().module().get())));
  }

  @TestFactory
  Stream<DynamicTest> elementwiseOps() {
    return Arrays.stream(Elementwise.Kind.values())
        .map(kind ->
            dynamicTest(kind.mnemonic(), () -> assertComesThrough(CoverageTest.module(kind))));
  }

  private static void assertComesThrough(HloModule module) {
    byte[] bytes = HloProtos.writeModule(module);
    HloModule read = HloProtos.readModule(bytes);
    Verifier.strict().verify(read);
    assertThat(withoutLayout(Printer.print(read))).isEqualTo(withoutLayout(Printer.print(module)));
    assertThat(read.entry().root().op()).isEqualTo(module.entry().root().op());
    assertThat(HloProtos.writeModule(read)).isEqualTo(bytes);
    assertThat(read.entry().instructions().stream().map(ProtoRoundTripTest::withoutId).distinct())
        .containsExactly(UnknownFields.NONE);
  }

  /** The id is the one field that hlo4j does not interpret and keeps. */
  private static UnknownFields withoutId(HloInstruction instruction) {
    byte[] fields = instruction.unknownFields().toBytes();
    boolean isId = fields.length > 2 && fields[0] == (byte) 0x98 && fields[1] == 0x02;
    return isId && fields.length <= 4 ? UnknownFields.NONE : instruction.unknownFields();
  }

  /** The header says the layout of the entry only once it was read or written. */
  private static String withoutLayout(String text) {
    return text.substring(text.indexOf('\n'));
  }
}
