package org.hlo4j.check.shrink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * The values of the instructions of a program as the reference computes them, or random numbers
 * where it does not.
 */
final class Values {
  private static final long MAX_BYTES = 1L << 29;
  private static final long MAX_STAND_IN = 1L << 24;
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  /** The last values on each device; only those of the first if all take whole arrays. */
  private final List<Map<String, Literal>> last = new ArrayList<>();

  private final SplittableRandom random;
  private final Program program;
  private long bytes;
  private boolean isEvaluated;

  /** Creates the values of a program, which is evaluated as far as the reference can. */
  Values(Program program, long seed) {
    this.program = program;
    this.random = new SplittableRandom(seed);
    program.argumentsOfDevices().forEach(own -> last.add(new HashMap<>()));
  }

  private void evaluate() {
    Set<String> wanted = new HashSet<>();
    for (var computation : program.module().computations()) {
      boolean isEntry = computation == program.module().entry();
      (isEntry ? computation.instructions() : computation.parameters())
          .forEach(each -> wanted.add(each.name()));
    }
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .deadline(DEADLINE)
            .valueListener((device, at, value) -> {
              if (device < last.size()) {
                keep(wanted, last.get(device), at, value);
              }
            })
            .build();
    try {
      program.run(Interpreter::reference, options);
    } catch (HloException | StackOverflowError refused) {
      // What it has computed so far is known.
    }
    isEvaluated = true;
  }

  private synchronized void keep(
      Set<String> wanted, Map<String, Literal> known, HloInstruction at, Literal value) {
    long size =
        at.shape() instanceof Shape.Array array
            ? array.elementCount() * Math.max(1, array.elementType().bits() / 8)
            : 0;
    if (wanted.contains(at.name()) && bytes + size <= MAX_BYTES) {
      bytes += known.put(at.name(), value) == null ? size : 0;
    }
  }

  /**
   * Returns the last value of an instruction, or a random one; empty if it is not an array. If
   * devices have arguments of their own, it is a tuple of their values.
   */
  Optional<Literal> of(HloInstruction at) {
    if (!isEvaluated) {
      evaluate();
    }
    List<Literal> all =
        last.stream().flatMap(known -> of(at, Optional.ofNullable(known.get(at.name())))).toList();
    return all.size() < last.size()
        ? Optional.empty()
        : Optional.of(program.isOfEachDevice() ? Literal.tuple(all) : all.get(0));
  }

  private Stream<Literal> of(HloInstruction at, Optional<Literal> known) {
    return known.isPresent() || !(at.shape().withoutLayout() instanceof Shape.Array array)
        ? known.stream()
        : Stream.of(array).filter(it -> it.elementCount() <= MAX_STAND_IN).map(this::standIn);
  }

  /** Returns normally distributed numbers, or small whole numbers. */
  private Literal standIn(Shape.Array shape) {
    ElementType part = shape.elementType().componentType();
    int most = (int) Math.min(part.isFloating() || part.bits() == 64 ? 3 : part.maxLong(), 3);
    return Literal.ofBits(
        shape,
        i -> part.isFloating() ? part.encode(random.nextGaussian()) : random.nextInt(most + 1));
  }
}
