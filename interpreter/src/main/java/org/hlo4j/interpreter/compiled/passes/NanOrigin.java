package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.codegen.QuietNaN;

/** The origin of the NaNs in a value. */
public enum NanOrigin {
  /** NaNs of the inputs: their bits are kept, except perhaps for the sign. */
  COPIED,
  /** NaNs that an op has computed: each is the one quiet NaN of its type. */
  COMPUTED,
  /** NaNs of both kinds, or computed ones whose sign was changed. */
  MIXED;

  /** {@return the origins of the results of a computation, one for each element of a tuple} */
  public static ImmutableList<NanOrigin> ofResults(HloComputation computation) {
    Map<HloInstruction, NanOrigin> known = new HashMap<>();
    return results(computation).stream()
        .map(result -> of(result, known))
        .collect(ImmutableList.toImmutableList());
  }

  /** {@return the elements of a computation's root, or the root if it is no tuple} */
  public static ImmutableList<HloInstruction> results(HloComputation computation) {
    HloInstruction root = computation.root();
    return root.op() instanceof Tuple ? root.operands() : ImmutableList.of(root);
  }

  private static NanOrigin of(HloInstruction instruction, Map<HloInstruction, NanOrigin> known) {
    NanOrigin found = known.get(instruction);
    if (found == null) {
      found = found(instruction, known);
      known.put(instruction, found);
    }
    return found;
  }

  private static NanOrigin found(HloInstruction instruction, Map<HloInstruction, NanOrigin> known) {
    List<HloInstruction> operands = instruction.operands();
    return switch (OpFamily.of(instruction.op())) {
      case MOVEMENT -> joined(operands.stream().filter(NanOrigin::isFloating), known);
      case ELEMENTWISE -> ofElements(instruction, known);
      case PLUMBING ->
          instruction.op() instanceof GetTupleElement element
              ? ofElement(operands.get(0), element.index())
              : joined(operands.stream(), known);
      case OTHER ->
          instruction.op() instanceof Reduce && !(instruction.shape() instanceof Shape.Tuple)
              ? ofElement(instruction, 0)
              : COMPUTED;
      case CONTROL, EFFECT -> COMPUTED;
    };
  }

  private static NanOrigin ofElements(
      HloInstruction instruction, Map<HloInstruction, NanOrigin> known) {
    if (instruction.op() instanceof BitcastConvert) {
      return COPIED;
    } else if (!QuietNaN.keepsBits(instruction.op())) {
      return COMPUTED;
    }
    NanOrigin joined = joined(instruction.operands().stream().filter(NanOrigin::isFloating), known);
    boolean copies =
        instruction.op() instanceof Select
            || instruction.op() instanceof ReducePrecision
            || instruction.op().equals(new Elementwise(Elementwise.Kind.REAL));
    return copies || joined == COPIED ? joined : MIXED;
  }

  private static NanOrigin ofElement(HloInstruction reduce, int element) {
    return reduce.op() instanceof Reduce
        ? ofResults(reduce.called().get(0)).get(element)
        : COMPUTED;
  }

  private static boolean isFloating(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array
        && (array.elementType().isFloating() || array.elementType().isComplex());
  }

  private static NanOrigin joined(
      Stream<HloInstruction> operands, Map<HloInstruction, NanOrigin> known) {
    return operands
        .map(operand -> of(operand, known))
        .reduce((a, b) -> a == b ? a : MIXED)
        .orElse(COPIED);
  }
}
