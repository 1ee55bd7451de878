package org.hlo4j.hlo.file;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Long layouts, names and files, and sizes that exceed the data present. */
final class UnboundedInputTest {
  private static final int MANY = 20_000;

  private static HloModule throughProto(String text) {
    return HloProtos.readModule(HloProtos.writeModule(Parser.parse(text)));
  }

  private static String entry(String shape) {
    return "HloModule m\n\nENTRY e {\n  ROOT p = " + shape + " parameter(0)\n}\n";
  }

  @Test
  void longLayoutsRoundTrip() {
    for (String details : new String[] {"T" + "(2)".repeat(MANY), "SC" + "(0:1)".repeat(MANY)}) {
      HloModule module = throughProto(entry("f32[2]{0:" + details + "}"));
      assertThat(module.entry().root().shape().toString()).isEqualTo("f32[2]{0:" + details + "}");
    }
  }

  @Test
  void deeplyNestedLayoutsAreRefused() {
    String shape = "(".repeat(MANY) + ")".repeat(MANY);
    HloException refusal =
        assertThrows(HloException.class, () -> Parser.parse(entry("f32[2]{0:P(" + shape + ")}")));
    assertThat(refusal).hasMessageThat().contains("nested more than");
  }

  @Test
  void longFileNamesRoundTrip() {
    String name = "x\\n".repeat(MANY);
    String text =
        "HloModule m\n\nFileNames\n1 \""
            + name
            + "\"\n\nFunctionNames\n1 \"f\"\n\nENTRY e {\n"
            + "  ROOT p = f32[] parameter(0)\n}\n";
    assertThat(Printer.print(throughProto(text))).contains(name);
  }

  @Test
  void elidedConstantsAllocateNoStorage() {
    HloModule module =
        throughProto("HloModule m\nENTRY e { ROOT r = f32[1000000,2000] constant({...}) }");
    Literal literal = ((Constant) module.entry().root().op()).literal();
    assertThat(literal.isElided()).isTrue();
    assertThat(Printer.print(module)).contains("ROOT %r = f32[1000000,2000]{1,0} constant({...})");
    assertRefused(
        "proto: literal got f32[1000000,2000] whose elements were left out, written {...}, want"
            + " them",
        () -> HloProtos.writeLiteral(literal));
  }

  @Test
  void elidedConstantsInTuples() {
    String tuple = "HloModule m\nENTRY e { ROOT r = (f32[], s32[2]) constant(%s) }";
    HloModule module = throughProto(tuple.formatted("{...}"));
    assertThat(Printer.print(module)).contains("constant(( {...}, {...} ))");
    assertRefused(
        "proto: literal got s32[2] whose elements were left out, written {...}, want them",
        () -> throughProto(tuple.formatted("( 1, {...} )")));
  }

  /** Gives as many zeros as it is asked for at once, where a device takes seconds. */
  @Test
  void endlessStreamsAreRefused() {
    InputStream zeros =
        new InputStream() {
          @Override
          public int read() {
            return 0;
          }

          @Override
          public byte[] readNBytes(int count) {
            return new byte[count];
          }
        };
    HloException refusal = assertThrows(HloException.class, () -> HloProtos.readAll(zeros));
    assertThat(refusal)
        .hasMessageThat()
        .matches("file: got more than \\d+ bytes, want a larger -Xmx");
  }

  @Test
  @Tag("nightly")
  void endlessDevicesAreRefused() {
    Path zeros = Path.of("/dev/zero");
    assumeTrue(Files.exists(zeros));
    HloException refusal = assertThrows(HloException.class, () -> HloFiles.readAll(zeros));
    assertThat(refusal).hasMessageThat().startsWith("file: ");
    HloException noArray = assertThrows(HloException.class, () -> Npy.read(zeros));
    assertThat(noArray).hasMessageThat().contains("npy: got other first bytes");
  }

  @Test
  void filesReportingSizeZeroAreRead() throws IOException {
    Path status = Path.of("/proc/self/status");
    assumeTrue(Files.exists(status));
    assertThat(new String(HloFiles.readAll(status), StandardCharsets.UTF_8)).contains("Name:");
  }

  @Test
  void directoriesThrowIoException() {
    assertThrows(IOException.class, () -> HloFiles.readAll(Path.of(".")));
  }

  /**
   * The header declares 2,000,000,000 elements, but the data has one; the rest is not allocated.
   */
  @Test
  void truncatedArraysAreRefused() {
    String header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000,), }\n";
    byte[] bytes =
        ("\u0093NUMPY\1\0" + (char) header.length() + "\0" + header + "12345678")
            .getBytes(StandardCharsets.ISO_8859_1);
    InputStream in = new ByteArrayInputStream(bytes);
    assertRefused("npy: the data got cut short, want the whole array", () -> Npy.read(in));
  }
}
