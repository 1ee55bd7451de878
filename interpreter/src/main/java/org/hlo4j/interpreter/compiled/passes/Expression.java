package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.jspecify.annotations.Nullable;

/**
 * All that the value of an instruction depends on. Constants are equal if their bits are.
 *
 * @param op the op, or what stands for it
 * @param operands the operands, or what is known of them: their numbers in a computation, to
 *     compare two computations; their shapes, to compare kernels
 * @param called the computations that it calls, or what stands for them
 * @param shape the shape of the result
 * @param hash the hash code
 */
public record Expression(Object op, List<?> operands, List<?> called, Shape shape, int hash) {
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

  /**
   * Returns an expression. If there are many instructions, its hash includes the op itself. If
   * there are few, it includes for most ops only the class, since hashing a record for the first
   * time takes a millisecond.
   */
  private static Expression of(
      Object op, List<?> operands, List<?> called, Shape shape, boolean isOfMany) {
    boolean isHashed = isOfMany || op instanceof Bits || op instanceof Elementwise;
    int given = 31 * operands.hashCode() + called.hashCode();
    int hash = 31 * given + (isHashed ? op : op.getClass()).hashCode();
    return new Expression(op, operands, called, shape, hash);
  }

  /**
   * Returns what the value of an instruction depends on.
   *
   * @param operands what is compared of its operands
   * @param canonical what to compare instead of a called computation
   * @param isOfMany whether it is one of many, so that the hash has to be good
   */
  static Expression of(
      HloInstruction instruction,
      List<?> operands,
      Function<HloComputation, ?> canonical,
      boolean isOfMany) {
    return of(
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

  private static List<?> representatives(
      ImmutableList<HloComputation> called, Function<HloComputation, ?> canonical) {
    return called.isEmpty() ? called : called.stream().map(canonical).collect(toImmutableList());
  }

  /**
   * Returns the instructions of a computation, with the numbers of their operands, and its root.
   */
  static List<Expression> lines(
      HloComputation computation, Function<HloComputation, ?> canonical, boolean areMany) {
    Map<HloInstruction, Integer> numbers = new HashMap<>();
    ImmutableList.Builder<Expression> lines = ImmutableList.builder();
    for (HloInstruction instruction : computation.instructions()) {
      List<?> operands = instruction.operands().stream().map(numbers::get).toList();
      lines.add(of(instruction, operands, canonical, areMany));
      numbers.put(instruction, numbers.size());
    }
    ImmutableList<Integer> root = ImmutableList.of(numbers.getOrDefault(computation.root(), -1));
    return lines
        .add(of("root", root, ImmutableList.of(), computation.root().shape(), areMany))
        .build();
  }

  /**
   * {@return what the kernel of an instruction depends on: all that a fusion computes; of another
   * one, the op and the shapes} The kernel must not depend on what its operands are.
   */
  public static List<Expression> ofKernel(HloInstruction instruction) {
    return instruction.op() instanceof Fusion
        ? body(instruction.called().get(0))
        : List.of(
            of(
                instruction,
                instruction.operands().stream().map(each -> each.shape().withoutLayout()).toList(),
                Expression::body,
                false));
  }

  /** Returns all that a computation and those that it calls compute, whatever their names. */
  private static List<Expression> body(HloComputation computation) {
    return lines(computation, Expression::body, false);
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
