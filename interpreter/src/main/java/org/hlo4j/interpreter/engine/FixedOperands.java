package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.jspecify.annotations.Nullable;

/**
 * The values that are the same in each run of a program, constants and bound arguments, and the
 * room for the forms in which kernels keep them.
 */
final class FixedOperands {
  private final @Nullable FixedOperand[] arguments;
  private final IdentityHashMap<HloInstruction, FixedOperand> parameters = new IdentityHashMap<>();
  private final IdentityHashMap<Literal, FixedOperand> constants = new IdentityHashMap<>();
  private final AtomicLong room;
  private final long allRoom;

  /** Creates the values of a program without bound arguments. */
  FixedOperands(long room) {
    this(ImmutableList.of(), new Literal[0], room);
  }

  /**
   * Creates the values of a program.
   *
   * @param entry the parameters of the program
   * @param bound the argument of each parameter, or null where none is bound
   * @param room the number of bytes that kernels may keep, all together
   */
  FixedOperands(ImmutableList<HloInstruction> entry, @Nullable Literal[] bound, long room) {
    this.allRoom = room;
    this.room = new AtomicLong(room);
    this.arguments = new @Nullable FixedOperand[bound.length];
    IdentityHashMap<Literal, FixedOperand> all = new IdentityHashMap<>();
    for (int i = 0; i < bound.length; i++) {
      Literal literal = bound[i];
      if (literal != null) {
        FixedOperand argument = all.computeIfAbsent(literal, this::operand);
        arguments[i] = argument;
        parameters.put(entry.get(i), argument);
      }
    }
  }

  private FixedOperand operand(Literal literal) {
    return new FixedOperand(literal, room);
  }

  /** Returns the kernel of an instruction for its operands that are fixed, if there is room. */
  synchronized Kernel specialize(Kernel kernel, HloInstruction instruction) {
    Kernel best = kernel;
    for (int i = 0; i < instruction.operands().size(); i++) {
      HloInstruction operand = instruction.operands().get(i);
      FixedOperand fixed =
          operand.op() instanceof Constant constant
              ? constants.computeIfAbsent(constant.literal(), this::operand)
              : parameters.get(operand);
      best = fixed == null ? best : best.withFixedOperand(i, fixed.forms());
    }
    return best;
  }

  /** Returns the number of bytes that kernels keep, or will once they have run. */
  long keptBytes() {
    return allRoom - room.get();
  }

  /** Returns the bound argument of a parameter; null if none is bound. */
  @Nullable FixedOperand argument(int parameter) {
    return arguments[parameter];
  }

  /** Returns the bound arguments, each once. */
  Set<FixedOperand> arguments() {
    return new HashSet<>(parameters.values());
  }

  /**
   * Lets go of the bound arguments that no run reads from now on.
   *
   * @param entry the schedule of the program
   * @return whether more may follow later
   */
  boolean letGo(Schedule entry) {
    Set<FixedOperand> unread = arguments();
    entry.forEachRead(operand -> unread.remove(parameters.get(operand)));
    unread.forEach(FixedOperand::letGo);
    return parameters.values().stream().anyMatch(FixedOperand::isPending);
  }
}
