package org.hlo4j.hlo.npy;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.io.BaseEncoding;
import com.google.common.primitives.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NpyTest {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

  /** Returns a file as NumPy writes it, from data in hexadecimal. */
  private static byte[] npy(int version, String header, String data) {
    byte[] text = (header + "\n").getBytes(StandardCharsets.UTF_8);
    ByteBuffer length = ByteBuffer.allocate(version == 1 ? 2 : 4).order(ByteOrder.LITTLE_ENDIAN);
    if (version == 1) {
      length.putShort((short) text.length);
    } else {
      length.putInt(text.length);
    }
    byte[] bytes = BaseEncoding.base16().lowerCase().decode(data.replace(" ", ""));
    return Bytes.concat(MAGIC, new byte[] {(byte) version, 0}, length.array(), text, bytes);
  }

  private static String header(String descr, boolean fortran, String shape) {
    return String.format(
        "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
        descr, fortran ? "True" : "False", shape);
  }

  private static Literal read(byte[] bytes) throws IOException {
    return Npy.read(new ByteArrayInputStream(bytes));
  }

  private static Literal read(String descr, String shape, String data) throws IOException {
    return read(npy(1, header(descr, false, shape), data));
  }

  private static void assertHeaderRefused(String message, String header) {
    assertRefused(message, () -> read(npy(1, header, "00")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          |b1  ; 01 00                               ; pred[2] {1, 0}
          <i1  ; ff 7f                               ; s8[2] {-1, 127}
          <i2  ; feff 0080                           ; s16[2] {-2, -32768}
          <i4  ; feffffff 01000000                   ; s32[2] {-2, 1}
          <i8  ; feffffffffffffff 0100000000000000   ; s64[2] {-2, 1}
          |u1  ; ff 00                               ; u8[2] {255, 0}
          <u2  ; ffff 0100                           ; u16[2] {65535, 1}
          <u4  ; ffffffff 01000000                   ; u32[2] {4294967295, 1}
          <u8  ; ffffffffffffffff 0100000000000000   ; u64[2] {18446744073709551615, 1}
          <f2  ; 003c 00fc                           ; f16[2] {1, -inf}
          <f4  ; 0000803f 00000080                   ; f32[2] {1, -0.0}
          <f8  ; 000000000000f03f 9a9999999999b93f   ; f64[2] {1, 0.1}
          >i2  ; fffe 0001                           ; s16[2] {-2, 1}
          >f4  ; 3f800000 7fc00001                   ; f32[2] {1, nan(0x400001)}
          >f8  ; 3ff0000000000000 bff0000000000000   ; f64[2] {1, -1}
          =u2  ; ffff 0100                           ; u16[2] {65535, 1}
          <c8  ; 0000803f00000040 0000000000000000   ; c64[2] {(1, 2), (0, 0)}
          >c8  ; 3f80000040000000 0000000000000000   ; c64[2] {(1, 2), (0, 0)}
          """)
  void readsEveryType(String descr, String data, String literal) throws IOException {
    assertThat(read(descr, "(2,)", data).toString()).isEqualTo(literal);
  }

  /** The bytes that ml_dtypes 0.6 stores for 1, -1, and 0.5 or 0. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          bf16          ; <V2 ; 803f 80bf 003f ; {1, -1, 0.5}
          f8e3m4        ; <V1 ; 30 b0 20       ; {1, -1, 0.5}
          f8e4m3        ; <V1 ; 38 b8 30       ; {1, -1, 0.5}
          f8e4m3fn      ; <V1 ; 38 b8 30       ; {1, -1, 0.5}
          f8e4m3b11fnuz ; <V1 ; 58 d8 50       ; {1, -1, 0.5}
          f8e4m3fnuz    ; <V1 ; 40 c0 38       ; {1, -1, 0.5}
          f8e5m2        ; <V1 ; 3c bc 38       ; {1, -1, 0.5}
          f8e5m2        ; <f1 ; 3c bc 38       ; {1, -1, 0.5}
          f8e5m2fnuz    ; <V1 ; 40 c0 3c       ; {1, -1, 0.5}
          f8e8m0fnu     ; <V1 ; 7f 7f 7e       ; {1, 1, 0.5}
          f4e2m1fn      ; <V1 ; 02 0a 01       ; {1, -1, 0.5}
          s4            ; <V1 ; 01 0f 00       ; {1, -1, 0}
          u4            ; <V1 ; 01 0f 00       ; {1, 15, 0}
          s2            ; <V1 ; 01 03 00       ; {1, -1, 0}
          u2            ; <V1 ; 01 03 00       ; {1, 3, 0}
          u1            ; <V1 ; 01 00 01       ; {1, 0, 1}
          """)
  void readsAndWritesTypesOfMlDtypes(String type, String descr, String data, String elements)
      throws IOException {
    byte[] file = npy(1, header(descr, false, "(3,)"), data);
    Literal array = Npy.read(new ByteArrayInputStream(file), ElementType.named(type).orElseThrow());
    assertThat(array.toString()).isEqualTo(type + "[3] " + elements);
    byte[] written = written(array);
    assertThat(BaseEncoding.base16().lowerCase().encode(written).substring(256))
        .isEqualTo(data.replace(" ", ""));
    assertThat(Npy.read(new ByteArrayInputStream(written), array.elementType())).isEqualTo(array);
  }

  private static byte[] written(Literal array) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Npy.write(out, array);
    return out.toByteArray();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          pred[2] {1, 0}           ; |b1 ; (2,)   ; 0100
          s8[] -1                  ; |i1 ; ()     ; ff
          s64[1,2] {{1, -2}}       ; <i8  ; (1, 2) ; 0100000000000000feffffffffffffff
          u16[0,3] {}              ; <u2  ; (0, 3) ; ''
          f16[1] {1}               ; <f2  ; (1,)   ; 003c
          f64[1] {-0.0}            ; <f8  ; (1,)   ; 0000000000000080
          c64[1] {(1, 2)}          ; <c8  ; (1,)   ; 0000803f00000040
          bf16[1] {1}              ; <V2  ; (1,)   ; 803f
          """)
  void writesAsNumPyDoes(String literal, String descr, String shape, String data)
      throws IOException {
    byte[] written = written(Parser.parseLiteral(literal));
    String header = header(descr, false, shape);
    assertThat(new String(written, 10, 118, StandardCharsets.US_ASCII))
        .isEqualTo(header + " ".repeat(117 - header.length()) + "\n");
    assertThat(written[8] + 10).isEqualTo(128);
    assertThat(BaseEncoding.base16().lowerCase().encode(written).substring(256)).isEqualTo(data);
    assertThat(read(written)).isEqualTo(Parser.parseLiteral(literal));
  }

  @Test
  void requestedTypeAppliesToVoidsOnly() throws IOException {
    byte[] file = npy(1, header("|u1", false, "(1,)"), "07");
    assertThat(Npy.read(new ByteArrayInputStream(file), ElementType.S4).toString())
        .isEqualTo("u8[1] {7}");
    byte[] bytes = npy(1, header("|V1", false, "(1,)"), "07");
    assertRefused(
        "npy: type got V1, which stands for each type of ml_dtypes of a byte or less, want to be"
            + " told which rather than f32",
        () -> Npy.read(new ByteArrayInputStream(bytes), ElementType.F32));
  }

  @Test
  void tuplesAreRefused() {
    assertRefused(
        "literal: got (s32[]), want an array", () -> written(Literal.tuple(Literal.of(1))));
  }

  /** Memory is allocated only for the data that the file has. */
  @Test
  void filesWithTooLittleDataAreRefused(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("large.npy");
    Files.write(file, npy(1, header("<f8", false, "(2000000000,)"), "00"));
    assertRefused(
        file + ": npy: the data got cut short, want the whole array", () -> Npy.read(file));
  }

  @Test
  void readsC128() throws IOException {
    assertThat(read("<c16", "()", "000000000000f03f 0000000000000040").toString())
        .isEqualTo("c128[] (1, 2)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          {'descr': '<i4', 'fortran_order': False, 'shape': (1L,), }        ; s32[1] {-2}
          {'descr': '<i2', 'fortran_order': True, 'shape': (1L, 2L)}        ; s16[1,2] { { -2, -1 } }
          {"descr": "<i4", "fortran_order": False, "shape": (1,), }         ; s32[1] {-2}
          {"descr": '<i4', 'fortran_order': False, "shape": ( )}            ; s32[] -2
          {'shape': (1,), 'fortran_order': False, 'descr': 'i4'}            ; s32[1] {-2}
          {u'descr': u'=i4', u'fortran_order': False, u'shape': (1,)}       ; s32[1] {-2}
          { 'fortran_order' :False,'descr':'int32','shape':(1 ,) }          ; s32[1] {-2}
          {'descr': '>u4', 'fortran_order': False, 'shape': (1,)}           ; u32[1] {4278190079}
          {'descr': 'B', 'fortran_order': False, 'shape': (4,)}             ; u8[4] {254, 255, 255, 255}
          {'descr': '|?', 'fortran_order': False, 'shape': (1,)}            ; pred[1] {1}
          """)
  void readsHeadersAsNumPyDoes(String header, String literal) throws IOException {
    assertThat(read(npy(1, header + " ".repeat(7), "feffffff")).toString()).isEqualTo(literal);
    assertThat(read(npy(3, header, "feffffff")).toString()).isEqualTo(literal);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          {'descr': '<i4", 'fortran_order': False, 'shape': (1,)}  ; a plain 'descr'
          {'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)} ; a plain 'descr'
          {'descr': '<i4', 'fortran_order': Falsey, 'shape': (1,)} ; 'fortran_order'
          {'descr': '<i4', 'fortran_order': False, 'shape': (1M,)} ; 'shape'
          """)
  void otherHeadersAreRefused(String header, String what) {
    assertRefused(
        "npy: header got " + header + ", want " + what + " in it",
        () -> read(npy(1, header, "feffffff")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"(,); ,", "(1 2,); 1 2,", "(1,,); 1,,", "(1L2,); 1L2,"})
  void otherShapesAreRefused(String shape, String told) {
    assertRefused(
        "npy: shape got (" + told + "), want a tuple of sizes",
        () -> read("<i4", shape, "feffffff"));
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3"})
  void readsEveryVersion(int version) throws IOException {
    byte[] file = npy(version, header("|u1", false, "(2,)"), "07 08");
    assertThat(read(file).toString()).isEqualTo("u8[2] {7, 8}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ()      | 07       | u8[] 7
          (1,)    | 07       | u8[1] {7}
          (2, 2)  | 01020304 | u8[2,2] { { 1, 2 }, { 3, 4 } }
          (0,)    | ''       | u8[0] {}
          (2, 0)  | ''       | u8[2,0] { {}, {} }
          (0, 3)  | ''       | u8[0,3] {  }
          """)
  void readsEveryRank(String shape, String data, String literal) throws IOException {
    assertThat(read("|u1", shape, data).toString()).isEqualTo(literal);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ()         | 07                       | u8[] 7
          (3,)       | 010203                   | u8[3] {1, 2, 3}
          (2, 3)     | 010402050306             | u8[2,3] { { 1, 2, 3 }, { 4, 5, 6 } }
          (2, 1, 2)  | 01030204                 | u8[2,1,2] { { { 1, 2 } }, { { 3, 4 } } }
          (0, 3)     | ''                       | u8[0,3] {  }
          """)
  void readsFortranOrder(String shape, String data, String literal) throws IOException {
    byte[] file = npy(1, header("|u1", true, shape), data);
    assertThat(read(file).toString()).isEqualTo(literal);
  }

  @Test
  void readsToTheEndOfTheArrayOnly() throws IOException {
    byte[] file = npy(1, header("|u1", false, "(1,)"), "07");
    ByteArrayInputStream stream = new ByteArrayInputStream(Bytes.concat(file, file));
    assertThat(Npy.read(stream).toString()).isEqualTo("u8[1] {7}");
    assertThat(Npy.read(stream).toString()).isEqualTo("u8[1] {7}");
    assertThat(stream.available()).isEqualTo(0);
  }

  @Test
  void headersMayBeInAnyOrderAndSpacing() throws IOException {
    byte[] file = npy(1, "{ 'shape' :(2 , ),'fortran_order':False , 'descr' : '|u1'}   ", "0708");
    assertThat(read(file).toString()).isEqualTo("u8[2] {7, 8}");
  }

  @Test
  void nonZeroBytesAreTrue() throws IOException {
    assertThat(read("|b1", "(2,)", "02 00").toBooleans()).isEqualTo(new boolean[] {true, false});
  }

  @Test
  void truncatedFilesAreRefusedAtEveryLength() {
    byte[] file = npy(2, header("<f4", false, "(2,)"), "0000803f 00000040");
    for (int length = 0; length < file.length; length++) {
      byte[] start = Arrays.copyOf(file, length);
      assertRefused("npy: the data got cut short, want the whole array", () -> read(start));
    }
  }

  @Test
  void filesOfOtherFormatsAreRefused() {
    byte[] zip = "PK\3\4 and more".getBytes(StandardCharsets.US_ASCII);
    assertRefused("npy: got other first bytes, want \\x93NUMPY", () -> read(zip));
    byte[] version0 = npy(0, header("|u1", false, "(1,)"), "07");
    assertRefused("npy: version got 0, want 1, 2 or 3", () -> read(version0));
    byte[] version4 = npy(4, header("|u1", false, "(1,)"), "07");
    assertRefused("npy: version got 4, want 1, 2 or 3", () -> read(version4));
  }

  @Test
  void hugeHeadersAreRefusedWithoutReading() {
    byte[] lengthOnly = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, -1, -1, -1, -1};
    assertRefused("npy: header of 4294967295 bytes, want at most 65536", () -> read(lengthOnly));
  }

  @Test
  void unsupportedTypesAreRefused() {
    String want =
        ", want one of [b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, c8, c16, V2, f1] or V1";
    assertHeaderRefused("npy: type got O" + want, header("|O", false, "(1,)"));
    assertHeaderRefused("npy: type got U5" + want, header("<U5", false, "(1,)"));
    assertHeaderRefused("npy: type got V3" + want, header("|V3", false, "(1,)"));
    assertHeaderRefused(
        "npy: type got V1, which stands for each type of ml_dtypes of a byte or less, want to be"
            + " told which",
        header("<V1", false, "(1,)"));
    assertHeaderRefused("npy: type got f16" + want, header("<f16", false, "(1,)"));
  }

  @Test
  void incompleteHeadersAreRefused() {
    assertHeaderRefused(
        "npy: header got {'descr': [('x', '<f4')]}, want a plain 'descr' in it",
        "{'descr': [('x', '<f4')]}");
    assertHeaderRefused(
        "npy: header got {'descr': '<f4'}, want 'fortran_order' in it", "{'descr': '<f4'}");
    assertHeaderRefused(
        "npy: header got {'descr': '<f4', 'fortran_order': False}, want 'shape' in it",
        "{'descr': '<f4', 'fortran_order': False}");
    assertHeaderRefused(
        "npy: header got {'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }, want 'shape'"
            + " in it",
        header("<f4", false, "(-1,)"));
    assertHeaderRefused("npy: header got , want a plain 'descr' in it", "");
  }

  @Test
  void shapesThatOverflowAreRefused() {
    assertHeaderRefused(
        "npy: shape got (99999999999999999999,), want sizes below 2^63",
        header("<f4", false, "(99999999999999999999,)"));
    assertHeaderRefused(
        "shape: the element count of f32(4294967296, 4294967296) got above 2^63 - 1, want at most"
            + " that",
        header("<f4", false, "(4294967296, 4294967296)"));
    assertHeaderRefused(
        "literal: f32[65536,65536] has 4294967296 elements, want at most 2147483639",
        header("<f4", false, "(65536, 65536)"));
  }

  @Test
  void refusalsNameTheFile(@TempDir Path folder) throws IOException {
    Path good = folder.resolve("good.npy");
    Files.write(good, npy(1, header("|u1", false, "(1,)"), "07"));
    assertThat(Npy.read(good).toString()).isEqualTo("u8[1] {7}");

    Path bad = folder.resolve("bad.npy");
    Files.write(bad, new byte[] {1, 2, 3});
    HloException refusal = assertThrows(HloException.class, () -> Npy.read(bad));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(bad + ": npy: got other first bytes, want \\x93NUMPY");
    assertThrows(NoSuchFileException.class, () -> Npy.read(folder.resolve("none.npy")));
  }
}
