package org.hlo4j.hlo.proto;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/** Strings of bytes that are no UTF-8: HLO text and fields of bytes hold them, others do not. */
final class StringsTest {
  private static HloModule negateWith(String attribute) {
    return Parser.parse(
        "ENTRY e { a = f32[] parameter(0) ROOT r = f32[] negate(a), " + attribute + " }");
  }

  @Test
  void namesAreRefused() {
    HloException refusal =
        assertThrows(
            HloException.class,
            () -> HloProtos.writeModule(negateWith("metadata={op_name=\"\\377x\"}")));
    assertThat(refusal.summary())
        .isEqualTo(
            "proto: op_name got bytes that are no UTF-8, which a string of a protocol buffer"
                + " cannot hold");
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.UNSUPPORTED);
  }

  @Test
  void configurationsAreBytes() {
    HloModule module = negateWith("backend_config=\"\\377x\"");
    HloModule again = HloProtos.readModule(HloProtos.writeModule(module));
    assertThat(Printer.print(again)).isEqualTo(Printer.print(module));
    assertThat(Printer.print(again)).contains("backend_config=\"\\377x\"");
  }
}
