package org.hlo4j.tools.graph;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;

/**
 * The instructions of a computation in nested groups of at most {@link #MAX_ITEMS} items. Groups
 * are formed by scope. A group that is still too large is divided into stretches of consecutive
 * items, at cuts that few live values cross.
 */
final class GraphGroups {
  /** The largest number of items that is drawn in one group. */
  static final int MAX_ITEMS = 40;

  private static final int MIN_ITEMS = 3;
  private static final int MAX_RANGES = 12;

  /** An instruction or a group. */
  sealed interface Item {}

  /**
   * An instruction.
   *
   * @param place its index in the computation
   */
  record Instruction(int place) implements Item {}

  /**
   * A group.
   *
   * @param label what it is called
   * @param items its contents
   */
  record Group(String label, ImmutableList<Item> items) implements Item {}

  private final List<HloInstruction> instructions;
  private final List<Set<Integer>> users = new ArrayList<>();
  private final List<ImmutableList<String>> scopes;
  private final ImmutableList<Integer> order;

  private GraphGroups(HloComputation computation) {
    this.instructions = computation.instructions();
    Map<HloInstruction, Integer> places = new HashMap<>();
    for (HloInstruction instruction : instructions) {
      users.add(new HashSet<>());
      for (HloInstruction operand : instruction.operands()) {
        users.get(places.getOrDefault(operand, places.size())).add(places.size());
      }
      places.put(instruction, places.size());
    }
    List<ImmutableList<Integer>> lists = users.stream().map(ImmutableList::copyOf).toList();
    this.scopes = GraphScopes.of(computation, lists);
    this.order = GraphOrder.of(scopes, lists);
  }

  /**
   * Returns the groups of a computation.
   *
   * @param hidden instructions that are drawn in the boxes of their users and belong to no group
   */
  static ImmutableList<Item> of(HloComputation computation, Set<HloInstruction> hidden) {
    GraphGroups groups = new GraphGroups(computation);
    ImmutableList<Integer> shown =
        groups.order.stream()
            .filter(place -> !hidden.contains(groups.instructions.get(place)))
            .collect(ImmutableList.toImmutableList());
    return groups.scope(shown, 0);
  }

  /**
   * Returns the items of a scope: its own instructions, and groups for runs of instructions of its
   * inner scopes.
   */
  private ImmutableList<Item> scope(List<Integer> places, int depth) {
    List<Item> items = new ArrayList<>();
    for (int begin = 0, end; begin < places.size(); begin = end) {
      end = begin + 1;
      if (scopes.get(places.get(begin)).size() == depth) {
        items.add(new Instruction(places.get(begin)));
        continue;
      }
      String name = scopes.get(places.get(begin)).get(depth);
      while (end < places.size() && isIn(places.get(end), depth, name)) {
        end++;
      }
      addGroup(items, name, scope(places.subList(begin, end), depth + 1));
    }
    return bounded(items);
  }

  private boolean isIn(int place, int depth, String name) {
    ImmutableList<String> scope = scopes.get(place);
    return scope.size() > depth && scope.get(depth).equals(name);
  }

  /**
   * Adds a group. A group that contains only one group is merged with it, and a group with too few
   * items is replaced by its items.
   */
  private static void addGroup(List<Item> to, String name, ImmutableList<Item> items) {
    if (items.size() == 1 && items.get(0) instanceof Group only) {
      to.add(new Group(name + "/" + only.label(), only.items()));
    } else if (items.size() < MIN_ITEMS) {
      to.addAll(items);
    } else {
      to.add(new Group(name, items));
    }
  }

  /**
   * Limits the number of items: first the parameters form a group, then the instructions between
   * groups, and then stretches of all items.
   */
  private ImmutableList<Item> bounded(List<Item> items) {
    ImmutableList<Item> parameters =
        items.stream().filter(this::isParameter).collect(ImmutableList.toImmutableList());
    if (items.size() <= MAX_ITEMS
        || parameters.size() == items.size()
        || items.stream().noneMatch(Group.class::isInstance)) {
      return splitIntoRanges(items);
    }
    List<Item> others = new ArrayList<>(items);
    others.removeAll(ImmutableSet.copyOf(parameters));
    List<Item> shorter = new ArrayList<>();
    addGroup(shorter, "parameters", splitIntoRanges(parameters));
    for (int begin = 0, end; begin < others.size(); begin = end) {
      end = begin + 1;
      while (end < others.size()
          && others.get(begin) instanceof Instruction
          && others.get(end) instanceof Instruction) {
        end++;
      }
      addRange(shorter, others.subList(begin, end));
    }
    return splitIntoRanges(shorter);
  }

  private void addRange(List<Item> to, List<Item> items) {
    if (items.size() < MIN_ITEMS) {
      to.addAll(items);
    } else {
      to.add(rangeGroup(splitIntoRanges(items)));
    }
  }

  private Group rangeGroup(ImmutableList<Item> items) {
    return new Group(first(items.get(0)) + " … " + last(items.get(items.size() - 1)), items);
  }

  private boolean isParameter(Item item) {
    return item instanceof Instruction(int place)
        && instructions.get(place).op() instanceof Parameter;
  }

  private ImmutableList<Item> splitIntoRanges(List<Item> items) {
    if (items.size() <= MAX_ITEMS) {
      return ImmutableList.copyOf(items);
    }
    int[] alive = alive(items);
    int count = (int) Math.min(MAX_RANGES, Math.ceil(Math.sqrt(items.size())));
    ImmutableList.Builder<Item> all = ImmutableList.builder();
    for (int i = 0, begin = 0; i < count; i++) {
      int end = i == count - 1 ? items.size() : cut(alive, items.size(), count, i + 1);
      all.add(rangeGroup(splitIntoRanges(items.subList(begin, end))));
      begin = end;
    }
    return all.build();
  }

  /** Returns the position near an even cut that the fewest live values cross. */
  private static int cut(int[] alive, int size, int count, int number) {
    int even = (int) ((long) size * number / count);
    int reach = size / count / 3;
    int best = even;
    for (int i = even - reach; i <= even + reach; i++) {
      best = alive[i] < alive[best] ? i : best;
    }
    return best;
  }

  /** Returns for each position the number of earlier items that have users from there on. */
  private int[] alive(List<Item> items) {
    int[] itemOf = new int[instructions.size()];
    Arrays.fill(itemOf, -1);
    for (int i = 0; i < items.size(); i++) {
      int number = i;
      members(items.get(i)).forEach(place -> itemOf[place] = number);
    }
    int[] alive = new int[items.size() + 1];
    for (int i = 0; i < items.size(); i++) {
      int lastUser = i;
      for (int place : members(items.get(i))) {
        for (int user : users.get(place)) {
          lastUser = Math.max(lastUser, itemOf[user]);
        }
      }
      alive[i + 1]++;
      alive[Math.min(lastUser + 1, items.size())]--;
    }
    Arrays.parallelPrefix(alive, Integer::sum);
    return alive;
  }

  private static List<Integer> members(Item item) {
    List<Integer> places = new ArrayList<>();
    addMembers(item, places);
    return places;
  }

  private static void addMembers(Item item, List<Integer> to) {
    switch (item) {
      case Instruction(int place) -> to.add(place);
      case Group(_, ImmutableList<Item> items) -> items.forEach(inner -> addMembers(inner, to));
    }
  }

  private String first(Item item) {
    return switch (item) {
      case Instruction(int place) -> instructions.get(place).name();
      case Group group ->
          group.label().contains(" … ") ? first(group.items().get(0)) : group.label();
    };
  }

  private String last(Item item) {
    return switch (item) {
      case Instruction(int place) -> instructions.get(place).name();
      case Group group ->
          group.label().contains(" … ")
              ? last(group.items().get(group.items().size() - 1))
              : group.label();
    };
  }
}
