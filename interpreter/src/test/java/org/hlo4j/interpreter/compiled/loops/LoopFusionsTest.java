package org.hlo4j.interpreter.compiled.loops;

import java.util.List;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fusions compiled to loops. Each row is a fused computation, which must give the bits of the
 * reference.
 */
class LoopFusionsTest {
  /**
   * {@return a module of one fusion of the given body, whose parameters are those of the module}
   */
  static HloModule fusion(String body) {
    String lines = body.replace(";", "\n  ");
    StringBuilder parameters = new StringBuilder();
    StringBuilder names = new StringBuilder();
    for (String line : lines.lines().toList()) {
      if (line.contains(" parameter(")) {
        parameters.append("  ").append(line.strip()).append('\n');
        names.append(names.isEmpty() ? "" : ", ").append(firstWord(line.strip()));
      }
    }
    String last = lines.lines().reduce("", (a, b) -> b.isBlank() ? a : b).strip();
    String shape = last.replaceFirst("^ROOT \\S+ = ", "");
    shape = shape.startsWith("(") ? shape.substring(0, shape.indexOf(')') + 1) : firstWord(shape);
    return Parser.parse(
        "HloModule test\n\nfused {\n  "
            + lines
            + "\n}\n\nENTRY main {\n"
            + parameters
            + "  ROOT result = "
            + shape
            + " fusion("
            + names
            + "), kind=kLoop, calls=fused\n}\n");
  }

  private static String firstWord(String text) {
    return text.substring(0, text.indexOf(' '));
  }

  static final KernelTester TESTER =
      new KernelTester(
          root -> Loops.kernel(root, true),
          KernelTester.Values.ALL_MAGNITUDES,
          kernel ->
              ((LoopKernel) kernel)
                  .nests()
                  .forEach(piece -> piece.stages().forEach(stage -> stage.body().prepare())));

  static void check(HloModule module, long seed) {
    TESTER.check(module, TESTER.arguments(module, seed));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 13, 16, 257, 70_001})
  void multiplyAndAdd(int n) {
    String f = "f32[" + n + "]";
    check(
        fusion(
            "x = F parameter(0);y = F parameter(1);z = F parameter(2);".replace("F", f)
                + "m = F multiply(x, y);ROOT r = F add(m, z)".replace("F", f)),
        n);
  }

  /** A stage writes to the workspace that it reads, so that no element may be computed again. */
  @ParameterizedTest
  @ValueSource(ints = {13, 5003})
  void stagesThatWriteWhatTheyRead(int n) {
    String chain =
        "x = F parameter(0);e = F tanh(x);t = F cosine(e);c = F sine(t);s = F tanh(c);"
            + "l = F sine(s);ROOT p = F add(l, e)";
    HloModule module = fusion(chain.replace("F", "f32[" + n + "]"));
    TESTER.check(KernelTester.ulps(32), module, TESTER.arguments(module, n));
  }

  /**
   * Two ops keep the bits of a NaN; the others, whether they round or not, give one and the same.
   */
  private static final String[] SIGNS = {
    "negate(m)",
    "abs(m)",
    "floor(m)",
    "ceil(m)",
    "sign(m)",
    "round-nearest-even(m)",
    "convert(m)",
    "add(m, m)",
    "maximum(m, m)",
    "clamp(m, m, m)"
  };

  @ParameterizedTest
  @CsvSource({"f64, u64", "f32, u32", "f16, u16", "bf16, u16", "f8e5m2, u8", "f8e4m3fn, u8"})
  void signsOfNaN(String type, String bits) {
    for (String op : Nightly.some(3, type, List.of(SIGNS))) {
      String body =
          ("x = T[257] parameter(0);m = T[257] negate(x);n = T[257] O;"
                  + "ROOT r = B[257] bitcast-convert(n)")
              .replace("O;", op + ";")
              .replace("T[", type + "[")
              .replace("B[", bits + "[");
      check(fusion(body), 3);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "f64, u64, -nan", "f64, u64, nan(0x8000000000001)", "f32, u32, -nan", "f32, u32, nan(0x400001)",
    "f16, u16, -nan", "f16, u16, nan(0x201)", "bf16, u16, -nan", "f8e5m2, u8, -nan",
    "f8e4m3fn, u8, -nan"
  })
  void bitsOfConstantNaNs(String type, String bits, String nan) {
    String body =
        ("x = T[257] parameter(0);c = T[] constant(NAN);k = T[257] broadcast(c), dimensions={};"
                + "p = pred[257] compare(x, x), direction=NE;n = T[257] select(p, k, x);"
                + "ROOT r = B[257] bitcast-convert(n)")
            .replace("NAN", nan)
            .replace("T[", type + "[")
            .replace("B[", bits + "[");
    check(fusion(body), 3);
  }

  /** Constants that are equal numbers, as all NaNs are, but not equal bits. */
  @ParameterizedTest
  @CsvSource({
    "f64, u64, nan, nan(0x8000000000001)",
    "f32, u32, nan(0x400123), nan(0x400456)",
    "f32, u32, nan, -nan",
    "f32, u32, nan(0x1), nan(0x2)",
    "f32, u32, 0, -0",
    "f16, u16, nan(0x201), nan(0x202)",
    "bf16, u16, nan(0x43), -nan(0x43)",
    "f8e5m2, u8, nan, -nan",
    "f8e4m3fn, u8, nan, -nan"
  })
  void twoConstantsInALoop(String type, String bits, String one, String other) {
    String body =
        ("x = T[257] parameter(0);y = T[257] parameter(1);c = T[] constant(ONE);k = T[257]"
             + " broadcast(c), dimensions={};d = T[] constant(OTHER);l = T[257] broadcast(d),"
             + " dimensions={};p = pred[257] compare(x, x), direction=NE;q = pred[257] compare(x,"
             + " y), direction=LT;m = T[257] select(q, k, x);n = T[257] select(p, l, m);ROOT r ="
             + " B[257] bitcast-convert(n)")
            .replace("ONE", one)
            .replace("OTHER", other)
            .replace("T[", type + "[")
            .replace("B[", bits + "[");
    check(fusion(body), 3);
  }

  /** More elements than a strip or a vector has; without vectors, loops are split. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x = f32[N] parameter(0);z = f32[] constant(0);"
            + "b = f32[N] broadcast(z), dimensions={};p = pred[N] compare(x, b), direction=GT;"
            + "y = f32[N] add(x, x);ROOT r = f32[N] select(p, x, y)",
        "x = f32[N] parameter(0);y = f32[N] reverse(x), dimensions={0};"
            + "p = pred[N] compare(x, y), direction=LE;ROOT r = f32[N] select(p, x, y)",
        "x = f64[3900] parameter(0);y = f64[N] slice(x), slice={[0:3900:3]};"
            + "p = pred[N] compare(y, y), direction=EQ;i = s32[N] iota(), iota_dimension=0;"
            + "f = f64[N] convert(i);ROOT r = f64[N] select(p, f, y)",
        "x = s32[N] parameter(0);i = s32[N] iota(), iota_dimension=0;"
            + "p = pred[N] compare(i, x), direction=GE;ROOT r = s32[N] select(p, i, x)",
        "x = u32[N] parameter(0);y = u32[N] parameter(1);"
            + "p = pred[N] compare(x, y), direction=LT;m = u32[N] maximum(x, y);"
            + "q = u32[N] select(p, y, m);c = u32[N] popcnt(q);ROOT d = u32[N] divide(q, c)",
        "x = u64[N] parameter(0);y = u64[N] parameter(1);"
            + "p = pred[N] compare(x, y), direction=GT;s = u64[N] select(p, x, y);"
            + "ROOT m = u64[N] minimum(s, y)",
        "x = s64[N] parameter(0);y = s64[N] parameter(1);"
            + "p = pred[N] compare(x, y), direction=NE;q = pred[N] compare(x, y), direction=LT;"
            + "a = pred[N] and(p, q);ROOT r = s64[N] select(a, x, y)",
        "x = f32[N] parameter(0);y = f32[N] parameter(1);"
            + "p = pred[N] compare(x, y), direction=GE;q = pred[N] compare(x, y), direction=NE;"
            + "ROOT r = pred[N] xor(p, q)",
        "x = u8[N] parameter(0);y = s8[N] parameter(1);c = u8[N] convert(y);"
            + "m = u8[N] maximum(x, c);ROOT t = (u8[N], s8[N]) tuple(m, y)",
        "x = bf16[N] parameter(0);y = bf16[N] parameter(1);a = bf16[N] add(x, y);"
            + "ROOT m = bf16[N] multiply(a, y)",
        "x = f16[N] parameter(0);y = f16[N] parameter(1);a = f16[N] add(x, y);"
            + "ROOT m = f16[N] maximum(a, y)",
        "x = f32[3,N] parameter(0);y = f32[3] parameter(1);z = f32[N] parameter(2);"
            + "b = f32[3,N] broadcast(y), dimensions={0};"
            + "c = f32[3,N] broadcast(z), dimensions={1};"
            + "p = pred[3,N] compare(x, b), direction=LT;s = f32[3,N] select(p, c, b);"
            + "ROOT t = (f32[3,N], f32[3,N], pred[3,N]) tuple(s, b, p)",
        "x = f32[N] parameter(0);f = f32[N] floor(x);s = f32[N] sign(x);"
            + "c = s32[N] convert(f);d = f64[N] convert(s);e = f64[N] convert(c);"
            + "ROOT a = f64[N] add(d, e)"
      })
  void comparesAndSelects(String body) {
    check(fusion(body.replace("N]", "1300]")), 5);
  }

  /** Every other element, up to the last one of the array, and elements in reverse order. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "u64", "s8", "u16", "bf16", "f16", "f8e5m2", "pred"})
  void stridedOperands(String type) {
    for (int n : Nightly.some(4, type, List.of(1, 16, 33, 257))) {
      String body =
          "x = T[M] parameter(0);y = T[N] slice(x), slice={[0:M:2]};"
              + "z = T[N] slice(x), slice={[1:M:2]};b = T[N] reverse(z), dimensions={0};"
              + "p = pred[N] compare(y, b), direction=EQ;ROOT r = T[N] select(p, z, b)";
      check(
          fusion(
              body.replace("M", "" + 2 * n)
                  .replace("[N]", "[" + n + "]")
                  .replace("T[", type + "[")),
          n);
    }
  }

  /** Both parts of a complex result are stored by the stage that computes the last of them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ROOT r = T[N] complex(p, q)",
        "CHAIN;ROOT r = T[N] complex(p, t)",
        "CHAIN;ROOT r = T[N] complex(t, p)",
        "v = P[N] reverse(p), dimensions={0};ROOT r = T[N] complex(q, v)",
        "w = P[N] add(p, q);ROOT r = T[N] complex(w, w)"
      })
  void complexResults(String result) {
    StringBuilder chain = new StringBuilder("t0 = P[N] add(q, q)");
    for (int i = 0; i < 20; i++) {
      chain.append(";t%d = P[N] reduce-precision(t%d)".formatted(i + 1, i));
      chain.append(", exponent_bits=8, mantissa_bits=%d".formatted(21 - i));
    }
    for (int n : new int[] {5, 64, 2_085}) {
      String body =
          "x = T[N] parameter(0);y = T[N] parameter(1);a = P[N] real(x);b = P[N] imag(x);"
              + "c = P[N] real(y);d = P[N] imag(y);k = P[N] multiply(a, c);l = P[N] multiply(b, d);"
              + "p = P[N] subtract(k, l);m = P[N] multiply(a, d);o = P[N] multiply(b, c);"
              + "q = P[N] add(m, o);"
              + result.replace("CHAIN", chain + ";t = P[N] negate(t20)");
      String sized = body.replace("[N]", "[" + n + "]");
      check(fusion(sized.replace("T[", "c64[").replace("P[", "f32[")), n);
      check(fusion(sized.replace("T[", "c128[").replace("P[", "f64[")), n);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 13, 16, 257, 70_001})
  void realAndImaginaryParts(int n) {
    check(
        fusion(
            ("z = c64[N] parameter(0);w = c64[N] parameter(1);a = f32[N] real(z);"
                    + "b = f32[N] imag(w);s = f32[N] add(a, b);e = f32[N] negate(b);"
                    + "c = c64[N] complex(s, e);ROOT t = (c64[N], f32[N]) tuple(c, s)")
                .replace("N", "" + n)),
        n);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "z = c64[5,7] parameter(0);t = c64[7,5] transpose(z), dimensions={1,0};a = f32[7,5]"
            + " real(t);b = f32[7,5] imag(t);ROOT c = c64[7,5] complex(b, a)",
        "z = c128[5] parameter(0);s = c128[3] slice(z), slice={[1:4]};a = f64[3] imag(s);"
            + "ROOT m = f64[3] multiply(a, a)",
        "z = c64[4] parameter(0);k = c64[] constant((1, -2));p = c64[6] pad(z, k), padding=1_1;"
            + "a = f32[6] real(p);b = f32[6] imag(p);ROOT c = c64[6] complex(b, a)",
        "z = c64[4] parameter(0);b = c64[3,4] broadcast(z), dimensions={1};a = f32[3,4] imag(b);"
            + "ROOT n = f32[3,4] negate(a)",
        "z = c64[4] parameter(0);k = c64[4] constant({(1,2), (3,4), (5,6), (7,8)});a = f32[4]"
            + " imag(k);b = f32[4] real(z);ROOT n = f32[4] multiply(a, b)"
      })
  void movementOfComplexNumbers(String body) {
    check(fusion(body), 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x = f32[5,7] parameter(0);b = f32[7] parameter(1);c = f32[5,7] broadcast(b),"
            + " dimensions={1};ROOT r = f32[5,7] add(x, c)",
        "x = f32[5,37] parameter(0);b = f32[5] parameter(1);c = f32[5,37] broadcast(b),"
            + " dimensions={0};ROOT r = f32[5,37] multiply(x, c)",
        "x = f32[5,37] parameter(0);b = f32[] parameter(1);c = f32[5,37] broadcast(b),"
            + " dimensions={};ROOT r = f32[5,37] multiply(x, c)",
        "x = f32[37,5] parameter(0);t = f32[5,37] transpose(x), dimensions={1,0};y = f32[5,37]"
            + " parameter(1);ROOT r = f32[5,37] add(t, y)",
        "x = f32[70,50] parameter(0);t = f32[50,70] transpose(x), dimensions={1,0};y = f32[50,70]"
            + " parameter(1);ROOT r = f32[50,70] add(t, y)",
        "x = f32[3,70,50] parameter(0);t = f32[3,50,70] transpose(x), dimensions={0,2,1};e ="
            + " f32[3,50,70] negate(t);ROOT r = f32[3,50,70] add(t, e)",
        "x = f32[4,3,5,7] parameter(0);t = f32[5,4,7,3] transpose(x), dimensions={2,0,3,1};ROOT r ="
            + " f32[5,4,7,3] add(t, t)",
        "x = f32[100] parameter(0);s = f32[33] slice(x), slice={[1:100:3]};ROOT r = f32[33] add(s,"
            + " s)",
        "x = f32[10,20] parameter(0);s = f32[4,15] slice(x), slice={[2:6], [3:18]};y = f32[4,15]"
            + " parameter(1);ROOT r = f32[4,15] add(s, y)",
        "x = f32[33,3] parameter(0);s = f32[33,3] reverse(x), dimensions={0};ROOT r = f32[33,3]"
            + " add(s, x)",
        "x = f32[3,33] parameter(0);s = f32[3,33] reverse(x), dimensions={0,1};ROOT r = f32[3,33]"
            + " add(s, x)",
        "x = f32[6,4] parameter(0);s = f32[24] reshape(x);y = f32[24] parameter(1);ROOT r = f32[24]"
            + " add(s, y)",
        "b = f32[4] parameter(0);x = f32[6,4] broadcast(b), dimensions={1};s = f32[3,8]"
            + " reshape(x);y = f32[3,8] parameter(1);ROOT r = f32[3,8] add(s, y)",
        "b = f32[6] parameter(0);x = f32[6,4] broadcast(b), dimensions={0};s = f32[24] reshape(x);t"
            + " = f32[24] reverse(s), dimensions={0};y = f32[24] parameter(1);ROOT r = f32[24]"
            + " add(t, y)",
        "x = f32[5,6] parameter(0);s = f32[5,6] add(x, x);z = f32[] constant(-1);ROOT r = f32[9,20]"
            + " pad(s, z), padding=1_3x2_12",
        "x = f32[5,6] parameter(0);s = f32[5,6] add(x, x);z = f32[] parameter(1);ROOT r = f32[9,14]"
            + " pad(s, z), padding=0_0_1x2_-4_2",
        "x = f32[5,6] parameter(0);z = f32[] parameter(1);ROOT r = f32[3,4] pad(x, z),"
            + " padding=-1_-1x-2_0",
        "x = f32[3,20] parameter(0);y = f32[2,20] parameter(1);c = f32[5,20] concatenate(x, y),"
            + " dimensions={0};ROOT r = f32[5,20] add(c, c)",
        "x = f32[3,20] parameter(0);y = f32[3,17] parameter(1);w = f32[3,0] parameter(2);c ="
            + " f32[3,57] concatenate(x, w, y, x), dimensions={1};ROOT r = f32[3,57] add(c, c)",
        "x = f32[10,20] parameter(0);i = s32[] parameter(1);j = s32[] parameter(2);c = f32[3,18]"
            + " dynamic-slice(x, i, j), dynamic_slice_sizes={3,18};ROOT r = f32[3,18] add(c, c)",
        "x = f32[10] parameter(0);i = u64[] parameter(1);c = f32[3] dynamic-slice(x, i),"
            + " dynamic_slice_sizes={3};ROOT r = f32[3] add(c, c)",
        "x = f32[10] parameter(0);i = s32[] parameter(1);j = s32[] parameter(2);k = s32[]"
            + " multiply(i, j);c = f32[3] dynamic-slice(x, k), dynamic_slice_sizes={3};ROOT r ="
            + " f32[3] add(c, c)",
        "x = f32[10,6] parameter(0);v = s32[2] parameter(1);w = s32[2] add(v, v);c = f32[3,4]"
            + " dynamic-slice(x, w), dynamic_slice_sizes={3,4};ROOT r = f32[3,4] add(c, c)",
        "i = s32[5,40] iota(), iota_dimension=1;x = s32[5,40] parameter(0);ROOT r = s32[5,40]"
            + " add(i, x)",
        "i = s32[5,40] iota(), iota_dimension=0;x = s32[5,40] parameter(0);ROOT r = s32[5,40]"
            + " add(i, x)",
        "i = f32[257] iota(), iota_dimension=0;v = f32[257] reverse(i), dimensions={0};x = f32[257]"
            + " parameter(0);ROOT r = f32[257] add(v, x)",
        "x = f32[3,4] parameter(0);c = f32[3,4] constant({{1,2,3,4},{5,6,7,8},{9,10,11,12}});ROOT r"
            + " = f32[3,4] multiply(x, c)",
        "x = f32[40] parameter(0);y = f32[40] parameter(1);a = f32[40] add(x, y);m = f32[40]"
            + " multiply(x, y);ROOT t = (f32[40], f32[40]) tuple(a, m)",
        "x = f32[40] parameter(0);y = s32[8,5] parameter(1);a = f32[40] add(x, x);m = s32[8,5]"
            + " add(y, y);ROOT t = (f32[40], s32[8,5]) tuple(a, m)",
        "x = f32[3,1,5,1] parameter(0);r0 = f32[1,3,5] reshape(x);ROOT r = f32[1,3,5] add(r0, r0)",
        "x = f32[] parameter(0);y = f32[] parameter(1);ROOT r = f32[] add(x, y)",
        "x = f32[2,3,130] parameter(0);b = f32[2,130] parameter(1);c = f32[2,3,130] broadcast(b),"
            + " dimensions={0,2};ROOT r = f32[2,3,130] add(x, c)",
      })
  void movementOps(String body) {
    for (int seed = 0; seed < (Nightly.isOn() ? 4 : 1); seed++) {
      check(fusion(body), seed);
    }
  }
}
