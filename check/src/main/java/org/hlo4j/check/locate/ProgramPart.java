package org.hlo4j.check.locate;

import com.google.common.base.Verify;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleDevices;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;

/**
 * A program of some instructions of a computation, with parameters for the values of others. A
 * value that is a tuple becomes a parameter for each array in it.
 */
final class ProgramPart {
  /** How many instructions, and bytes of operands and results, are computed in one run. */
  private static final int MAX_TOGETHER = 64;

  private static final long MAX_BYTES = 1L << 26;

  private final Values values;
  private final Set<HloInstruction> given;
  private final Set<String> names = new HashSet<>();
  private final List<HloInstruction> instructions = new ArrayList<>();
  private final List<Literal> arguments = new ArrayList<>();

  /** What stands for an instruction where another one uses it, and where it is a result. */
  private final IdentityHashMap<HloInstruction, HloInstruction> used = new IdentityHashMap<>();

  private final IdentityHashMap<HloInstruction, HloInstruction> results = new IdentityHashMap<>();

  private ProgramPart(Values values, Set<HloInstruction> given) {
    this.values = values;
    this.given = given;
  }

  /** Returns the program of instructions alone, whose operands are parameters or constants. */
  static Program alone(List<HloInstruction> roots, Values values) {
    Set<HloInstruction> operands = new HashSet<>();
    roots.forEach(root -> operands.addAll(root.operands()));
    return of(roots, operands, values);
  }

  /** Returns the program of an instruction alone, with the values of each device. */
  static Program onDevices(HloInstruction root, HloModule of, List<Values> ofDevices) {
    List<Program> parts = ofDevices.stream().map(values -> alone(List.of(root), values)).toList();
    return Program.ofDevices(
        parts.get(0).module().withText(devices(of.devices()), ""),
        parts.stream().map(Program::arguments).toList());
  }

  private static ImmutableMap<String, String> devices(ModuleDevices devices) {
    return ImmutableMap.of(
        "replica_count", "" + devices.replicas(), "num_partitions", "" + devices.partitions());
  }

  /** Returns the instructions in groups that are given to the system, or the reference, at once. */
  static List<List<HloInstruction>> chunks(List<HloInstruction> all, Values values) {
    List<List<HloInstruction>> chunks = new ArrayList<>();
    long left = 0;
    for (HloInstruction each : all) {
      long bytes = values.bytes(each) + each.operands().stream().mapToLong(values::bytes).sum();
      left -= bytes;
      if (chunks.isEmpty() || left < 0 || chunks.getLast().size() == MAX_TOGETHER) {
        chunks.add(new ArrayList<>());
        left = MAX_BYTES - bytes;
      }
      chunks.getLast().add(each);
    }
    return chunks;
  }

  /**
   * Returns the program that computes instructions from some given ones. Its result is a tuple if
   * there are several.
   */
  static Program of(List<HloInstruction> roots, Set<HloInstruction> given, Values values) {
    ProgramPart part = new ProgramPart(values, given);
    HloInstruction[] all = roots.stream().map(part::result).toArray(HloInstruction[]::new);
    HloInstruction root =
        all.length == 1
            ? all[0]
            : part.add(HloInstruction.of(part.fresh("results"), new Tuple(), all));
    HloComputation entry = HloComputation.create("main", part.instructions, root);
    return new Program(HloModule.create("part", entry), ImmutableList.copyOf(part.arguments));
  }

  private HloInstruction result(HloInstruction root) {
    root.operands().forEach(this::use);
    HloInstruction known = used.get(root);
    if (known == null || isGiven(root)) {
      known = results.get(root);
    }
    if (known == null) {
      known = computed(root);
      (isGiven(root) ? results : used).put(root, known);
    }
    return known;
  }

  private boolean isGiven(HloInstruction instruction) {
    return instruction.op() instanceof Parameter
        || (given.contains(instruction) && !(instruction.op() instanceof Constant));
  }

  /** Copies instructions depth first, without recursion: a chain may be long. */
  private void use(HloInstruction operand) {
    List<HloInstruction> stack = new ArrayList<>(List.of(operand));
    while (!stack.isEmpty()) {
      HloInstruction top = stack.get(stack.size() - 1);
      List<HloInstruction> missing =
          isGiven(top) || used.containsKey(top)
              ? List.of()
              : top.operands().stream().filter(each -> !used.containsKey(each)).toList();
      if (!missing.isEmpty()) {
        stack.addAll(missing.reversed());
        continue;
      }
      stack.remove(stack.size() - 1);
      if (!used.containsKey(top)) {
        used.put(
            top, isGiven(top) ? parameter(top.name(), values.of(top), top.shape()) : computed(top));
      }
    }
  }

  private HloInstruction computed(HloInstruction old) {
    return add(
        old.renamed(fresh(old.name()))
            .withOperands(
                old.operands().stream().map(each -> Verify.verifyNotNull(used.get(each))).toList())
            .withoutControlPredecessors());
  }

  private HloInstruction parameter(String name, Literal value, Shape shape) {
    if (shape instanceof Shape.Tuple tuple) {
      HloInstruction[] elements = new HloInstruction[tuple.elements().size()];
      for (int i = 0; i < elements.length; i++) {
        elements[i] = parameter(name + "." + i, value.element(i), tuple.elements().get(i));
      }
      return add(HloInstruction.of(fresh(name), new Tuple(), elements));
    }
    arguments.add(value);
    return add(HloInstruction.of(fresh(name), new Parameter(arguments.size() - 1, shape)));
  }

  private HloInstruction add(HloInstruction instruction) {
    instructions.add(instruction);
    return instruction;
  }

  private String fresh(String near) {
    String name = near;
    for (int i = 1; !names.add(name); i++) {
      name = near + "." + i;
    }
    return name;
  }
}
