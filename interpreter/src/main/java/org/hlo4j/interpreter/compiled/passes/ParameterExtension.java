package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Tuple;

/**
 * An extension of the single parameter of computations by more values. A tuple {@code (a, b)}
 * becomes {@code (a, b, values...)}; an {@code a} that is not a tuple becomes {@code (a,
 * values...)}.
 */
final class ParameterExtension {
  private final Session session;
  private final Shape originalShape;
  private final Shape.Tuple extendedShape;

  /**
   * Creates an extension.
   *
   * @param before the shape of the original parameter
   * @param values the values that are appended
   * @param session makes names that are not used yet
   */
  ParameterExtension(Shape before, List<HloInstruction> values, Session session) {
    this.session = session;
    this.originalShape = before;
    ImmutableList.Builder<Shape> shapes = ImmutableList.builder();
    shapes.addAll(before instanceof Shape.Tuple tuple ? tuple.elements() : List.of(before));
    values.forEach(value -> shapes.add(value.shape().withoutLayout()));
    this.extendedShape = new Shape.Tuple(shapes.build());
  }

  /** Returns the shape of the extended parameter. */
  Shape.Tuple shape() {
    return extendedShape;
  }

  /** Returns the elements of a tuple; a value that is not a tuple is its only element. */
  static ImmutableList<HloInstruction> parts(HloInstruction value, Rewriter rewriter) {
    return value.shape() instanceof Shape.Tuple tuple
        ? elements(value, tuple.elements().size(), rewriter)
        : ImmutableList.of(value);
  }

  private static ImmutableList<HloInstruction> elements(
      HloInstruction tuple, int count, Rewriter rewriter) {
    return tuple.op() instanceof Tuple
        ? tuple.operands().subList(0, count)
        : IntStream.range(0, count)
            .mapToObj(i -> rewriter.add(new GetTupleElement(i), tuple))
            .collect(toImmutableList());
  }

  /** Returns an operand extended by values. */
  HloInstruction extend(HloInstruction value, List<HloInstruction> values, Rewriter rewriter) {
    return tuple(session.fresh("tuple"), parts(value, rewriter), values, rewriter);
  }

  private HloInstruction tuple(
      String name, List<HloInstruction> parts, List<HloInstruction> values, Rewriter rewriter) {
    ImmutableList<HloInstruction> all =
        ImmutableList.<HloInstruction>builder().addAll(parts).addAll(values).build();
    return rewriter.place(
        HloInstruction.create(
            name, new Tuple(), all, ImmutableList.of(), extendedShape, Metadata.NONE));
  }

  /** Returns the original value of an extended one. */
  HloInstruction withoutExtension(HloInstruction extended, Rewriter rewriter) {
    ImmutableList<HloInstruction> parts = elements(extended, partCount(), rewriter);
    return originalShape instanceof Shape.Tuple ? rewriter.add(new Tuple(), parts) : parts.get(0);
  }

  private int partCount() {
    return originalShape instanceof Shape.Tuple tuple ? tuple.elements().size() : 1;
  }

  /**
   * Returns a computation with the extended parameter, from which it reads the values of its moved
   * code instead of computing them.
   *
   * @param computation the computation
   * @param code its invariant code, whose moved values are read
   * @param first the index of the first moved value in the parameter
   * @param isNext whether it is a loop body: its result is the parameter of the next iteration, and
   *     forwards all values
   * @param isShared whether it has other callers, so that all names have to change
   */
  HloComputation extendComputation(
      HloComputation computation, InvariantCode code, int first, boolean isNext, boolean isShared) {
    return new Writer(computation, code, first, isShared).write(isNext);
  }

  /** Writes one computation. */
  private final class Writer {
    private final HloComputation computation;
    private final InvariantCode code;
    private final int first;
    private final Rewriter rewriter;

    Writer(HloComputation computation, InvariantCode code, int first, boolean isShared) {
      this.computation = computation;
      this.code = code;
      this.first = first;
      this.rewriter = new Rewriter(session, Map.of(), isShared);
    }

    HloComputation write(boolean isNext) {
      HloInstruction old = computation.parameters().get(0);
      HloInstruction parameter =
          LoopState.parameter(old, rewriter.currentName(old), extendedShape, rewriter);
      List<HloInstruction> moved = code.moved();
      List<HloInstruction> forwarded = new ArrayList<>();
      int from = isNext ? partCount() : first;
      int to = isNext ? extendedShape.elements().size() : first + moved.size();
      for (int i = from; i < to; i++) {
        GetTupleElement op = new GetTupleElement(i);
        if (i >= first && i < first + moved.size()) {
          HloInstruction value = moved.get(i - first);
          HloInstruction element = rewriter.newReplacement(value, op, parameter);
          rewriter.replace(value, element.renamed(rewriter.currentName(value)));
          forwarded.add(rewriter.current(value));
        } else {
          forwarded.add(rewriter.add(op, parameter));
        }
      }
      writeRemaining(old, parameter, isNext);
      if (isNext) {
        writeStateTuple(forwarded);
      }
      return rewriter.finish(computation);
    }

    private void writeRemaining(HloInstruction old, HloInstruction parameter, boolean isNext) {
      for (HloInstruction instruction : computation.instructions()) {
        boolean isWritten = !code.keeps(instruction) || (isNext && isStateTuple(instruction));
        if (instruction == old) {
          boolean isWhole = !(originalShape instanceof Shape.Tuple) || isUsedWhole(old);
          rewriter.replace(old, isWhole ? withoutExtension(parameter, rewriter) : parameter);
        } else if (!isWritten) {
          rewriter.replace(instruction, Rewriter.knownElement(rewriter.updated(instruction)));
        }
      }
    }

    private boolean isPart(HloInstruction instruction, HloInstruction parameter) {
      return instruction.op() instanceof GetTupleElement
          && instruction.operands().get(0) == parameter;
    }

    private boolean isUsedWhole(HloInstruction parameter) {
      return computation.root() == parameter
          || computation.instructions().stream()
              .filter(code::keeps)
              .anyMatch(user -> user.operands().contains(parameter) && !isPart(user, parameter));
    }

    /** Returns whether an instruction is the tuple of the next state, and has no other use. */
    private boolean isStateTuple(HloInstruction instruction) {
      return instruction == computation.root()
          && instruction.op() instanceof Tuple
          && computation.instructions().stream()
              .noneMatch(user -> user.operands().contains(instruction));
    }

    private void writeStateTuple(List<HloInstruction> forwarded) {
      HloInstruction root = computation.root();
      boolean isStateTuple = isStateTuple(root);
      List<HloInstruction> parts =
          isStateTuple ? rewriter.currentOperands(root) : parts(rewriter.current(root), rewriter);
      String name = isStateTuple ? rewriter.currentName(root) : session.fresh(root.name());
      rewriter.replace(root, tuple(name, parts, forwarded, rewriter));
    }
  }
}
