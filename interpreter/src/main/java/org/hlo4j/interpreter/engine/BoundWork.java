package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/**
 * A module split in two: the work that depends on bound arguments and constants alone, which is
 * done once, and the rest, which takes the results of that work as further parameters.
 *
 * @param once computes a tuple of the results from some of the bound arguments
 * @param onceParameters the numbers of the parameters of the given module that {@code once} takes
 * @param rest computes what the given module does
 * @param restParameters the numbers of the parameters of the given module that {@code rest} takes,
 *     before the results of {@code once}
 */
record BoundWork(
    HloModule once,
    ImmutableList<Integer> onceParameters,
    HloModule rest,
    ImmutableList<Integer> restParameters) {
  /** How many times as many elements as its operands a value may have to be kept. */
  private static final int MAX_GROWTH = 2;

  private static final long SMALL = 1024;

  /** The attribute with the meshes that custom calls name; others are about all parameters. */
  private static final String KEPT = "frontend_attributes";

  /**
   * Splits a module.
   *
   * @param bound for each parameter, whether its argument is bound
   * @return the parts; empty if there is nothing to do once
   */
  static Optional<BoundWork> of(HloModule module, List<Boolean> bound) {
    return new Splitter(module, bound).split();
  }

  private static final class Splitter {
    private final HloModule module;
    private final HloComputation entry;
    private final List<Boolean> bound;
    private final Set<HloInstruction> fixed = new HashSet<>();

    /** For each fixed instruction, the number of elements that its value is made of. */
    private final Map<HloInstruction, Long> sizes = new HashMap<>();

    private final Set<HloInstruction> results = new LinkedHashSet<>();
    private final Effects effects = new Effects();

    Splitter(HloModule module, List<Boolean> bound) {
      this.module = module;
      this.entry = module.entry();
      this.bound = bound;
    }

    Optional<BoundWork> split() {
      entry.instructions().forEach(this::classify);
      for (HloInstruction each : entry.instructions()) {
        if (!fixed.contains(each)) {
          each.operands().forEach(this::require);
        }
      }
      require(entry.root());
      results.removeIf(result -> isLeaf(result));
      if (results.isEmpty()) {
        return Optional.empty();
      }
      Part once = new Part(results, ImmutableSet.of());
      HloInstruction tuple =
          HloInstruction.of(
              unusedName(),
              new Tuple(),
              results.stream().map(once::copy).toArray(HloInstruction[]::new));
      once.written.add(tuple);
      Set<HloInstruction> stays = new LinkedHashSet<>();
      for (HloInstruction each : entry.instructions()) {
        if (!fixed.contains(each) || each == entry.root()) {
          stays.add(each);
        }
      }
      Part rest = new Part(stays, results);
      return Optional.of(
          new BoundWork(
              once.build(tuple),
              ImmutableList.copyOf(once.numbers),
              rest.build(rest.copy(entry.root())),
              ImmutableList.copyOf(rest.numbers)));
    }

    private String unusedName() {
      Set<String> used =
          module.computations().stream()
              .flatMap(computation -> computation.instructions().stream())
              .map(HloInstruction::name)
              .collect(Collectors.toSet());
      String name = "results";
      while (used.contains(name)) {
        name += "_";
      }
      return name;
    }

    private static boolean isLeaf(HloInstruction instruction) {
      return instruction.op() instanceof Parameter || instruction.op() instanceof Constant;
    }

    private void classify(HloInstruction each) {
      if (!(each.shape() instanceof Shape.Array shape) || shape.isDynamic()) {
        return;
      }
      if (each.op() instanceof Parameter parameter) {
        if (bound.get(parameter.number())) {
          fix(each, shape.elementCount());
        }
      } else if (each.op() instanceof Constant || each.op() instanceof Iota) {
        fix(each, each.op() instanceof Iota ? 0 : shape.elementCount());
      } else if (effects.isPure(each)
          && OpTraits.of(each.op()).family() != Family.CONTROL
          && !isOfDevice(each)
          && fixed.containsAll(each.operands())) {
        long size = each.operands().stream().mapToLong(o -> sizes.getOrDefault(o, 0L)).sum();
        if (each.op() instanceof Broadcast) {
          fix(each, size);
        } else if (shape.elementCount() <= Math.max(SMALL, MAX_GROWTH * size)) {
          fix(each, shape.elementCount());
        }
      }
    }

    /** Returns whether each device has another value, though it does the same work. */
    private static boolean isOfDevice(HloInstruction each) {
      return each.op() instanceof PartitionId || each.op() instanceof ReplicaId;
    }

    private void fix(HloInstruction instruction, long size) {
      fixed.add(instruction);
      sizes.put(instruction, size);
    }

    /** Makes a fixed value available to the rest: broadcasts and iotas are computed there. */
    private void require(HloInstruction value) {
      if (!fixed.contains(value)) {
        return;
      }
      if (value.op() instanceof Broadcast || value.op() instanceof Iota) {
        value.operands().forEach(this::require);
      } else {
        results.add(value);
      }
    }

    /** A new entry computation of some instructions and all that they need. */
    private final class Part {
      final List<Integer> numbers = new ArrayList<>();
      final List<HloInstruction> written = new ArrayList<>();
      private final Map<HloInstruction, HloInstruction> copies = new HashMap<>();

      /**
       * Copies instructions.
       *
       * @param wanted the instructions
       * @param given those whose values are parameters, after those of the module
       */
      Part(Set<HloInstruction> wanted, Set<HloInstruction> given) {
        Set<HloInstruction> needed = new HashSet<>(wanted);
        for (HloInstruction each : entry.instructions().reverse()) {
          if (needed.contains(each) && !given.contains(each)) {
            needed.addAll(each.operands());
          }
        }
        for (HloInstruction parameter : entry.parameters()) {
          if (needed.contains(parameter)) {
            write(parameter, parameter(parameter, numbers.size()));
            numbers.add(((Parameter) parameter.op()).number());
          }
        }
        int number = numbers.size();
        for (HloInstruction each : given) {
          write(each, parameter(each, number++));
        }
        for (HloInstruction each : entry.instructions()) {
          if (needed.contains(each) && !copies.containsKey(each)) {
            write(each, each.withOperands(each.operands().stream().map(this::copy).toList()));
          }
        }
      }

      private static HloInstruction parameter(HloInstruction like, int number) {
        return HloInstruction.of(like.name(), new Parameter(number, like.shape()));
      }

      private void write(HloInstruction each, HloInstruction copy) {
        copies.put(each, copy);
        written.add(copy);
      }

      HloInstruction copy(HloInstruction each) {
        return Objects.requireNonNull(copies.get(each));
      }

      HloModule build(HloInstruction root) {
        return HloModule.create(module.name(), HloComputation.create(entry.name(), written, root))
            .withText(Maps.filterKeys(module.attributes(), KEPT::equals), module.stackFrames());
      }
    }
  }
}
