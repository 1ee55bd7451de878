package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.PrintOptions.Part;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/** Modules of the builder survive printing and parsing. */
final class RoundTripTest {
  private static final List<PrintOptions> FORMS =
      List.of(
          PrintOptions.FULL,
          PrintOptions.SHORT_PARSABLE,
          PrintOptions.SHORT_PARSABLE.with(
              Part.METADATA, Part.PROGRAM_SHAPES, Part.OPERAND_SHAPES));

  private static void assertRoundTrips(HloModule module) {
    for (PrintOptions form : FORMS) {
      String text = Printer.print(module, form);
      HloModule parsed = Parser.parse(text);
      assertThat(Printer.print(parsed, form)).isEqualTo(text);
      for (int i = 0; i < module.computations().size(); i++) {
        assertSameOps(module.computations().get(i), parsed.computations().get(i));
      }
    }
  }

  private static void assertSameOps(HloComputation built, HloComputation parsed) {
    assertThat(parsed.instructions()).hasSize(built.instructions().size());
    for (int i = 0; i < built.instructions().size(); i++) {
      HloInstruction want = built.instructions().get(i);
      assertThat(parsed.instructions().get(i).op()).isEqualTo(want.op());
    }
  }

  private static List<Method> methods(Class<?>... parameters) {
    return Arrays.stream(XlaOp.class.getMethods())
        .filter(method -> method.getReturnType() == XlaOp.class)
        .filter(method -> Arrays.equals(method.getParameterTypes(), parameters))
        .sorted(Comparator.comparing(Method::getName))
        .toList();
  }

  /** Applies a method, which may reject the operands. */
  private static void apply(Method method, XlaOp operand, Object... arguments)
      throws IllegalAccessException {
    try {
      method.invoke(operand, arguments);
    } catch (InvocationTargetException refused) {
      assertThat(refused).hasCauseThat().isInstanceOf(HloException.class);
    }
  }

  private static HloModule everyOpOfOneOrTwo(ElementType type) throws IllegalAccessException {
    XlaBuilder builder = new XlaBuilder("every_" + type);
    XlaOp lhs = builder.parameter(0, Shape.of(type, 2, 3), "lhs");
    XlaOp rhs = builder.parameter(1, Shape.of(type, 2, 3), "rhs");
    for (Method unary : methods()) {
      apply(unary, lhs);
    }
    for (Method binary : methods(XlaOp.class)) {
      apply(binary, lhs, rhs);
    }
    return builder.build();
  }

  @Test
  void everyOpOfOneOrTwoOperands() throws IllegalAccessException {
    Set<Elementwise.Kind> kinds = new HashSet<>();
    for (ElementType type : List.of(F32, S32, PRED, C64)) {
      HloModule module = everyOpOfOneOrTwo(type);
      assertRoundTrips(module);
      for (HloInstruction instruction : module.entry().instructions()) {
        if (instruction.op() instanceof Elementwise elementwise) {
          kinds.add(elementwise.kind());
        }
      }
    }
    assertThat(kinds).containsAtLeastElementsIn(Elementwise.Kind.values());
  }

  @Test
  void opsWithAttributes() {
    XlaBuilder builder = new XlaBuilder("attributes");
    XlaOp x = builder.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp zero = builder.constant(0f);
    XlaOp sums = x.reduce(zero, (a, b) -> a.add(b), 1);
    sums.broadcastInDim(Dims.of(2, 4), Dims.of(0));
    x.transpose(1, 0).reshape(6).convertElementType(S32).bitcastConvertType(ElementType.U32);
    x.reducePrecision(5, 10).clamp(zero, x);
    x.lt(x).select(x, builder.iota(Shape.of(F32, 2, 3), 1));
    x.dotGeneral(x, Dot.general(Dims.of(0), Dims.of(1), Dims.of(0), Dims.of(1)));
    builder
        .constant(ElementType.S8, new int[] {1, 2})
        .dotGeneral(
            builder.constant(ElementType.S8, new int[] {3, 4}),
            Dot.matrix(1).withPreferredElementType(S32));
    XlaOp called = builder.call("body", (body, in) -> in.get(0).add(in.get(0)), x);
    builder.tuple(called, sums).getTupleElement(1).copy();
    assertRoundTrips(builder.build());
  }

  @Test
  void constantsOfEveryType() {
    XlaBuilder builder = new XlaBuilder("constants");
    for (ElementType type : ElementType.values()) {
      builder.constant(Literal.full(Shape.of(type, 2, 1, 2), type == PRED ? true : (Object) 0));
      if (type.isFloating() && type.hasInfinity()) {
        builder.constant(type, new double[] {1.5, -1.0 / 3, Double.NaN, Double.NEGATIVE_INFINITY});
      }
    }
    builder.constant(Literal.tuple(Literal.of(1), Literal.tuple(Literal.of(new float[] {2, 3}))));
    builder.constant(Literal.of(new float[0][2]));
    assertRoundTrips(builder.build());
  }
}
