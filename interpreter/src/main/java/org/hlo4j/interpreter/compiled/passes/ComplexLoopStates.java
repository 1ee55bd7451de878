package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * A pass that splits complex loop state into real and imaginary parts, so that no iteration
 * assembles complex numbers only to take them apart again: {@code (i, z)} becomes {@code (i,
 * real(z), imag(z))}. {@link ComplexUses} decides which carried values are split. As with any op on
 * complex numbers, NaNs become quiet.
 */
final class ComplexLoopStates extends Pass {
  @Override
  boolean mayApply(HloModule module) {
    return ComplexParts.occurIn(module);
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    ComplexUses uses = new ComplexUses(module);
    return (computation, rewriter) -> new Writer(uses, rewriter).write(computation);
  }

  /** Writes one computation. */
  private record Writer(ComplexUses uses, Rewriter rewriter) {
    HloComputation write(HloComputation computation) {
      Set<Integer> state = uses.ofState(computation);
      return rewriter.rewrite(computation, instruction -> written(instruction, computation, state));
    }

    private HloInstruction written(
        HloInstruction instruction, HloComputation computation, Set<Integer> state) {
      return switch (instruction.op()) {
        case GetTupleElement _ -> Rewriter.knownElement(rewriter.updated(instruction));
        case Parameter _ when !state.isEmpty() ->
            joined(instruction, parameter(instruction, state));
        case While _ when !uses.ofLoop(instruction).isEmpty() ->
            joined(instruction, loop(instruction, uses.ofLoop(instruction)));
        case Tuple _ when instruction == computation.root() && !state.isEmpty() ->
            rewriter.add(new Tuple(), parts(rewriter.currentOperands(instruction), state));
        default -> rewriter.updated(instruction);
      };
    }

    private HloInstruction parameter(HloInstruction parameter, Set<Integer> split) {
      String name = rewriter.session().fresh(parameter.name());
      Shape.Tuple shape = shape((Shape.Tuple) parameter.shape(), split);
      return LoopState.parameter(parameter, name, shape, rewriter);
    }

    private HloInstruction loop(HloInstruction loop, Set<Integer> split) {
      HloInstruction initial = rewriter.current(loop.operands().get(0));
      List<HloInstruction> parts = parts(ParameterExtension.parts(initial, rewriter), split);
      return LoopState.withState(
          loop, rewriter.add(new Tuple(), parts), rewriter.currentCalled(loop), rewriter);
    }

    private static Shape.Tuple shape(Shape.Tuple state, Set<Integer> split) {
      ImmutableList.Builder<Shape> shapes = ImmutableList.builder();
      for (int k = 0; k < state.elements().size(); k++) {
        Shape shape = state.elements().get(k);
        if (split.contains(k) && shape instanceof Shape.Array array) {
          Shape part = array.withElementType(array.elementType().componentType());
          shapes.add(part, part);
        } else {
          shapes.add(shape);
        }
      }
      return new Shape.Tuple(shapes.build());
    }

    private List<HloInstruction> parts(List<HloInstruction> state, Set<Integer> split) {
      List<HloInstruction> parts = new ArrayList<>();
      for (int k = 0; k < state.size(); k++) {
        if (split.contains(k)) {
          rewriter.session().count("loop state of complex numbers split");
          parts.add(rewriter.add(Kind.REAL, state.get(k)));
          parts.add(rewriter.add(Kind.IMAG, state.get(k)));
        } else {
          parts.add(state.get(k));
        }
      }
      return parts;
    }

    /** Returns the original state, assembled from the split one. */
    private HloInstruction joined(HloInstruction before, HloInstruction state) {
      List<HloInstruction> joined = new ArrayList<>();
      int next = 0;
      for (Shape shape : ((Shape.Tuple) before.shape()).elements()) {
        HloInstruction element = rewriter.add(new GetTupleElement(next++), state);
        boolean isSplit = !element.shape().equals(shape);
        joined.add(
            isSplit
                ? rewriter.add(
                    Kind.MAKE_COMPLEX, element, rewriter.add(new GetTupleElement(next++), state))
                : element);
      }
      return rewriter.add(new Tuple(), joined);
    }
  }
}
