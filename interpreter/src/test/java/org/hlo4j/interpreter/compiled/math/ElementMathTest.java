package org.hlo4j.interpreter.compiled.math;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Loops;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The math functions against the reference evaluator in f64: f32 within 1 ulp of its rounded
 * result, f64 within 2 ulps. {@code MathAccuracy} of the benchmarks tries all f32 operands.
 */
final class ElementMathTest {
  /** Of how many samples of the nights one is tried by day. */
  private static final int FEWER = Nightly.isOn() ? 1 : 16;

  /** The step between the f32 bit patterns that are tried: a prime, or a multiple of it. */
  private static final long STEP = 65537L * FEWER;

  /** The number of operands. */
  private static final int COUNT = (1 << 16) / FEWER;

  /** The step between the pairs of operands that are tried. */
  private static final int PAIR_STEP = FEWER > 1 ? 17 : 1;

  private static final double[] SPECIAL = {
    0,
    1,
    0.5,
    2,
    0.7071067811865476,
    1e-300,
    1e-45,
    1e-40,
    1e-30,
    1e-10,
    3e-4,
    0.1,
    0.6,
    0.7,
    0.9,
    1.0042058, // atan was 2 ulps off, found by trying all f32
    1.0307972, // acosh was 2 ulps off, found by trying all f32
    1.5707963267948966,
    3.141592653589793,
    9,
    20,
    88.72283,
    88.72284,
    89.5,
    103.97208,
    104,
    131071,
    131073,
    1e10,
    3e38,
    709.78,
    709.79,
    710.4,
    710.5,
    745.13,
    745.14,
    1e22,
    1e300,
    Float.MIN_VALUE,
    Float.MIN_NORMAL,
    Float.MAX_VALUE,
    Double.MIN_VALUE,
    Double.MIN_NORMAL,
    Double.MAX_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NaN
  };

  static Stream<Arguments> unary() {
    return Arrays.stream(Elementwise.Kind.values())
        .filter(kind -> ElementMath.isKnown(kind) && kind.arity() == 1)
        .flatMap(kind -> Stream.of(Arguments.of(kind, 32), Arguments.of(kind, 64)));
  }

  @ParameterizedTest
  @MethodSource("unary")
  void closeToTheReference(Elementwise.Kind kind, int bits) {
    ElementType type = bits == 32 ? F32 : F64;
    double[] operand = bits == 32 ? floats() : doubles();
    check(kind, type, operand);
  }

  static Stream<Elementwise.Kind> binary() {
    return Arrays.stream(Elementwise.Kind.values())
        .filter(kind -> ElementMath.isKnown(kind) && kind.arity() == 2);
  }

  @ParameterizedTest
  @MethodSource("binary")
  void binaryOpsAreCloseToTheReference(Elementwise.Kind kind) {
    double[] some = DoubleStream.concat(specials(), small(200)).toArray();
    int count = some.length * some.length / PAIR_STEP / 32 * 32;
    int[] pairs = IntStream.range(0, count).map(i -> i * PAIR_STEP).toArray();
    double[] lhs = Arrays.stream(pairs).mapToDouble(i -> some[i % some.length]).toArray();
    double[] rhs = Arrays.stream(pairs).mapToDouble(i -> some[i / some.length]).toArray();
    check(kind, F64, lhs, rhs);
    check(kind, F32, asFloats(lhs), asFloats(rhs));
  }

  /** An operand known to be at most 0 needs less code, and gives the same bits. */
  @ParameterizedTest
  @ValueSource(ints = {32, 64})
  void exponentialOfNonPositiveOperands(int bits) {
    ElementType type = bits == 32 ? F32 : F64;
    double[] any = bits == 32 ? floats() : doubles();
    double[] operand = Arrays.stream(any).map(x -> -Math.abs(x)).toArray();
    double[] want = run(1, Elementwise.Kind.EXPONENTIAL, type, operand);
    BiFunction<CodeEmitter, Value[], Value> known =
        (emitter, in) -> {
          Value negative = emitter.negate(emitter.abs(in[0]));
          emitter.assumeAtMostZero(negative);
          return ElementMath.apply(emitter, Elementwise.Kind.EXPONENTIAL, negative, negative);
        };
    assertThat(run(1, known, type, operand)).isEqualTo(want);
    if (Machine.isVectorApiOn()) {
      assertThat(run(Machine.width(bits), known, type, operand)).isEqualTo(want);
    }
  }

  /** A constant exponent needs less code, and gives the same bits. */
  @ParameterizedTest
  @ValueSource(ints = {32, 64})
  void constantExponents(int bits) {
    ElementType type = bits == 32 ? F32 : F64;
    double[] all = bits == 32 ? floats() : doubles();
    double[] operand = Arrays.copyOf(all, all.length / 4);
    for (double power : new double[] {0.5, 2.5, -1.5, 1, 2, -2, 3, -3, 1e9, 0, 1.0 / 0, 0.0 / 0}) {
      double[] powers = operand.clone();
      Arrays.fill(powers, power);
      double[] want = run(1, Elementwise.Kind.POWER, type, operand, powers);
      BiFunction<CodeEmitter, Value[], Value> known =
          (emitter, in) -> {
            Value constant = emitter.constant(in[0].lane(), power);
            return ElementMath.apply(emitter, Elementwise.Kind.POWER, in[0], constant);
          };
      assertWithMessage("to %s", power).that(run(1, known, type, operand)).isEqualTo(want);
      if (Machine.isVectorApiOn()) {
        double[] got = run(Machine.width(bits), known, type, operand);
        assertWithMessage("to %s by vectors", power).that(got).isEqualTo(want);
      }
    }
  }

  private static double[] asFloats(double[] values) {
    return Arrays.stream(values).map(value -> (float) value).toArray();
  }

  private static DoubleStream specials() {
    return DoubleStream.concat(Arrays.stream(SPECIAL), Arrays.stream(SPECIAL).map(value -> -value));
  }

  private static DoubleStream small(int count) {
    SplittableRandom random = new SplittableRandom(1);
    return random.doubles(count, -1, 1).map(value -> value * Math.scalb(40.0, -random.nextInt(40)));
  }

  private static double[] floats() {
    DoubleStream patterns =
        IntStream.range(0, COUNT).mapToDouble(i -> Float.intBitsToFloat((int) (i * STEP)));
    return DoubleStream.concat(specials().map(value -> (float) value), patterns)
        .limit(COUNT)
        .toArray();
  }

  private static double[] doubles() {
    DoubleStream anything =
        new SplittableRandom(2).longs(COUNT / 4).mapToDouble(Double::longBitsToDouble);
    return DoubleStream.concat(specials(), DoubleStream.concat(anything, small(COUNT / 4)))
        .limit(COUNT / 4)
        .toArray();
  }

  private static void check(Elementwise.Kind kind, ElementType type, double[]... operands) {
    double[] want = reference(kind, operands);
    int ulps = type == F32 ? 1 : 2;
    double[] scalar = run(1, kind, type, operands);
    for (int i = 0; i < want.length; i++) {
      double rounded = type == F32 ? (float) want[i] : want[i];
      if (distance(type, scalar[i], rounded) > ulps) {
        int at = i;
        Object[] where = Arrays.stream(operands).map(operand -> operand[at]).toArray();
        assertWithMessage("%s of %s %s", kind, type, Arrays.toString(where))
            .that(scalar[i])
            .isEqualTo(rounded);
      }
    }
    double[] cut = run(Loops.CUT, kind, type, operands);
    assertWithMessage("%s of %s in strips", kind, type).that(Arrays.equals(cut, scalar)).isTrue();
    if (Machine.isVectorApiOn()) {
      double[] vector = run(Machine.width(type.bits()), kind, type, operands);
      assertWithMessage("%s of %s in vectors", kind, type)
          .that(Arrays.equals(vector, scalar))
          .isTrue();
    }
  }

  /** {@return how many numbers of the type apart; values of different signs or one NaN are far} */
  private static long distance(ElementType type, double a, double b) {
    return type == F32
        ? Math.abs((long) Float.floatToIntBits((float) a) - Float.floatToIntBits((float) b))
        : Math.abs(Double.doubleToLongBits(a) - Double.doubleToLongBits(b));
  }

  private static double[] reference(Elementwise.Kind kind, double[]... operands) {
    int count = operands[0].length;
    String vector = "f64[" + count + "]";
    String second = operands.length == 2 ? ", y" : "";
    HloModule module =
        Parser.parse(
            "HloModule m\nENTRY e {\n  x = %s parameter(0)\n%s  ROOT r = %s %s(x%s)\n}\n"
                .formatted(
                    vector,
                    second.isEmpty() ? "" : "  y = " + vector + " parameter(1)\n",
                    vector,
                    kind.mnemonic(),
                    second));
    Literal[] literals =
        Arrays.stream(operands)
            .map(operand -> Literal.unsafeOf(Shape.of(F64, count), operand.clone()))
            .toArray(Literal[]::new);
    return (double[]) Interpreter.reference().run(module, literals).unsafeStorage();
  }

  private static double[] run(
      int width, Elementwise.Kind kind, ElementType type, double[]... operands) {
    return run(
        width,
        (emitter, v) -> ElementMath.apply(emitter, kind, v[0], v[v.length - 1]),
        type,
        operands);
  }

  private static double[] run(
      int width,
      BiFunction<CodeEmitter, Value[], Value> body,
      ElementType type,
      double[]... operands) {
    int count = operands[0].length;
    ElementType[] types = new ElementType[operands.length];
    Arrays.fill(types, type);
    Object[] arrays = new Object[operands.length + 1];
    for (int i = 0; i < operands.length; i++) {
      arrays[i] = array(type, operands[i]);
    }
    arrays[operands.length] = array(type, new double[count]);
    Loops.of(width, types, type, body).run(arrays, 0, count);
    return type == F32
        ? widened((float[]) arrays[operands.length])
        : (double[]) arrays[operands.length];
  }

  private static Object array(ElementType type, double[] values) {
    if (type == F64) {
      return values.clone();
    }
    float[] floats = new float[values.length];
    IntStream.range(0, values.length).forEach(i -> floats[i] = (float) values[i]);
    return floats;
  }

  private static double[] widened(float[] values) {
    return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
  }
}
