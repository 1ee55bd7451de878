package org.hlo4j.interpreter.compiled.passes;

import static java.util.Comparator.comparingInt;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.SetMultimap;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;
import org.hlo4j.interpreter.engine.OpTraits.Trait;

/**
 * The division of a computation into groups that become fusions. It visits the instructions from
 * the last to the first. An instruction whose users are all in one group joins that group, if it
 * fits. A cheap instruction joins several groups and is recomputed in each. Any other instruction
 * starts a group.
 *
 * <p>A group has exactly one member that is used outside, its root. So no two groups can depend on
 * each other: all operands of any member come before all users of the group.
 */
final class Grouping {
  private static final int MAX_COPIES = 8;
  private static final long MIN_TILED_ELEMENTS = 16 * 1024;

  private final Generators generators;
  private final FusionExclusions exclusions;
  private final Effects effects;
  private final SetMultimap<HloInstruction, HloInstruction> users;
  private final Map<HloInstruction, Set<Group>> groups = new HashMap<>();
  private final Map<HloInstruction, Group> byRoot = new LinkedHashMap<>();
  private final Set<HloInstruction> anchored = new HashSet<>();
  private final Map<HloInstruction, Integer> positions = new HashMap<>();

  /**
   * Groups the instructions of a computation.
   *
   * @param computation the computation
   * @param generators the capabilities of the code generators
   * @param exclusions the instructions that may not be fused
   * @param effects the instructions with effects, which are not fused either
   */
  Grouping(
      HloComputation computation,
      Generators generators,
      FusionExclusions exclusions,
      Effects effects) {
    this.generators = generators;
    this.effects = effects;
    this.exclusions = exclusions;
    this.users = Pass.users(ImmutableList.of(computation));
    for (HloInstruction instruction : computation.instructions()) {
      positions.put(instruction, positions.size());
      if (isAnchored(instruction)) {
        anchored.add(instruction);
      }
    }
    for (HloInstruction instruction : computation.instructions().reverse()) {
      group(instruction, instruction == computation.root());
    }
  }

  /** Returns all groups, the last one of the computation first. */
  Collection<Group> all() {
    return byRoot.values();
  }

  Set<HloInstruction> users(HloInstruction instruction) {
    return users.get(instruction);
  }

  /**
   * Returns the group whose root an instruction is; any group that it is a member of, if it is no
   * root.
   */
  Group producer(HloInstruction instruction) {
    return requireNonNull(byRoot.getOrDefault(instruction, groups(instruction).iterator().next()));
  }

  /** Returns the position of an instruction in the computation. */
  int position(HloInstruction instruction) {
    return requireNonNull(positions.get(instruction));
  }

  /** Returns the members of a group in the order of the computation. */
  ImmutableList<HloInstruction> inOrder(Group group) {
    return ImmutableList.sortedCopyOf(comparingInt(this::position), group.members());
  }

  /** Returns the groups that an instruction is a member of. */
  Set<Group> groups(HloInstruction instruction) {
    return requireNonNull(groups.get(instruction));
  }

  /** Returns whether an instruction is in one group only. */
  boolean isInSingleGroup(HloInstruction instruction) {
    return groups(instruction).size() == 1;
  }

  /**
   * Returns whether an instruction is a reduction or product, or is computed from one by
   * element-wise ops or broadcasts.
   */
  private boolean isAnchored(HloInstruction instruction) {
    if (!effects.isPure(instruction) || exclusions.isRootOnly(instruction)) {
      return false;
    }
    return switch (OpTraits.of(instruction.op()).family()) {
      case ELEMENTWISE -> instruction.operands().stream().anyMatch(anchored::contains);
      case MOVEMENT ->
          instruction.op() instanceof Broadcast && anchored.contains(instruction.operands().get(0));
      case OTHER ->
          instruction.op() instanceof Reduce
              ? MemberRules.reducesRows(instruction) && generators.reduction().test(instruction)
              : generators.product().test(instruction);
      case EFFECT, CONTROL, PLUMBING -> false;
    };
  }

  private void group(HloInstruction instruction, boolean isResult) {
    Limits.checkCurrent();
    Set<Group> joined = new LinkedHashSet<>();
    if (!isResult && isFusible(instruction) && !exclusions.isRootOnly(instruction)) {
      Set<Group> userGroups = userGroups(instruction);
      if (userGroups.size() == 1
          || (mayCopy(instruction, userGroups.size()) && !isStored(instruction))) {
        for (Group group : userGroups) {
          if (group.accept(instruction, users(instruction))) {
            joined.add(group);
          }
        }
      }
      if (!userGroups.isEmpty() && joined.size() == userGroups.size()) {
        groups.put(instruction, joined);
        return;
      }
    }
    Group own = new Group(instruction, generators, anchored, kind(instruction));
    byRoot.put(instruction, own);
    joined.add(own);
    groups.put(instruction, joined);
  }

  /**
   * Returns whether several groups may each recompute an instruction. A broadcast scalar costs
   * nothing, however many the groups: a loop reads it once.
   */
  private static boolean mayCopy(HloInstruction instruction, int copies) {
    return UniformValues.isBroadcastScalar(instruction)
        || (RecomputeCost.isCheap(instruction) && copies <= MAX_COPIES);
  }

  /**
   * Returns whether an instruction computes elements that some user reads from memory, whatever the
   * groups. Others can read them there, too, so that all it is computed from may join its group.
   */
  private boolean isStored(HloInstruction instruction) {
    OpTraits traits = OpTraits.of(instruction.op());
    return traits.family() == Family.ELEMENTWISE
        && !traits.has(Trait.CHEAP)
        && users(instruction).stream().anyMatch(Grouping::readsMemory);
  }

  private static boolean readsMemory(HloInstruction user) {
    return switch (OpTraits.of(user.op()).family()) {
      case ELEMENTWISE, MOVEMENT -> false;
      case OTHER -> !(user.op() instanceof Reduce);
      case EFFECT, CONTROL, PLUMBING -> true;
    };
  }

  private Set<Group> userGroups(HloInstruction instruction) {
    Set<Group> userGroups = new LinkedHashSet<>();
    for (HloInstruction user : users(instruction)) {
      userGroups.addAll(groups(user));
    }
    return userGroups;
  }

  private boolean isFusible(HloInstruction instruction) {
    return switch (OpTraits.of(instruction.op()).family()) {
      case ELEMENTWISE, MOVEMENT, OTHER ->
          effects.isPure(instruction) && !isTiledTranspose(instruction);
      case EFFECT, CONTROL, PLUMBING -> false;
    };
  }

  /**
   * Returns whether a transpose is better computed on its own, in tiles: a large one whose result
   * has neighbours that are far apart in the operand.
   */
  private static boolean isTiledTranspose(HloInstruction instruction) {
    Dims order = MovementRules.permutation(instruction);
    if (order == null) {
      return false;
    }
    Shape.Array from = array(instruction, 0);
    Dims wide = MovementRules.wide(array(instruction));
    if (wide.isEmpty() || from.elementCount() < MIN_TILED_ELEMENTS) {
      return false;
    }
    Dims wideFrom = MovementRules.wide(from);
    return order.get(wide.getInt(wide.count() - 1)) != wideFrom.get(wideFrom.count() - 1);
  }

  private Group.Kind kind(HloInstruction root) {
    if (!isFusible(root)
        || exclusions.isUnfusible(root)
        || root.op() instanceof Reshape
        || root.operands().size() > Group.MAX_INPUTS) {
      return Group.Kind.OPAQUE;
    }
    if (root.op() instanceof Reduce) {
      return generators.reduction().test(root) ? reduceKind(root) : Group.Kind.OPAQUE;
    }
    if (MemberRules.indicesOperand(root) >= 0) {
      return array(root, MemberRules.indicesOperand(root)).elementCount() >= Group.MIN_INDICES
          ? Group.Kind.INDEXED
          : Group.Kind.OPAQUE;
    }
    return root.shape() instanceof Shape.Array array
            && array.elementCount() > 0
            && generators.loop().test(root)
        ? Group.Kind.LOOP
        : Group.Kind.OPAQUE;
  }

  private static Group.Kind reduceKind(HloInstruction reduce) {
    boolean isOfRows =
        MemberRules.reducesRows(reduce)
            && !array(reduce).isScalar()
            && MemberRules.hasEnoughRows(array(reduce).sizes(), array(reduce, 0).sizes());
    return isOfRows ? Group.Kind.ROWS : Group.Kind.REDUCTION;
  }
}
