package org.hlo4j.check.shrink;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.hlo4j.check.Program;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.EvaluatorOptions;

/** A program, and the values of its instructions. */
final class Known {
  private static final long MAX_BYTES = 1L << 29;
  private static final long MAX_STAND_IN = 1L << 24;
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  private final Program program;
  private final Supplier<ImmutableList<Values>> values = Suppliers.memoize(this::evaluated);
  private final ImmutableSet<HloInstruction> dead;
  private final ImmutableSet<HloInstruction> entry;
  private final SplittableRandom random = new SplittableRandom(0);

  Known(Program program) {
    this.program = program;
    this.dead = Rewrite.dead(program.module());
    this.entry = ImmutableSet.copyOf(program.module().entry().instructions());
  }

  Program program() {
    return program;
  }

  /** Returns what nothing needs, in all computations. */
  ImmutableSet<HloInstruction> dead() {
    return dead;
  }

  boolean isInEntry(HloInstruction at) {
    return entry.contains(at);
  }

  boolean isResult(HloInstruction at) {
    return at == program.module().entry().root();
  }

  boolean isInner(HloInstruction at) {
    return !isInEntry(at) && !isGiven(at);
  }

  static boolean isGiven(HloInstruction at) {
    return at.op() instanceof Parameter || at.op() instanceof Constant;
  }

  /**
   * Returns the argument of a parameter of the entry; if devices have arguments of their own, the
   * tuple of them.
   */
  Optional<Literal> argument(HloInstruction at) {
    return at.op() instanceof Parameter parameter && isInEntry(at)
        ? Optional.of(program.arguments().get(parameter.number()))
        : Optional.empty();
  }

  /** Returns the values on each device. */
  private ImmutableList<Values> evaluated() {
    ImmutableList<Values> all = Values.given(program, MAX_BYTES / program.deviceCount());
    try {
      EvaluatorOptions options = EvaluatorOptions.builder().deadline(DEADLINE).build();
      Values.fill(all, program, at -> isInEntry(at) || at.op() instanceof Parameter, options);
    } catch (HloException | StackOverflowError refused) {
      // What it has computed so far is known.
    }
    return all;
  }

  /**
   * Returns the last value of an instruction as the reference computes it, or a random one; empty
   * if it is not an array. If devices have arguments of their own, it is a tuple of their values.
   */
  Optional<Literal> value(HloInstruction at) {
    List<Literal> all = new ArrayList<>();
    for (Values own : values.get()) {
      if (own.has(at)) {
        all.add(own.of(at));
      } else if (at.shape().withoutLayout() instanceof Shape.Array array
          && array.elementCount() <= MAX_STAND_IN) {
        all.add(Values.random(array, random));
      }
    }
    return all.size() < values.get().size()
        ? Optional.empty()
        : Optional.of(program.isOfEachDevice() ? Literal.tuple(all) : all.get(0));
  }
}
