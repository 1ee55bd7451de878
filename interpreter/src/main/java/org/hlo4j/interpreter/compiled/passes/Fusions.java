package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;

/** The fusion instructions of a computation, and the computations that these call. */
final class Fusions {
  /** A fusion, and the instructions that its results replace. */
  private record PlacedFusion(HloInstruction fusion, ImmutableList<HloInstruction> outputs) {}

  private final Map<HloInstruction, PlacedFusion> byRoot = new HashMap<>();
  private final Set<HloInstruction> computedLater = new HashSet<>();
  private final Grouping grouping;
  private final Session session;

  Fusions(Grouping grouping, Session session) {
    this.grouping = grouping;
    this.session = session;
  }

  /**
   * Returns what identifies a fusion: its kind, outputs and members, and the members that other
   * groups also have.
   */
  List<Object> key(Group group) {
    return List.of(
        group.fusionKind(),
        ImmutableList.copyOf(group.outputs()),
        ImmutableSet.copyOf(group.members()),
        group.members().stream()
            .filter(member -> !grouping.isInSingleGroup(member))
            .collect(toImmutableSet()));
  }

  /** Records a fusion. It is written at the position of the root of its group. */
  void add(Group group, HloInstruction fusion) {
    byRoot.put(group.root(), new PlacedFusion(fusion, ImmutableList.copyOf(group.outputs())));
    computedLater.addAll(group.outputs());
    computedLater.remove(group.root());
  }

  /**
   * Returns what is computed at the position of an instruction: the instruction itself, all outputs
   * of its fusion, or nothing.
   */
  ImmutableList<HloInstruction> outputs(HloInstruction instruction) {
    if (computedLater.contains(instruction)) {
      return ImmutableList.of();
    }
    PlacedFusion made = byRoot.get(instruction);
    return made == null ? ImmutableList.of(instruction) : made.outputs();
  }

  /** Returns the operands of what is computed at the position of an instruction. */
  ImmutableList<HloInstruction> inputs(HloInstruction instruction) {
    PlacedFusion made = byRoot.get(instruction);
    return made == null ? instruction.operands() : made.fusion().operands();
  }

  /** Writes what is computed at the position of an instruction. */
  void write(HloInstruction instruction, Rewriter rewriter) {
    PlacedFusion made = byRoot.get(instruction);
    if (made == null) {
      rewriter.replace(instruction, rewriter.updated(instruction));
      return;
    }
    HloInstruction fusion = rewriter.updated(made.fusion());
    session.count(((Fusion) fusion.op()).kind() + " fusion");
    if (made.outputs().size() == 1) {
      rewriter.replace(made.outputs().get(0), fusion); // another one's if nothing reads the root
      return;
    }
    rewriter.place(fusion);
    for (int i = 0; i < made.outputs().size(); i++) {
      rewriter.replace(made.outputs().get(i), rewriter.add(new GetTupleElement(i), fusion));
    }
  }

  /**
   * Returns the fusion of a group, named after the op of its root and with the metadata of its
   * root.
   */
  HloInstruction of(Group group) {
    ImmutableList<HloInstruction> members = grouping.inOrder(group);
    Rewriter body = new Rewriter(session, Map.of(), false);
    List<HloInstruction> inputs = new ArrayList<>();
    members.stream()
        .flatMap(member -> member.operands().stream())
        .filter(operand -> !group.members().contains(operand))
        .distinct()
        .forEach(input -> body.replace(input, inside(input, inputs)));
    for (HloInstruction member : members) {
      String name = grouping.isInSingleGroup(member) ? member.name() : session.fresh(member.name());
      body.replace(member, member.renamed(name).withOperands(body.currentOperands(member)));
    }
    HloInstruction result = result(group, body);
    HloInstruction root = group.root();
    return HloInstruction.create(
        session.fresh(root.op().opcode() + "_fusion"),
        new Fusion(group.fusionKind()),
        inputs,
        ImmutableList.of(body.build(session.fresh("fused_computation"), result)),
        result.shape(),
        root.metadata());
  }

  /** Returns what a group has of an instruction outside: a scalar constant, or else a parameter. */
  private HloInstruction inside(HloInstruction input, List<HloInstruction> inputs) {
    if (input.op() instanceof Constant
        && input.shape() instanceof Shape.Array array
        && array.isScalar()) {
      return input.renamed(session.fresh(input.name()));
    }
    int number = inputs.size();
    inputs.add(input);
    return HloInstruction.of(
        session.fresh("param_" + number), new Parameter(number, input.shape().withoutLayout()));
  }

  /** Adds the tuple of all outputs, and of the arrays that an output consists of. */
  private static HloInstruction result(Group group, Rewriter body) {
    List<HloInstruction> results =
        group.outputs().stream()
            .map(body::current)
            .flatMap(output -> ParameterExtension.parts(output, body).stream())
            .toList();
    boolean isTuple = results.size() > 1 || group.root().shape() instanceof Shape.Tuple;
    return isTuple ? body.add(new Tuple(), results) : results.get(0);
  }
}
