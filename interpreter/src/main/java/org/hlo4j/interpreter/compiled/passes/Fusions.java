package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
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

  private final Map<HloInstruction, Integer> positions;
  private final Map<HloInstruction, PlacedFusion> byRoot = new HashMap<>();
  private final Set<HloInstruction> computedLater = new HashSet<>();
  private final Grouping grouping;
  private final Session session;

  Fusions(Map<HloInstruction, Integer> positions, Grouping grouping, Session session) {
    this.positions = positions;
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
    Body body = new Body();
    ImmutableList<HloInstruction> members =
        group.members().stream().sorted(comparingInt(positions::get)).collect(toImmutableList());
    for (HloInstruction member : members) {
      body.add(member);
    }
    HloComputation computation = body.computation(group.outputs());
    HloInstruction root = group.root();
    return HloInstruction.create(
        session.fresh(root.op().opcode() + "_fusion"),
        new Fusion(group.fusionKind()),
        ImmutableList.copyOf(body.parameters.keySet()),
        ImmutableList.of(computation),
        computation.root().shape(),
        root.metadata());
  }

  /** The computation of a fusion, while it is being written. */
  private final class Body {
    final Map<HloInstruction, HloInstruction> parameters = new LinkedHashMap<>();
    final Map<HloInstruction, HloInstruction> inside = new HashMap<>();
    final List<HloInstruction> written = new ArrayList<>();

    void add(HloInstruction member) {
      ImmutableList<HloInstruction> operands =
          member.operands().stream().map(this::inside).collect(toImmutableList());
      HloInstruction copy =
          member
              .renamed(
                  grouping.isInSingleGroup(member) ? member.name() : session.fresh(member.name()))
              .withOperands(operands);
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
          HloInstruction.of(
              session.fresh("param_" + number),
              new Parameter(number, operand.shape().withoutLayout()));
      parameters.put(operand, parameter);
      return parameter;
    }

    HloComputation computation(List<HloInstruction> outputs) {
      ImmutableList<HloInstruction> results =
          outputs.stream()
              .map(output -> Objects.requireNonNull(inside.get(output)))
              .collect(toImmutableList());
      HloInstruction root = results.get(0);
      if (root.shape() instanceof Shape.Tuple tuple) {
        root = tuple(parts(root, tuple.elements().size()));
      } else if (results.size() > 1) {
        root = tuple(results);
      }
      ImmutableList<HloInstruction> all =
          ImmutableList.<HloInstruction>builder()
              .addAll(parameters.values())
              .addAll(written)
              .build();
      return HloComputation.create(session.fresh("fused_computation"), all, root);
    }

    private HloInstruction tuple(List<HloInstruction> results) {
      HloInstruction tuple =
          HloInstruction.of(
              session.fresh("results"), new Tuple(), results.toArray(new HloInstruction[0]));
      written.add(tuple);
      return tuple;
    }

    /** Adds the elements of a reduction of several arrays, so that each is a result of its own. */
    private List<HloInstruction> parts(HloInstruction reduction, int count) {
      List<HloInstruction> parts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        String name = session.fresh("get-tuple-element");
        parts.add(HloInstruction.of(name, new GetTupleElement(i), reduction));
      }
      written.addAll(parts);
      return parts;
    }
  }
}
