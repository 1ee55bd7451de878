package org.hlo4j.check.compare;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.Multiset;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Tuple;

/** What the computation of a reduction, window or scatter does with the terms of each result. */
enum Reducers {
  /** It only selects, or works on integers. */
  CHOICE,
  /** It adds or subtracts each term once. */
  SUM,
  /** It multiplies by each term once. */
  PRODUCT,
  /** Anything else: its own instructions round. */
  OTHER;

  /** Returns what a reduction does in all of its results; empty if an instruction is none. */
  static Optional<Reducers> of(HloInstruction instruction) {
    boolean combines =
        instruction.op() instanceof Reduce
            || instruction.op() instanceof ReduceWindow
            || instruction.op() instanceof Scatter
            || instruction.op() instanceof SelectAndScatter;
    return combines
        ? Optional.of(of(instruction.called().get(instruction.called().size() - 1)))
        : Optional.empty();
  }

  private static Reducers of(HloComputation body) {
    if (all(body).allMatch(Reducers::isExact)) {
      return CHOICE;
    }
    HloInstruction root = body.root();
    List<HloInstruction> results = root.op() instanceof Tuple ? root.operands() : List.of(root);
    if (areAll(results, body, Elementwise.Kind.ADD)) {
      return SUM;
    }
    return areAll(results, body, Elementwise.Kind.MULTIPLY) ? PRODUCT : OTHER;
  }

  private static boolean areAll(
      List<HloInstruction> results, HloComputation body, Elementwise.Kind kind) {
    for (int i = 0; i < results.size(); i++) {
      Multiset<Integer> leaves = HashMultiset.create();
      addLeaves(results.get(i), kind, number -> leaves.add(number));
      if (!leaves.equals(ImmutableMultiset.of(i, i + results.size()))) {
        return false;
      }
    }
    return body.parameters().size() == 2 * results.size();
  }

  /**
   * Gives the numbers of the parameters that are added, or multiplied; -1 for anything else.
   *
   * @param parameters takes them; of a called computation, it looks into the arguments
   */
  private static void addLeaves(HloInstruction at, Elementwise.Kind kind, IntConsumer parameters) {
    boolean subtracts =
        kind == Elementwise.Kind.ADD && at.op().equals(new Elementwise(Elementwise.Kind.SUBTRACT));
    boolean isMoved =
        at.op() instanceof Copy
            || at.op() instanceof Convert
            || at.op().equals(new Elementwise(Elementwise.Kind.NEGATE));
    if (at.op() instanceof Parameter parameter) {
      parameters.accept(parameter.number());
    } else if (subtracts || isMoved || at.op().equals(new Elementwise(kind))) {
      at.operands().forEach(each -> addLeaves(each, kind, parameters));
    } else if (at.op() instanceof Call || at.op() instanceof Fusion) {
      addLeaves(
          at.called().get(0).root(),
          kind,
          number -> {
            if (number < 0) {
              parameters.accept(number);
            } else {
              addLeaves(at.operands().get(number), kind, parameters);
            }
          });
    } else {
      parameters.accept(-1);
    }
  }

  /** Returns the instructions of a computation and of those that it calls. */
  private static Stream<HloInstruction> all(HloComputation body) {
    return HloModule.create(body.name(), body).instructions();
  }

  private static boolean isExact(HloInstruction part) {
    boolean isFloat =
        part.shape() instanceof Shape.Array array
            && (array.elementType().isFloating() || array.elementType().isComplex());
    return !isFloat
        || switch (part.op()) {
          case Elementwise op ->
              switch (op.kind()) {
                case MAXIMUM, MINIMUM, ABS, NEGATE, SIGN, REAL, IMAG, FLOOR, CEIL -> true;
                default -> false;
              };
          case Convert convert -> isExact(part.operands().get(0), convert);
          case Dot _, HigherOrder _ -> part.op() instanceof Call || part.op() instanceof Fusion;
          case Op other -> true;
        };
  }

  private static boolean isExact(HloInstruction from, Convert convert) {
    ElementType type = ((Shape.Array) from.shape()).elementType();
    return type.isWithin(convert.newElementType());
  }
}
