package org.hlo4j.interpreter;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Collection;
import java.util.Comparator;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.compiled.passes.TripCount;
import org.hlo4j.interpreter.engine.ModuleCost;
import org.hlo4j.interpreter.engine.ModulePeak;

/**
 * The cost of a module, computed without running it, from its instructions as they are before an
 * evaluator fuses any. Operations are counted as in XLA's HloCostAnalysis.
 *
 * @param flops arithmetic operations: one for each element of an element-wise op, two for each term
 *     of a dot or convolution; ops with an algorithm of their own, such as fft, count as their
 *     usual algorithm
 * @param transcendentals evaluations of transcendental functions, such as exponential, power and
 *     sqrt, which do not count as flops
 * @param bytesAccessed the bytes that all instructions read and write, each instruction by itself
 * @param peakBytes the most bytes that are live at one time, without arguments and constants, if
 *     instructions are run in order and none is computed in place of an operand
 * @param peakAt the instruction that is computed at the peak
 * @param alive the arrays that are live at the peak, the largest first
 * @param uncountedLoops the loops whose number of iterations is not known; they count as one
 *     iteration
 */
public record CostAnalysis(
    double flops,
    double transcendentals,
    double bytesAccessed,
    long peakBytes,
    HloInstruction peakAt,
    ImmutableList<Alive> alive,
    ImmutableList<HloInstruction> uncountedLoops) {
  private static final int MAX_ITERATIONS = 1_000_000;
  private static final double MAX_BYTES = 0x1p60;
  private static final Pattern KNOWN =
      Pattern.compile("\"known_trip_count\":\\{\"n\":\"?(\\d{1,18})\"?");

  /**
   * The live arrays of one instruction.
   *
   * @param instruction the instruction that made them
   * @param bytes how many bytes they have
   */
  public record Alive(HloInstruction instruction, long bytes) {}

  /**
   * Analyses a module.
   *
   * @param module a valid module
   * @return the cost of the module
   * @throws HloException if a size in it is not known, or its arrays have 2^60 bytes or more
   */
  public static CostAnalysis of(HloModule module) {
    instructions(module).forEach(CostAnalysis::requireSizes);
    double all = instructions(module).mapToDouble(one -> bytes(one.shape())).sum();
    require(all < MAX_BYTES, "", "cost: arrays got %s bytes, want fewer than 2^60", all);
    ModuleCost.Cost cost = new ModuleCost(CostAnalysis::tripCount).of(module);
    ModulePeak peak = ModulePeak.of(module);
    return new CostAnalysis(
        cost.flops(),
        cost.transcendentals(),
        cost.bytes(),
        peak.bytes(),
        peak.instruction(),
        peak.bytesByInstruction().entrySet().stream()
            .map(entry -> new Alive(entry.getKey(), entry.getValue()))
            .sorted(Comparator.comparingLong(Alive::bytes).reversed())
            .collect(toImmutableList()),
        instructions(module)
            .filter(one -> one.op() instanceof While && tripCount(one).isEmpty())
            .collect(toImmutableList()));
  }

  /**
   * Returns the {@link #flops} of some instructions of a module, including those of the
   * computations that they call.
   *
   * @param instructions the instructions, of known sizes
   * @return their arithmetic operations
   */
  public static double flops(Collection<HloInstruction> instructions) {
    ModuleCost cost = new ModuleCost(CostAnalysis::tripCount);
    return instructions.stream().mapToDouble(each -> cost.of(each).flops()).sum();
  }

  private static Stream<HloInstruction> instructions(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream());
  }

  private static void requireSizes(HloInstruction instruction) {
    boolean isDynamic = instruction.shape().arrays().stream().anyMatch(Shape.Array::hasUnbounded);
    require(
        !isDynamic,
        "",
        "cost: %s got %s, want known sizes",
        instruction.name(),
        instruction.shape());
  }

  /**
   * Returns the bytes of a shape as an evaluator stores it: elements of fewer than 8 bits take a
   * byte each.
   *
   * @param shape a shape whose sizes are known
   * @return the bytes of all arrays in it, as a double that does not overflow
   */
  public static double bytes(Shape shape) {
    return shape.arrays().stream()
        .mapToDouble(array ->
            (double) array.elementCount() * Math.max(1, array.elementType().bits() / Byte.SIZE))
        .sum();
  }

  /**
   * Returns the trip count that XLA wrote into a loop's backend_config, or else the one that
   * follows from its condition and its body.
   *
   * @param loop a {@code while}
   * @return the number of iterations, if it is known
   */
  public static OptionalLong tripCount(HloInstruction loop) {
    Matcher known = KNOWN.matcher(loop.attributes().getOrDefault("backend_config", ""));
    if (known.find()) {
      return OptionalLong.of(Long.parseLong(known.group(1)));
    }
    OptionalInt counted =
        TripCount.of(
            loop.called().get(0), loop.called().get(1), loop.operands().get(0), MAX_ITERATIONS);
    return counted.isPresent() ? OptionalLong.of(counted.getAsInt()) : OptionalLong.empty();
  }
}
