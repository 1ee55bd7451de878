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
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.jspecify.annotations.Nullable;

/**
 * Common subexpression elimination: instructions with the same op and the same operands become one.
 * Constants are equal if their bits are. Called computations are equal if their instructions are.
 */
final class CommonSubexpressions extends RewritingPass {
  /** The number of instructions, or computations, up to which a weak hash is good enough. */
  private static final int FEW = 200;

  /**
   * All that the value of an instruction depends on.
   *
   * @param operands the operands; or their numbers in a computation, to compare two computations
   */
  private record Expression(
      Object op, List<?> operands, List<HloComputation> called, Shape shape, int hash) {
    /**
     * Returns an expression. If there are many instructions, its hash includes the op itself. If
     * there are few, it includes for most ops only the class, since hashing a record for the first
     * time takes a millisecond.
     */
    static Expression of(
        Object op, List<?> operands, List<HloComputation> called, Shape shape, boolean isOfMany) {
      boolean isHashed = isOfMany || op instanceof Bits || op instanceof Elementwise;
      int given = 31 * operands.hashCode() + called.hashCode();
      int hash = 31 * given + (isHashed ? op : op.getClass()).hashCode();
      return new Expression(op, operands, called, shape, hash);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Expression that
          && hash == that.hash
          && operands.equals(that.operands)
          && called.equals(that.called)
          && shape.equals(that.shape)
          && op.equals(that.op);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** A literal that is compared by its bits, which distinguish NaNs. */
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
          && Storages.sameBits(literal, that.literal);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    Effects effects = new Effects(module);
    Map<HloComputation, HloComputation> canonical = canonicalComputations(module);
    return (computation, rewriter) -> merged(computation, rewriter, effects, canonical);
  }

  private static HloComputation merged(
      HloComputation computation,
      Rewriter rewriter,
      Effects effects,
      Map<HloComputation, HloComputation> canonical) {
    Map<Expression, HloInstruction> known = new HashMap<>();
    boolean areMany = computation.instructions().size() > FEW;
    for (HloInstruction instruction : computation.instructions()) {
      HloInstruction updated = rewriter.updated(instruction);
      HloInstruction first = updated;
      if (isValue(instruction, effects)) {
        Expression value = expression(updated, updated.operands(), canonical, areMany);
        first = known.computeIfAbsent(value, key -> updated);
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
        && !effects.hasEffect(instruction)
        && !Effects.isDynamic(instruction);
  }

  private static Expression expression(
      HloInstruction instruction,
      List<?> operands,
      Map<HloComputation, HloComputation> canonical,
      boolean isOfMany) {
    return Expression.of(
        comparable(instruction.op()),
        operands,
        representatives(instruction.called(), canonical),
        instruction.shape(),
        isOfMany);
  }

  /** Returns what an op is compared by. A constant without bits of its own equals no other one. */
  private static Object comparable(Op op) {
    if (!(op instanceof Constant constant)) {
      return op;
    }
    Literal literal = constant.literal();
    return literal.shape() instanceof Shape.Array && !literal.isElided()
        ? Bits.of(literal)
        : new Object();
  }

  private static ImmutableList<HloComputation> representatives(
      ImmutableList<HloComputation> called, Map<HloComputation, HloComputation> canonical) {
    return called.isEmpty()
        ? called
        : called.stream()
            .map(each -> canonical.getOrDefault(each, each))
            .collect(toImmutableList());
  }

  /** Returns for each computation the first one with the same instructions. */
  private static Map<HloComputation, HloComputation> canonicalComputations(HloModule module) {
    Map<List<Expression>, HloComputation> first = new HashMap<>();
    Map<HloComputation, HloComputation> canonical = new HashMap<>();
    boolean areMany = module.computations().size() > FEW;
    for (HloComputation computation : module.computations()) {
      if (computation != module.entry() && computation.instructions().size() <= 20) {
        List<Expression> lines = lines(computation, canonical, areMany);
        canonical.put(computation, first.computeIfAbsent(lines, key -> computation));
      }
    }
    return canonical;
  }

  private static List<Expression> lines(
      HloComputation computation, Map<HloComputation, HloComputation> canonical, boolean areMany) {
    Map<HloInstruction, Integer> numbers = new HashMap<>();
    ImmutableList.Builder<Expression> lines = ImmutableList.builder();
    for (HloInstruction instruction : computation.instructions()) {
      List<?> operands = instruction.operands().stream().map(numbers::get).toList();
      lines.add(expression(instruction, operands, canonical, areMany));
      numbers.put(instruction, numbers.size());
    }
    ImmutableList<Integer> root = ImmutableList.of(numbers.getOrDefault(computation.root(), -1));
    return lines
        .add(Expression.of("root", root, ImmutableList.of(), computation.root().shape(), areMany))
        .build();
  }
}
