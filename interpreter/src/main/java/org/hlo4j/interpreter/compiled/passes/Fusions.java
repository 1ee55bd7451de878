package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Parameter;

/** The fusion instructions of a computation, and the computations that they call. */
final class Fusions {
  private final Map<HloInstruction, Integer> positions = new HashMap<>();
  private final Map<HloInstruction, HloInstruction> byRoot = new HashMap<>();
  private final Grouping grouping;
  private final Session session;

  Fusions(HloComputation computation, Grouping grouping, Session session) {
    this.grouping = grouping;
    this.session = session;
    for (HloInstruction instruction : computation.instructions()) {
      positions.put(instruction, positions.size());
    }
  }

  /** The fusions to be made, by the instruction in whose place they stand. */
  Map<HloInstruction, HloInstruction> byRoot() {
    return byRoot;
  }

  void add(Group group, HloInstruction fusion) {
    byRoot.put(group.root(), fusion);
  }

  /** The fusion of a group: its root's place, shape and metadata. */
  HloInstruction of(Group group) {
    Body body = new Body();
    ImmutableList<HloInstruction> members =
        group.members().stream().sorted(comparingInt(positions::get)).collect(toImmutableList());
    for (HloInstruction member : members) {
      body.add(member);
    }
    HloInstruction root = group.root();
    return HloInstruction.create(
        session.fresh(root.op().opcode() + "_fusion"),
        new Fusion(group.fusionKind()),
        ImmutableList.copyOf(body.parameters.keySet()),
        ImmutableList.of(body.computation(root)),
        root.shape(),
        root.metadata());
  }

  /** The computation of a fusion as it is written. */
  private final class Body {
    final Map<HloInstruction, HloInstruction> parameters = new LinkedHashMap<>();
    final Map<HloInstruction, HloInstruction> inside = new HashMap<>();
    final List<HloInstruction> written = new ArrayList<>();

    void add(HloInstruction member) {
      ImmutableList<HloInstruction> operands =
          member.operands().stream().map(this::inside).collect(toImmutableList());
      HloInstruction copy =
          HloInstruction.create(
              grouping.isInOne(member) ? member.name() : session.fresh(member.name()),
              member.op(),
              operands,
              member.called(),
              member.shape(),
              member.metadata());
      written.add(copy);
      inside.put(member, copy);
    }

    private HloInstruction inside(HloInstruction operand) {
      HloInstruction known = inside.get(operand);
      if (known != null) {
        return known;
      }
      boolean isScalar =
          operand.op() instanceof Constant
              && operand.shape() instanceof Shape.Array array
              && array.isScalar();
      HloInstruction made =
          isScalar ? operand.renamed(session.fresh(operand.name())) : parameter(operand);
      inside.put(operand, made);
      if (isScalar) {
        written.add(made);
      }
      return made;
    }

    private HloInstruction parameter(HloInstruction operand) {
      int number = parameters.size();
      HloInstruction parameter =
          HloInstruction.create(
              session.fresh("param_" + number),
              new Parameter(number, operand.shape().withoutLayout()),
              ImmutableList.of(),
              ImmutableList.of(),
              operand.shape().withoutLayout(),
              Metadata.NONE);
      parameters.put(operand, parameter);
      return parameter;
    }

    HloComputation computation(HloInstruction root) {
      ImmutableList<HloInstruction> all =
          ImmutableList.<HloInstruction>builder()
              .addAll(parameters.values())
              .addAll(written)
              .build();
      HloInstruction result = Objects.requireNonNull(inside.get(root));
      return HloComputation.create(session.fresh("fused_computation"), all, result);
    }
  }
}
