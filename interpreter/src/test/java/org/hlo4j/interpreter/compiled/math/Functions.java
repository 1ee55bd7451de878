package org.hlo4j.interpreter.compiled.math;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Loops;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.testing.LiteralSubject;

/** Checks generated code of an op against the reference evaluator. */
final class Functions {
  /** Whether to test vectors only, since another run tests the code without vectors. */
  private static final boolean ONLY_VECTORS = Integer.getInteger("hlo4j.test.fewer", 1) > 1;

  private Functions() {}

  /**
   * Checks that all code emitters that this run tests give the result of the reference, floats
   * within some units in the last place.
   */
  static void check(long ulps, Op op, Literal... operands) {
    List<HloInstruction> instructions = new ArrayList<>();
    for (int i = 0; i < operands.length; i++) {
      Parameter parameter = new Parameter(i, operands[i].shape());
      instructions.add(HloInstruction.of("operand" + i, parameter));
    }
    HloInstruction root =
        HloInstruction.of("root", op, instructions.toArray(HloInstruction[]::new));
    instructions.add(root);
    int[] widths = widths(op, (Shape.Array) root.shape(), operands);
    if (widths.length == 0) {
      return;
    }
    HloModule module = HloModule.create("test", HloComputation.create("entry", instructions, root));
    Literal expected = Interpreter.reference().run(module, operands);
    for (int width : widths) {
      try {
        LiteralSubject.assertThat(run(width, op, (Shape.Array) root.shape(), operands))
            .isWithinUlps(ulps, expected);
      } catch (AssertionError | RuntimeException problem) {
        throw new AssertionError(
            instructions.get(0).shape()
                + " "
                + root
                + ", "
                + width
                + " at a time: "
                + problem.getMessage(),
            problem);
      }
    }
  }

  private static int[] widths(Op op, Shape.Array result, Literal... operands) {
    List<ElementType> types = Arrays.stream(operands).map(Literal::elementType).toList();
    ElementFunctions.Traits traits = ElementFunctions.traits(op, types, result.elementType());
    int widest =
        Math.max(
            Math.max(traits.widestBits(), Lane.of(result.elementType()).bits()),
            types.stream().mapToInt(type -> Lane.of(type).bits()).max().orElseThrow());
    int width = Machine.width(Math.max(widest, 32));
    return IntStream.of(1, Loops.CUT, traits.isVectorizable() ? width : 1)
        .distinct()
        .filter(elements -> !ONLY_VECTORS || elements > 1)
        .toArray();
  }

  private static Literal run(int width, Op op, Shape.Array shape, Literal... operands) {
    ElementType[] types =
        Arrays.stream(operands).map(Literal::elementType).toArray(ElementType[]::new);
    Loops.Loop loop =
        Loops.of(
            width,
            types,
            shape.elementType(),
            (emitter, in) ->
                ElementFunctions.apply(
                    emitter, op, List.of(types), shape.elementType(), List.of(in)));
    Object result = LiteralBuilder.newStorage(shape);
    Object[] arrays =
        IntStream.rangeClosed(0, operands.length)
            .mapToObj(i -> i < operands.length ? operands[i].unsafeStorage() : result)
            .toArray();
    loop.run(arrays, 0, (int) shape.elementCount());
    return Literal.unsafeOf(shape, result);
  }
}
