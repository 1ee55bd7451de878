package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.reference.ReferenceOps;
import org.junit.jupiter.api.Test;

/** Kernels with mistakes that do no harm, or not at once, are seen when the check mode is on. */
final class CheckModeTest {
  private static final Shape.Array SHAPE = Shape.of(ElementType.F32, 2000);

  private static final String LESS =
      """
      HloModule m
      less { p = f32[] parameter(0) q = f32[] parameter(1) i = s32[] parameter(2)
        j = s32[] parameter(3) ROOT l = pred[] compare(p, q), direction=LT }
      """;

  private static final String NEGATE =
      "ENTRY e { x = V parameter(0) n = V negate(x) ROOT r = V add(n, n) }";

  private static final String SORT =
      "ENTRY e { x = V parameter(0) i = s32[2000] iota(), iota_dimension=0"
          + " ROOT r = (V, s32[2000]) sort(x, i), dimensions={0}, to_apply=less }";

  /** What a kernel of negate or sort does. */
  private interface Mistake {
    Literal run(Literal[] operands, KernelContext context);
  }

  private static Kernel kernel(Mistake mistake) {
    return new Kernel() {
      @Override
      public Literal run(Literal[] operands, KernelContext context) {
        return mistake.run(operands, context);
      }

      @Override
      public String describe() {
        return "mistake";
      }
    };
  }

  private static Program program(String text, Mistake mistake) {
    return Program.of(
        Parser.parse((LESS + text).replace("V", SHAPE.toString())),
        EvaluatorOptions.defaults(),
        new ReferenceOps(),
        instruction ->
            instruction.op().equals(new Elementwise(Elementwise.Kind.NEGATE))
                    || instruction.op() instanceof Sort
                ? KernelChoice.of(kernel(mistake))
                : KernelChoice.NONE);
  }

  private static Literal x() {
    return Literal.full(SHAPE, 3);
  }

  private static Literal negated(Literal operand, Object storage) {
    float[] result = (float[]) storage;
    float[] values = (float[]) operand.unsafeStorage();
    for (int i = 0; i < SHAPE.elementCount(); i++) {
      result[i] = -values[i];
    }
    return Literal.unsafeOf(SHAPE, result);
  }

  private static String mistake(String text, Mistake mistake, Literal... arguments) {
    assumeTrue(CheckMode.isOn());
    Program program = program(text, mistake);
    return requireNonNull(
        assertThrows(AssertionError.class, () -> program.run(arguments)).getMessage());
  }

  @Test
  void arraysAllocatedInAnotherOrder() {
    Shape.Array indices = SHAPE.withElementType(ElementType.S32);
    Mistake swapped =
        (operands, context) -> {
          Object second = context.allocate(indices);
          Object first = context.allocate(SHAPE);
          return Literal.tuple(Literal.unsafeOf(SHAPE, first), Literal.unsafeOf(indices, second));
        };
    assertThat(mistake(SORT, swapped, x()))
        .endsWith(
            "has array 0 of its result not in allocation 0; allocated [s32[2000], f32[2000]]");
  }

  @Test
  void anArrayThatIsNotAllocated() {
    assertThat(mistake(NEGATE, (operands, context) -> negated(operands[0], new float[2000]), x()))
        .endsWith("has array 0 of its result not in allocation 0; allocated []");
  }

  @Test
  void moreThanTheResult() {
    assertThat(
            mistake(
                NEGATE,
                (operands, context) -> {
                  Literal result = negated(operands[0], context.allocate(SHAPE));
                  context.allocate(SHAPE);
                  return result;
                },
                x()))
        .endsWith("has allocated more than its result; allocated [f32[2000], f32[2000]]");
  }

  @Test
  void anotherShapeThanTheResult() {
    assertThat(
            mistake(
                NEGATE,
                (operands, context) ->
                    negated(operands[0], context.allocate(Shape.of(ElementType.F32, 3000))),
                x()))
        .endsWith("has allocated another shape for array 0; allocated [f32[3000]]");
  }

  /** What a kernel does not write is garbage, in the first run already. */
  @Test
  void elementsThatAreNotWritten() {
    assumeTrue(CheckMode.isOn());
    Program program =
        program(NEGATE, (operands, context) -> Literal.unsafeOf(SHAPE, context.allocate(SHAPE)));
    assertThat(program.run(x()).getFloat(0)).isNaN();
  }

  /** A kernel that reads an array after its last use, as a plan with too short a lifetime would. */
  @Test
  void arraysThatAreReadWhenTheyAreDead() {
    assumeTrue(CheckMode.isOn());
    List<Literal> seen = new ArrayList<>();
    Program program =
        program(
            """
            ENTRY e { x = V parameter(0)
              a = V negate(x) b = V negate(a) c = V negate(b) ROOT r = V add(c, c) }
            """,
            (operands, context) -> {
              seen.add(operands[0]);
              Literal late = seen.size() == 3 ? seen.get(1) : operands[0];
              return negated(late, context.allocate(SHAPE));
            });
    assertThat(program.run(x()).getFloat(0)).isNaN();
  }

  @Test
  void workInPlaceWithoutPermission() {
    HloInstruction negate =
        HloInstruction.of(
            "n",
            new Elementwise(Elementwise.Kind.NEGATE),
            HloInstruction.of("x", new Parameter(0, SHAPE)));
    Literal operand = x();
    StepCheck check =
        new StepCheck(negate, kernel((operands, context) -> operands[0]), new Literal[] {operand});
    assertThat(
            assertThrows(
                AssertionError.class, () -> check.allocated(SHAPE, operand.unsafeStorage())))
        .hasMessageThat()
        .contains("is given the storage of operand 0");
  }
}
