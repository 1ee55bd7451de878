package org.hlo4j.check.part;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Verify;
import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
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
   * Returns the arguments and constants of a program's entry, of dead ones, too.
   *
   * @param program the program
   * @param maxBytes how much each device keeps; what would be more is not
   * @return the values on each device
   */
  public static ImmutableList<Values> given(Program program, long maxBytes) {
    ImmutableList<List<Literal>> arguments = program.argumentsOfDevices();
    return IntStream.range(0, program.deviceCount())
        .mapToObj(device -> {
          Values own = new Values(maxBytes);
          own.putGiven(program, arguments.get(Math.min(device, arguments.size() - 1)));
          return own;
        })
        .collect(toImmutableList());
  }

  private void putGiven(Program program, List<Literal> arguments) {
    for (HloInstruction each : program.module().entry().instructions()) {
      if (each.op() instanceof Parameter parameter) {
        put(each, arguments.get(parameter.number()));
      } else if (each.op() instanceof Constant constant) {
        put(each, constant.literal());
      }
    }
  }

  /**
   * Returns whether a shape has no tokens and buffers.
   *
   * @param shape the shape of an array or tuple
   * @return whether all that is in it are arrays
   */
  public static boolean isOfArrays(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? tuple.elements().stream().allMatch(Values::isOfArrays)
        : shape instanceof Shape.Array;
  }

  /**
   * Returns a random value.
   *
   * @param shape its shape
   * @param random where it comes from
   * @return normally distributed numbers, or small whole numbers
   */
  public static Literal random(Shape.Array shape, SplittableRandom random) {
    ElementType part = shape.elementType().componentType();
    int most = (int) Math.min(part.isFloating() || part.bits() == 64 ? 3 : part.maxLong(), 3);
    return Literal.ofBits(
        shape,
        i -> part.isFloating() ? part.encode(random.nextGaussian()) : random.nextInt(most + 1));
  }

  /**
   * Returns what is given and what the reference computes from it.
   *
   * @param program the program
   * @param isWanted whether the value of an instruction is kept
   * @param options the options of the reference
   * @return the values on each device
   */
  public static ImmutableList<Values> of(
      Program program, Predicate<HloInstruction> isWanted, EvaluatorOptions options) {
    ImmutableList<Values> all = given(program, Long.MAX_VALUE);
    fill(all, program, isWanted, options);
    return all;
  }

  /**
   * Runs a program on the reference and keeps values.
   *
   * @param devices the values on each device
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
              if (isWanted.test(at)) {
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
   * Returns the instructions whose values are known.
   *
   * @return a view of them
   */
  public Set<HloInstruction> instructions() {
    return Collections.unmodifiableSet(values.keySet());
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
   * Returns the size of what an instruction reads and gives.
   *
   * @param instruction the instruction
   * @return how many bytes, as far as they are known
   */
  public long bytesAround(HloInstruction instruction) {
    return bytes(instruction) + instruction.operands().stream().mapToLong(this::bytes).sum();
  }

  private long bytes(HloInstruction instruction) {
    return has(instruction) ? bytes(of(instruction)) : 0;
  }

  private static long bytes(Literal value) {
    return value.arrays().stream()
        .mapToLong(each -> (long) each.elementCount() * each.elementType().bits() / 8)
        .sum();
  }
}
