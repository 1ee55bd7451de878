package org.hlo4j.interpreter.compiled.passes;

import java.util.HashSet;
import java.util.Set;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/** Instructions that turned out not to fuse, which the next grouping keeps apart. */
final class FusionExclusions {
  private static final int FEW = 8;

  private final Set<HloInstruction> rootsOnly = new HashSet<>();
  private final Set<HloInstruction> unfusible = new HashSet<>();
  private final Set<HloInstruction> unmerged = new HashSet<>();
  private int size;

  /** Returns whether an instruction may only be the root of a group. */
  boolean isRootOnly(HloInstruction instruction) {
    return rootsOnly.contains(instruction);
  }

  /** Returns whether an instruction may not be fused with anything. */
  boolean isUnfusible(HloInstruction instruction) {
    return unfusible.contains(instruction);
  }

  /** Returns whether the group of a root may not be merged with others. */
  boolean isUnmerged(HloInstruction root) {
    return unmerged.contains(root);
  }

  /** Returns whether anything was added since the last call. */
  boolean hasGrown() {
    int currentSize = rootsOnly.size() + unfusible.size() + unmerged.size();
    boolean hasGrown = currentSize > size;
    size = currentSize;
    return hasGrown;
  }

  private static boolean isMoved(HloInstruction member) {
    return OpTraits.of(member.op()).family() == Family.MOVEMENT
        && !MemberRules.isIndexPreserving(member);
  }

  void addRootsOnly(Set<HloInstruction> instructions) {
    rootsOnly.addAll(instructions);
  }

  /**
   * Divides a group for which no generator makes a kernel: excludes the members that are the most
   * likely reasons.
   */
  void excludeCauses(Group group, Grouping grouping) {
    if (group.outputs().size() > 1) {
      unmerged.addAll(group.outputs());
      return;
    }
    Set<HloInstruction> reasons = new HashSet<>();
    boolean hasMoved = group.members().stream().anyMatch(FusionExclusions::isMoved);
    for (HloInstruction member : group.members()) {
      boolean isReason =
          group.kind() == Group.Kind.LOOP
              ? !MemberRules.isIndexPreserving(member)
              : hasMoved
                  ? isMoved(member)
                  : group.isPerRow(member) || OpTraits.of(member.op()).family() == Family.OTHER;
      if (isReason && member != group.root()) {
        reasons.add(member);
      }
    }
    if (group.kind() == Group.Kind.REDUCTION && reasons.isEmpty()) {
      group.root().operands().stream().filter(group.members()::contains).forEach(reasons::add);
    }
    if (!reasons.isEmpty()) {
      rootsOnly.addAll(reasons);
    } else if (group.members().size() > FEW) {
      rootsOnly.add(grouping.inOrder(group).get(group.members().size() / 2));
    } else {
      rootsOnly.addAll(group.members());
      unfusible.addAll(group.members());
    }
  }
}
