package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * Horizontal fusion: merges two groups with the same iteration space if one reads what the other
 * computes, or if both read the same input. The fusion of the merged group has several results.
 *
 * <p>The earlier group moves to the position of the later one. So all users of the earlier group
 * have to come after the later one; then every instruction still comes after its operands.
 */
final class HorizontalFusion {
  /**
   * The greatest number of users of an output. With more, it would take too long to check all of
   * them for each pair of groups.
   */
  private static final int MAX_USERS = 1000;

  private final Grouping grouping;
  private final FusionExclusions exclusions;
  private final HloInstruction result;
  private final Map<Group, Group> mergedInto = new HashMap<>();

  /**
   * Prepares to merge the groups of a computation.
   *
   * @param grouping the groups
   * @param exclusions the groups that may not be merged
   * @param result the root of the computation
   */
  HorizontalFusion(Grouping grouping, FusionExclusions exclusions, HloInstruction result) {
    this.result = result;
    this.grouping = grouping;
    this.exclusions = exclusions;
  }

  /** Returns the groups after merging, the first one of the computation first. */
  Set<Group> merged() {
    List<Group> all = ImmutableList.copyOf(grouping.all()).reverse();
    Map<HloInstruction, Group> lastReader = new HashMap<>();
    for (Group group : all) {
      if (group.kind() == Group.Kind.OPAQUE
          || group.kind() == Group.Kind.PRODUCT
          || group.kind() == Group.Kind.INDEXED) {
        continue;
      }
      for (HloInstruction input : List.copyOf(group.inputs())) {
        boolean isAtSameIndex = group.readsAtSameIndex(input, grouping.users(input));
        if (isAtSameIndex) {
          merge(grouping.producer(input), group);
          merge(lastReader.getOrDefault(input, group), group);
          lastReader.put(input, group);
        }
      }
    }
    Set<Group> left = new LinkedHashSet<>();
    all.forEach(group -> left.add(current(group)));
    left.forEach(this::forgetInner);
    return left;
  }

  private Group current(Group group) {
    Group current = group;
    for (Group next = mergedInto.get(current); next != null; next = mergedInto.get(current)) {
      current = next;
    }
    return current;
  }

  private void merge(Group former, Group later) {
    Group earlier = current(former);
    boolean may =
        earlier != later
            && !exclusions.isUnmerged(earlier.root())
            && !exclusions.isUnmerged(later.root())
            && !exclusions.isRootOnly(earlier.root())
            && earlier.isMergeableWith(later)
            && mayMove(earlier, later);
    if (may) {
      later.absorb(earlier);
      mergedInto.put(earlier, later);
    }
  }

  /** Drops outputs that are only used inside of the merged group. */
  private void forgetInner(Group group) {
    if (group.outputs().size() > 1) {
      group
          .outputs()
          .removeIf(output ->
              output != result
                  && grouping.users(output).stream()
                      .flatMap(user -> grouping.groups(user).stream())
                      .allMatch(user -> current(user) == group));
    }
  }

  /** Returns whether all users of the earlier group come after the later one, or are in it. */
  private boolean mayMove(Group earlier, Group later) {
    int to = grouping.position(later.root());
    for (HloInstruction output : earlier.outputs()) {
      if (grouping.users(output).size() > MAX_USERS) {
        return false;
      }
      for (HloInstruction user : grouping.users(output)) {
        for (Group group : grouping.groups(user)) {
          Group at = current(group);
          if (at != earlier && at != later && grouping.position(at.root()) < to) {
            return false;
          }
        }
      }
    }
    return true;
  }
}
