package org.hlo4j.check.diff;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise;

/**
 * Numbers of what the instructions of two modules compute, whatever they and their operands are
 * called: what computes the same has the same number.
 */
final class Fingerprints {
  /** Whether attributes, layouts and what is called count, and not only opcodes and shapes. */
  private final boolean isStrict;

  private final Map<Object, Integer> numbers = new HashMap<>();

  /** The numbers of instructions and computations. */
  private final IdentityHashMap<Object, Integer> known = new IdentityHashMap<>();

  Fingerprints(boolean isStrict) {
    this.isStrict = isStrict;
  }

  /** Returns the number of an instruction; its operands have to be asked for before. */
  int of(HloInstruction at) {
    return numbered(at, () -> parts(at));
  }

  /** Returns the number of a computation. */
  int of(HloComputation computation) {
    return numbered(
        computation,
        () -> ImmutableList.of(numbers(computation.instructions()), of(computation.root())));
  }

  private int numbered(Object what, Supplier<ImmutableList<?>> parts) {
    Integer found = known.get(what);
    if (found == null) {
      found = numbers.computeIfAbsent(parts.get(), key -> numbers.size());
      known.put(what, found);
    }
    return found;
  }

  private ImmutableList<?> parts(HloInstruction at) {
    ImmutableList<Integer> numbers = numbers(at.operands());
    ImmutableList<Integer> operands =
        isCommutative(at) ? ImmutableList.sortedCopyOf(numbers) : numbers;
    return isStrict
        ? ImmutableList.of(
            at.op(),
            at.shape().toString(),
            operands,
            at.called().stream().map(this::of).collect(toImmutableList()))
        : ImmutableList.of(at.op().opcode(), at.shape().withoutLayout().toString(), operands);
  }

  private ImmutableList<Integer> numbers(List<HloInstruction> instructions) {
    return instructions.stream().map(this::of).collect(toImmutableList());
  }

  /** Returns whether the two operands may be in either order. */
  static boolean isCommutative(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Elementwise op -> op.kind().isCommutative();
      case Compare op ->
          op.direction() == Compare.Direction.EQ || op.direction() == Compare.Direction.NE;
      default -> false;
    };
  }
}
