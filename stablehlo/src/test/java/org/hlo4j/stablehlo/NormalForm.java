package org.hlo4j.stablehlo;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.mlir.Operation;

/** Modules without what neither converter promises: names, and the order of instructions. */
final class NormalForm {
  /** Opcodes of which XLA leaves instructions that nothing uses. */
  private static final Set<String> LEFT_BEHIND =
      Set.of("reshape", "constant", "get-tuple-element", "tuple", "copy");

  private final Map<HloComputation, HloComputation> computations = new HashMap<>();

  private NormalForm() {}

  /** Returns the text of a module, in which operands stand before their users, from the root on. */
  static String of(HloModule module) {
    NormalForm form = new NormalForm();
    HloModule renamed =
        HloModule.create("m", form.computation(module.entry()))
            .withText(module.attributes(), module.stackFrames());
    return Printer.print(renamed).replaceAll("\n\n+", "\n");
  }

  private HloComputation computation(HloComputation computation) {
    HloComputation known = computations.get(computation);
    if (known != null) {
      return known;
    }
    List<HloInstruction> order = new ArrayList<>();
    Set<HloInstruction> seen = new HashSet<>();
    visit(computation.root(), seen, order);
    computation.parameters().forEach(each -> visit(each, seen, order));
    computation.instructions().stream()
        .filter(
            each -> !LEFT_BEHIND.contains(each.op().opcode()) || each.op() instanceof CustomCall)
        .forEach(each -> visit(each, seen, order));
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    for (HloInstruction each : order) {
      copies.put(each, copy(each, "v" + copies.size(), copies));
    }
    known =
        HloComputation.create(
            "c" + computations.size(),
            order.stream().map(copies::get).toList(),
            requireNonNull(copies.get(computation.root())));
    computations.put(computation, known);
    return known;
  }

  private HloInstruction copy(
      HloInstruction each, String name, Map<HloInstruction, HloInstruction> copies) {
    Op op = each.op();
    return HloInstruction.create(
            name,
            op,
            each.operands().stream().map(copies::get).toList(),
            each.called().stream().map(this::computation).toList(),
            each.shape(),
            metadata(each),
            each.attributes())
        .withSharding(each.sharding());
  }

  /** Returns the metadata; XLA writes no lines beside a stack frame, which has them. */
  private static Metadata metadata(HloInstruction instruction) {
    Metadata all = instruction.metadata();
    String frame = all.others().get("stack_frame_id");
    return frame == null
        ? all
        : new Metadata(all.opName(), Optional.empty(), ImmutableMap.of("stack_frame_id", frame));
  }

  private static void visit(
      HloInstruction from, Set<HloInstruction> seen, List<HloInstruction> order) {
    if (seen.add(from)) {
      from.operands().forEach(operand -> visit(operand, seen, order));
      order.add(from);
    }
  }

  /**
   * Returns the text of a module without names of values, without functions that nothing calls, and
   * without attributes that only say what is the default.
   */
  static String of(Operation module) {
    return StableHlo.print(new MlirNormalForm(module).module());
  }
}
