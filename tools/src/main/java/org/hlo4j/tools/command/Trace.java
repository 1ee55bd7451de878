package org.hlo4j.tools.command;

import com.google.common.collect.ImmutableSet;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.tools.console.ValueText;
import org.hlo4j.tools.program.Origins;

/** A printer of values as they are computed, which also finds the first one that is not finite. */
final class Trace {
  /** Thrown to end a run that has shown what was requested. */
  static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stop() {
      super("stopped", null, false, false);
    }
  }

  private static final ImmutableSet<Class<? extends Op>> RUN_WHOLE =
      ImmutableSet.of(AsyncStart.class, Call.class, Conditional.class, Fusion.class, While.class);

  /** Ops that only move elements. */
  private static final ImmutableSet<Class<? extends Op>> MOVING =
      ImmutableSet.of(
          Bitcast.class,
          Broadcast.class,
          Convert.class,
          Copy.class,
          GetTupleElement.class,
          Reshape.class,
          Transpose.class,
          Tuple.class);

  private final Origins origins;
  private final DeviceGrid grid;
  private final PrintWriter out;
  private final Set<HloInstruction> shown = new HashSet<>();
  private final Set<HloInstruction> notFinite = new HashSet<>();
  private final HloComputation entry;
  private Optional<String> first = Optional.empty();
  private long count;

  Trace(HloModule module, DeviceGrid grid, boolean all, PrintWriter out) {
    this.origins = new Origins(module);
    this.entry = module.entry();
    this.grid = grid;
    this.out = out;
    show(entry, all);
  }

  private void show(HloComputation computation, boolean all) {
    for (HloInstruction instruction : computation.instructions()) {
      if (shown.add(instruction) && (all || RUN_WHOLE.contains(instruction.op().getClass()))) {
        instruction.called().forEach(called -> show(called, all));
      }
    }
  }

  /** Prints a value; returns whether it is the first that is not finite. */
  synchronized boolean print(int device, HloInstruction instruction, Literal value) {
    if (!shown.contains(instruction)) {
      return false;
    }
    count++;
    boolean isFinite = value.isFinite();
    boolean isFirst = !isFinite && first.isEmpty() && isNonFiniteOrigin(instruction);
    if (!isFinite) {
      notFinite.add(instruction);
    }
    String line = line(device, instruction, value);
    out.println(line + (isFirst ? "   <-- the first that is not finite" : ""));
    if (isFirst) {
      first = Optional.of(line);
    }
    return isFirst;
  }

  /**
   * Returns whether a non-finite value originates at an instruction: at a parameter of the entry,
   * or at an op that is not a constant and does not only move a non-finite operand.
   */
  private boolean isNonFiniteOrigin(HloInstruction instruction) {
    if (instruction.op() instanceof Parameter) {
      return entry.parameters().contains(instruction);
    }
    return !(instruction.op() instanceof Constant)
        && !(MOVING.contains(instruction.op().getClass())
            && instruction.operands().stream().anyMatch(notFinite::contains));
  }

  private String line(int device, HloInstruction instruction, Literal value) {
    String who = grid.deviceCount() > 1 ? "[" + device + "] " : "";
    String origin = origins.of(instruction).map(at -> "   " + at).orElse("");
    return String.format("%s%-20s %s%s", who, instruction.name(), ValueText.line(value), origin);
  }

  /** Prints the last line. */
  void end() {
    out.println(
        count + " values, " + first.map(at -> "the first not finite: " + at).orElse("all finite"));
  }
}
