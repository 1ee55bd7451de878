package org.hlo4j.check.part;

import com.google.common.base.Verify;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Predicate;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/** The values of instructions: of those that are computed several times, the last ones. */
public final class Values {
  private final IdentityHashMap<HloInstruction, Literal> values = new IdentityHashMap<>();
  private final long maxBytes;
  private long bytes;

  /**
   * Creates values, none yet.
   *
   * @param maxBytes how much is kept; what would be more is not
   */
  public Values(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Returns the values of the instructions of the entry, as the reference computes them.
   *
   * @param program the program
   * @param options the options of the reference
   * @return the values
   */
  public static Values of(Program program, EvaluatorOptions options) {
    HloComputation entry = program.module().entry();
    Values values = new Values(Long.MAX_VALUE);
    fill(
        ImmutableList.of(values),
        program,
        ImmutableSet.copyOf(entry.instructions())::contains,
        options);
    values.putGiven(entry, program.arguments());
    return values;
  }

  /**
   * Keeps the values that instructions of a computation are given, dead ones, too.
   *
   * @param computation the computation
   * @param arguments those of its parameters
   */
  public void putGiven(HloComputation computation, List<Literal> arguments) {
    for (HloInstruction each : computation.instructions()) {
      if (each.op() instanceof Parameter parameter) {
        put(each, arguments.get(parameter.number()));
      } else if (each.op() instanceof Constant constant) {
        put(each, constant.literal());
      }
    }
  }

  /**
   * Returns the values that the instructions of all computations have on each device, as the
   * reference computes them.
   *
   * @param program the program
   * @param options the options of the reference
   * @return the values on each device
   */
  public static ImmutableList<Values> ofDevices(Program program, EvaluatorOptions options) {
    ImmutableList<List<Literal>> arguments = program.argumentsOfDevices();
    List<Values> all = new ArrayList<>();
    for (int device = 0; device < program.deviceCount(); device++) {
      all.add(new Values(Long.MAX_VALUE));
      all.getLast()
          .putGiven(
              program.module().entry(), arguments.get(Math.min(device, arguments.size() - 1)));
    }
    fill(all, program, at -> true, options);
    return ImmutableList.copyOf(all);
  }

  /**
   * Runs a program on the reference and keeps values.
   *
   * @param devices the values on each device; on those beyond, none are kept
   * @param program the program
   * @param isWanted whether the value of an instruction is kept
   * @param options the options of the reference
   */
  public static void fill(
      List<Values> devices,
      Program program,
      Predicate<HloInstruction> isWanted,
      EvaluatorOptions options) {
    program.run(
        Interpreter::reference,
        options.toBuilder()
            .valueListener((device, at, value) -> {
              if (device < devices.size() && isWanted.test(at)) {
                devices.get(device).put(at, value);
              }
            })
            .build());
  }

  /**
   * Keeps a value, if that is not too much.
   *
   * @param instruction the instruction
   * @param value its value
   */
  public synchronized void put(HloInstruction instruction, Literal value) {
    long more = bytes(value) - bytes(instruction);
    if (bytes + more <= maxBytes) {
      bytes += more;
      values.put(instruction, value);
    }
  }

  /**
   * Returns whether the value of an instruction is known.
   *
   * @param instruction the instruction
   * @return whether it is
   */
  public boolean has(HloInstruction instruction) {
    return values.containsKey(instruction);
  }

  /**
   * Returns the value of an instruction.
   *
   * @param instruction an instruction whose value is known
   * @return its value
   */
  public Literal of(HloInstruction instruction) {
    return Verify.verifyNotNull(values.get(instruction), "no value of %s", instruction);
  }

  /**
   * Returns the size of a value.
   *
   * @param instruction the instruction
   * @return how many bytes it has; 0 if it is not known
   */
  public long bytes(HloInstruction instruction) {
    return has(instruction) ? bytes(of(instruction)) : 0;
  }

  /**
   * Returns the size of what an instruction reads and gives.
   *
   * @param instruction the instruction
   * @return how many bytes, as far as they are known
   */
  public long bytesAround(HloInstruction instruction) {
    return bytes(instruction) + instruction.operands().stream().mapToLong(this::bytes).sum();
  }

  private static long bytes(Literal value) {
    return value.arrays().stream()
        .mapToLong(each -> (long) each.elementCount() * each.elementType().bits() / 8)
        .sum();
  }
}
