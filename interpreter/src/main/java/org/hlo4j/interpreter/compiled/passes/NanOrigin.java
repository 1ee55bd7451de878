package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.codegen.QuietNaN;
import org.hlo4j.interpreter.engine.OpTraits;

/** The origin of the NaNs in a value. */
public enum NanOrigin {
  /** The value has no NaNs. */
  NONE,
  /** NaNs of the inputs: their bits are kept, except perhaps for the sign. */
  COPIED,
  /** NaNs that an op has computed: each is the one quiet NaN of its type. */
  COMPUTED,
  /** NaNs of both kinds, or computed ones whose sign was changed. */
  MIXED;

  /** {@return the origins of the results of a computation, one for each element of a tuple} */
  public static ImmutableList<NanOrigin> ofResults(HloComputation computation) {
    return ofResults(computation, Collections.nCopies(computation.parameters().size(), COPIED));
  }

  /**
   * {@return the origins of the results of a computation that combines elements into accumulators,
   * its first parameters, step by step}
   */
  public static ImmutableList<NanOrigin> ofReducer(HloComputation reducer) {
    return ofReducer(reducer, Collections.nCopies(reducer.parameters().size(), COPIED));
  }

  /**
   * Returns the origins of the results of a reducer. A result may become any accumulator of the
   * next step, which may copy it.
   *
   * @param origins those of the initial values, then those of the elements
   */
  private static ImmutableList<NanOrigin> ofReducer(
      HloComputation reducer, List<NanOrigin> origins) {
    List<NanOrigin> before = new ArrayList<>(origins);
    while (true) {
      ImmutableList<NanOrigin> results = ofResults(reducer, before);
      List<NanOrigin> after = new ArrayList<>(before);
      for (int i = 0; i < results.size(); i++) {
        after.set(i, joined(before.get(i), results.get(i)));
      }
      if (after.equals(before)) {
        return results;
      }
      before = after;
    }
  }

  private static ImmutableList<NanOrigin> ofResults(
      HloComputation computation, List<NanOrigin> origins) {
    Map<HloInstruction, NanOrigin> known = new HashMap<>();
    for (int i = 0; i < origins.size(); i++) {
      known.put(computation.parameters().get(i), origins.get(i));
    }
    return results(computation).stream()
        .map(result -> of(result, known))
        .collect(ImmutableList.toImmutableList());
  }

  /** {@return the elements of a computation's root, or the root if it is not a tuple} */
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
    return switch (OpTraits.of(instruction.op()).family()) {
      case MOVEMENT -> joined(operands.stream().filter(NanOrigin::isFloating), known);
      case ELEMENTWISE -> ofElements(instruction, known);
      case PLUMBING -> ofForwarded(instruction, known);
      case OTHER ->
          instruction.op() instanceof Reduce && !(instruction.shape() instanceof Shape.Tuple)
              ? ofElement(instruction, 0, known)
              : COMPUTED;
      case CONTROL, EFFECT -> COMPUTED;
    };
  }

  private static NanOrigin ofForwarded(
      HloInstruction instruction, Map<HloInstruction, NanOrigin> known) {
    if (instruction.op() instanceof Constant constant) {
      return isFloating(instruction) && !isNumber(constant.literal()) ? COPIED : NONE;
    }
    return instruction.op() instanceof GetTupleElement element
        ? ofElement(instruction.operands().get(0), element.index(), known)
        : joined(instruction.operands().stream(), known);
  }

  private static boolean isNumber(Literal literal) {
    return !literal.isElided()
        && literal.shape() instanceof Shape.Array array
        && array.isScalar()
        && !array.elementType().isComplex()
        && !Double.isNaN(literal.doubleAt(0));
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
    return copies || joined == COPIED || joined == NONE ? joined : MIXED;
  }

  private static NanOrigin ofElement(
      HloInstruction reduce, int element, Map<HloInstruction, NanOrigin> known) {
    if (!(reduce.op() instanceof Reduce)) {
      return COMPUTED;
    }
    List<NanOrigin> values = reduce.operands().stream().map(operand -> of(operand, known)).toList();
    int count = values.size() / 2;
    List<NanOrigin> origins = new ArrayList<>(values.subList(count, 2 * count));
    if (isEmpty(reduce)) {
      return origins.get(element);
    }
    origins.addAll(values.subList(0, count));
    return ofReducer(reduce.called().get(0), origins).get(element);
  }

  /** {@return whether a reduction has no elements, so that its results are the initial values} */
  public static boolean isEmpty(HloInstruction reduce) {
    return reduce.operands().get(0).shape() instanceof Shape.Array array
        && array.elementCount() == 0;
  }

  private static boolean isFloating(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array
        && (array.elementType().isFloating() || array.elementType().isComplex());
  }

  private static NanOrigin joined(
      Stream<HloInstruction> operands, Map<HloInstruction, NanOrigin> known) {
    return operands.map(operand -> of(operand, known)).reduce(NONE, NanOrigin::joined);
  }

  private static NanOrigin joined(NanOrigin a, NanOrigin b) {
    if (a == NONE || b == NONE) {
      return a == NONE ? b : a;
    }
    return a == b ? a : MIXED;
  }
}
