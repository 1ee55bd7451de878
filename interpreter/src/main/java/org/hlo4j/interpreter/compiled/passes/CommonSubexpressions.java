package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * Computes once what is written twice: the same op of the same operands. Constants are the same if
 * their bits are; computations that are called, if they are written alike.
 */
final class CommonSubexpressions extends RewritingPass {
  /**
   * What a value depends on.
   *
   * @param operands the instructions; or their numbers in a computation, to tell whether two
   *     computations are alike
   */
  private record Expression(Object op, List<?> operands, List<HloComputation> called, Shape shape) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Expression that
          && operands.equals(that.operands)
          && called.equals(that.called)
          && shape.equals(that.shape)
          && op.equals(that.op);
    }

    /** Most ops by their class only: a record takes a millisecond to hash for the first time. */
    @Override
    public int hashCode() {
      boolean isQuick = op instanceof Bits || op instanceof Elementwise;
      return 31 * operands.hashCode() + (isQuick ? op : op.getClass()).hashCode();
    }
  }

  /** A literal compared by its bits, which tell one NaN from another. */
  private record Bits(Literal literal, int hash) {
    private static final int HASHED = 256;

    static Bits of(Literal literal) {
      int count = literal.elementCount();
      int step = Math.max(1, count / HASHED);
      int hash = literal.shape().hashCode();
      for (int i = 0; i < count; i += step) {
        hash = 31 * hash + Long.hashCode(literal.bitsAt(i));
      }
      return new Bits(literal, hash);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Bits that
          && hash == that.hash
          && Splats.sameBits(literal, that.literal);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  @Override
  Work begin(HloModule module, Session session) {
    Effects effects = new Effects(module);
    Map<HloComputation, HloComputation> alike = alike(module);
    return (computation, rewriter) -> merged(computation, rewriter, effects, alike);
  }

  private static HloComputation merged(
      HloComputation computation,
      Rewriter rewriter,
      Effects effects,
      Map<HloComputation, HloComputation> alike) {
    Map<Expression, HloInstruction> known = new HashMap<>();
    for (HloInstruction instruction : computation.instructions()) {
      HloInstruction updated = rewriter.updated(instruction);
      HloInstruction first = updated;
      if (isValue(instruction, effects)) {
        first = known.computeIfAbsent(expression(updated, alike), key -> updated);
      }
      if (first != updated) {
        rewriter.session().count("common subexpression");
      }
      rewriter.replace(instruction, first);
    }
    return rewriter.finish(computation);
  }

  private static boolean isValue(HloInstruction instruction, Effects effects) {
    boolean isElided =
        instruction.op() instanceof Constant constant
            && (constant.literal().isElided()
                || !(constant.literal().shape() instanceof Shape.Array));
    return !isElided
        && !(instruction.op() instanceof Parameter)
        && !effects.isEffect(instruction)
        && !Effects.isDynamic(instruction);
  }

  private static Expression expression(
      HloInstruction instruction, Map<HloComputation, HloComputation> alike) {
    return new Expression(
        comparable(instruction.op()),
        instruction.operands(),
        representatives(instruction.called(), alike),
        instruction.shape());
  }

  private static Object comparable(Op op) {
    return op instanceof Constant constant
            && constant.literal().shape() instanceof Shape.Array
            && !constant.literal().isElided()
        ? Bits.of(constant.literal())
        : op;
  }

  private static ImmutableList<HloComputation> representatives(
      ImmutableList<HloComputation> called, Map<HloComputation, HloComputation> alike) {
    return called.isEmpty()
        ? called
        : called.stream().map(each -> alike.getOrDefault(each, each)).collect(toImmutableList());
  }

  /** For each computation the first that is written like it. */
  private static Map<HloComputation, HloComputation> alike(HloModule module) {
    Map<List<Expression>, HloComputation> first = new HashMap<>();
    Map<HloComputation, HloComputation> alike = new HashMap<>();
    for (HloComputation computation : module.computations()) {
      if (computation != module.entry() && computation.instructions().size() <= 20) {
        alike.put(
            computation, first.computeIfAbsent(lines(computation, alike), key -> computation));
      }
    }
    return alike;
  }

  private static List<Expression> lines(
      HloComputation computation, Map<HloComputation, HloComputation> alike) {
    Map<HloInstruction, Integer> numbers = new HashMap<>();
    ImmutableList.Builder<Expression> lines = ImmutableList.builder();
    for (HloInstruction instruction : computation.instructions()) {
      lines.add(
          new Expression(
              comparable(instruction.op()),
              instruction.operands().stream().map(numbers::get).toList(),
              representatives(instruction.called(), alike),
              instruction.shape()));
      numbers.put(instruction, numbers.size());
    }
    ImmutableList<Integer> root = ImmutableList.of(numbers.getOrDefault(computation.root(), -1));
    return lines
        .add(new Expression("root", root, ImmutableList.of(), computation.root().shape()))
        .build();
  }
}
