package org.hlo4j.interpreter.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;

/**
 * The plan of a program as text, with a line for each instruction: its name, its shape, the kernel
 * that computes it, the bytes read and written, and the floating-point operations of dots and
 * convolutions.
 */
final class Explanation {
  private final Program program;
  private final StringBuilder text = new StringBuilder();

  Explanation(Program program) {
    this.program = program;
    Set<HloComputation> run = new HashSet<>();
    run.add(program.scheduledModule().entry());
    for (HloComputation computation : program.scheduledModule().computations().reverse()) {
      if (run.contains(computation)) {
        append(computation);
        run.addAll(called(program.schedule(computation)));
      }
    }
    program.notes().reverse().forEach(note -> text.insert(0, note + "\n"));
  }

  /**
   * Returns the computations that are run step by step. Those that a kernel calls are part of the
   * kernel.
   */
  private static List<HloComputation> called(Schedule schedule) {
    return IntStream.range(0, schedule.size())
        .filter(slot -> schedule.kernel(slot) == null)
        .mapToObj(schedule::instruction)
        .filter(each -> !isReducedWhole(each))
        .map(HloInstruction::called)
        .flatMap(List::stream)
        .toList();
  }

  /** Returns whether a group of devices reduces whole arrays, not element by element. */
  private static boolean isReducedWhole(HloInstruction instruction) {
    return isCollective(instruction.op())
        && instruction.called().stream().allMatch(ScalarBodies::isElementwise);
  }

  private static boolean isCollective(Op op) {
    return op instanceof Collective || op instanceof CollectiveStart;
  }

  private void append(HloComputation computation) {
    Schedule schedule = program.schedule(computation);
    text.append(
        String.format(
            Locale.ROOT,
            "%s: %s instructions, at most %s in arrays of its own, temporary ones in %s buffers of"
                + " %s\n",
            computation.name(),
            schedule.size(),
            bytes(schedule.peakBytes()),
            schedule.buffers().size(),
            bytes(schedule.buffers().stream().mapToLong(Liveness::bytes).sum())));
    for (int i = 0; i < schedule.size(); i++) {
      text.append(line(schedule, i).stripTrailing()).append('\n');
    }
  }

  private static String line(Schedule schedule, int slot) {
    HloInstruction instruction = schedule.instruction(slot);
    Kernel kernel = schedule.kernel(slot);
    String shape = instruction.shape().withoutLayout().toString();
    String start = String.format("  %-24s %-22s ", instruction.name(), shape);
    if (kernel == null) {
      return start + kernel(schedule, slot);
    }
    long read = instruction.operands().stream().mapToLong(o -> bytes(o.shape())).sum();
    return start
        + kernel.describe()
        + String.format(
            " | reads %s, writes %s%s%s",
            bytes(read),
            bytes(bytes(instruction.shape())),
            operations(instruction),
            schedule.keptBytes(slot) == 0 ? "" : ", keeps " + bytes(schedule.keptBytes(slot)));
  }

  /** Returns what computes an instruction: its kernel, or why it has none. */
  static String kernel(Schedule schedule, int slot) {
    Kernel kernel = schedule.kernel(slot);
    return kernel == null
        ? withoutKernel(schedule.instruction(slot), schedule.decline(slot))
        : kernel.describe();
  }

  private static String withoutKernel(HloInstruction instruction, String reason) {
    Op op = instruction.op();
    if (op instanceof ForwardingOp) {
      boolean callsOthers = !instruction.called().isEmpty() && !reason.isEmpty();
      return op.opcode() + (callsOthers ? ", step by step: " + reason : "");
    }
    if (isCollective(op) && !reason.equals(KernelChoice.NONE.reason())) {
      return op.opcode() + ", " + reason;
    }
    return DynamicShapes.hasDynamicShape(instruction)
        ? "reference: " + op.opcode() + ", as its sizes are known only when it runs"
        : "reference: " + op.opcode() + ", " + reason;
  }

  private static String operations(HloInstruction instruction) {
    double count = operationsOf(instruction);
    return count == 0 ? "" : String.format(Locale.ROOT, ", %.3g GFLOP", count / 1e9);
  }

  private static double operationsOf(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Contraction op -> ContractionCost.operations(op, instruction);
      case Fusion op ->
          instruction.called().get(0).instructions().stream()
              .mapToDouble(Explanation::operationsOf)
              .sum();
      default -> 0;
    };
  }

  static long bytes(Shape shape) {
    List<Shape.Array> arrays = shape.arrays();
    return arrays.stream().filter(array -> !array.hasUnbounded()).mapToLong(Liveness::bytes).sum();
  }

  static String bytes(long count) {
    return count < 10_000
        ? count + " B"
        : count < 10_000_000
            ? String.format(Locale.ROOT, "%.1f kB", count / 1e3)
            : String.format(Locale.ROOT, "%.1f MB", count / 1e6);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
