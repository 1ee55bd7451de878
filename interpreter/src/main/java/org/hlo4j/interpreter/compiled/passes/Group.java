package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;
import org.jspecify.annotations.Nullable;

/**
 * A group of instructions that is to become a fusion: its root and producers that are computed for
 * nothing else, found against the direction of data flow. A group starts with its root and accepts
 * further instructions as long as they fit. By accepting a reduction, a loop becomes a program over
 * rows; by accepting a dot or convolution, it becomes the epilogue of a product.
 */
final class Group {
  /** The kind of kernel that a group becomes. */
  enum Kind {
    /** A single instruction of any kind. */
    OPAQUE,
    /** A loop that computes each element from elements of the inputs. */
    LOOP,
    /**
     * A program over rows: reductions of the last dimensions, with element-wise ops before and
     * after.
     */
    ROWS,
    /** One reduction of any dimensions, and the producers of its input. */
    REDUCTION,
    /** One dot or convolution, and its epilogue. */
    PRODUCT,
    /** A gather or scatter, and the producers of its indices. */
    INDEXED
  }

  /** The least number of indices that are not stored. */
  static final long MIN_INDICES = 16 * 1024;

  private static final int MAX_MEMBERS = 200;

  /** The greatest number of inputs: a group with more neither accepts members nor is merged. */
  static final int MAX_INPUTS = 60;

  private static final int MAX_MERGED = 100;
  private static final int MAX_OUTPUTS = 8;

  private final HloInstruction root;
  private final Generators generators;
  private final Set<HloInstruction> anchored;
  private final Map<HloInstruction, MemberLocation> members = new LinkedHashMap<>();
  private final Set<HloInstruction> inputs = new LinkedHashSet<>();
  private final Set<HloInstruction> blockers = new LinkedHashSet<>();
  private final List<HloInstruction> outputs = new ArrayList<>();
  private Kind kind;
  private Dims space = Dims.of();
  private int rowRank = -1;
  private int reductions;

  /**
   * Creates a group of one instruction.
   *
   * @param root the instruction
   * @param generators the capabilities of the code generators
   * @param anchored instructions that element-wise ops compute from a reduction or product
   * @param kind the kind of the group
   */
  Group(HloInstruction root, Generators generators, Set<HloInstruction> anchored, Kind kind) {
    this.root = root;
    this.generators = generators;
    this.anchored = anchored;
    this.kind = kind;
    outputs.add(root);
    switch (kind) {
      case OPAQUE, PRODUCT -> {}
      case LOOP -> {
        space = array(root).sizes();
        add(root, MemberLocation.FULL);
      }
      case ROWS, REDUCTION -> {
        space = array(root, 0).sizes();
        rowRank = kind == Kind.ROWS ? array(root).rank() : -1;
        reductions = 1;
        add(root, MemberLocation.ROW);
      }
      case INDEXED -> {
        space = array(root, MemberRules.indicesOperand(root)).sizes();
        add(root, MemberLocation.FULL);
      }
    }
  }

  HloInstruction root() {
    return root;
  }

  Kind kind() {
    return kind;
  }

  /**
   * Returns the instructions that are used outside: the root and, after merging, the roots of other
   * groups.
   */
  List<HloInstruction> outputs() {
    return outputs;
  }

  Set<HloInstruction> inputs() {
    return inputs;
  }

  Set<HloInstruction> members() {
    return members.keySet();
  }

  /** Returns how the fusion is to be compiled. */
  Fusion.Kind fusionKind() {
    return switch (kind) {
      case OPAQUE, INDEXED -> Fusion.Kind.CUSTOM;
      case LOOP -> Fusion.Kind.LOOP;
      case ROWS, REDUCTION -> Fusion.Kind.INPUT;
      case PRODUCT -> Fusion.Kind.OUTPUT;
    };
  }

  /** Returns whether a member is computed once for each row. */
  boolean isPerRow(HloInstruction member) {
    return MemberLocation.ROW.equals(members.get(member));
  }

  /** Returns whether this is a program over rows that has not accepted its reductions. */
  boolean lacksReduction() {
    return kind == Kind.ROWS && reductions == 0;
  }

  /**
   * Returns the members that kept a reduction or product from being accepted; it is better to
   * compute these on their own.
   */
  Set<HloInstruction> blockers() {
    return MemberRules.isIndexPreserving(root) ? blockers : Set.of();
  }

  // Horizontal fusion.

  /**
   * Returns whether another group has the same iteration space, so that one loop can compute both.
   */
  boolean isMergeableWith(Group other) {
    boolean isOfLoops =
        kind == Kind.LOOP
            && (other.kind == Kind.LOOP || (other.kind == Kind.ROWS && isPlainLoop()));
    boolean isOfReductions =
        (kind == Kind.ROWS && other.kind == Kind.ROWS && rowRank == other.rowRank)
            || (kind == Kind.REDUCTION
                && other.kind == Kind.REDUCTION
                && root.op().equals(other.root.op())
                && root.operands().size() == 2
                && other.root.operands().size() == 2);
    return (isOfLoops || isOfReductions)
        && space.equals(other.space)
        && members.size() + other.members.size() <= MAX_MERGED
        && inputs.size() + other.inputs.size() <= MAX_INPUTS
        && outputs.size() + other.outputs.size() <= MAX_OUTPUTS;
  }

  private boolean isPlainLoop() {
    return members.entrySet().stream()
        .allMatch(member ->
            MemberRules.isIndexPreserving(member.getKey())
                && member.getValue().equals(MemberLocation.FULL));
  }

  /** Returns whether an input is read only at the index of the element that is being computed. */
  boolean readsAtSameIndex(HloInstruction input, Set<HloInstruction> users) {
    return MemberLocation.FULL.equals(locate(input, users));
  }

  /** Merges another group into this one. */
  void absorb(Group other) {
    other.members.forEach(members::putIfAbsent);
    inputs.addAll(other.inputs);
    inputs.removeAll(members.keySet());
    outputs.addAll(0, other.outputs);
  }

  private void add(HloInstruction instruction, MemberLocation location) {
    members.put(instruction, location);
    inputs.remove(instruction);
    for (HloInstruction operand : instruction.operands()) {
      if (!(operand.op() instanceof Constant)) {
        inputs.add(operand);
      }
    }
  }

  /**
   * Accepts an instruction as a member if it fits, and returns whether it does.
   *
   * @param users all users of the instruction
   */
  boolean accept(HloInstruction instruction, Set<HloInstruction> users) {
    boolean isFull = members.size() >= MAX_MEMBERS && !UniformValues.isBroadcastScalar(instruction);
    if (kind == Kind.OPAQUE
        || isFull
        || inputs.size() + instruction.operands().size() > MAX_INPUTS) {
      return false;
    }
    MemberLocation location = locate(instruction, users);
    if (location == null) {
      return false;
    }
    boolean fits =
        instruction.op() instanceof Reduce
            ? acceptReduction(instruction, location)
            : OpTraits.of(instruction.op()).family() == Family.OTHER
                ? acceptProduct(instruction, location)
                : acceptElements(instruction, location);
    if (fits) {
      add(instruction, instruction.op() instanceof Reduce ? MemberLocation.ROW : location);
    }
    return fits;
  }

  // Elements.

  private boolean acceptElements(HloInstruction instruction, MemberLocation location) {
    if (!generators.loop().test(instruction)) {
      return false;
    }
    if (kind == Kind.INDEXED) {
      return MemberRules.isIndex(instruction)
          && (!location.isRepeated() || RecomputeCost.isCheap(instruction));
    }
    boolean isAtSameIndex =
        location.equals(MemberLocation.FULL) || location.equals(MemberLocation.ROW);
    if (location.isRepeated()) {
      return kind == Kind.LOOP && RecomputeCost.isCheap(instruction);
    }
    if (location.equals(MemberLocation.ROW) && kind == Kind.LOOP) {
      return acceptRow(instruction);
    }
    if (!isAtSameIndex) {
      return !anchored.contains(instruction)
          && (kind == Kind.LOOP || (kind != Kind.PRODUCT && RecomputeCost.isCheap(instruction)));
    }
    return kind == Kind.LOOP
        || MemberRules.isIndexPreserving(instruction)
        || (location.equals(MemberLocation.FULL)
            && (kind == Kind.ROWS || kind == Kind.REDUCTION)
            && !anchored.contains(instruction)
            && MemberRules.isMovedInParts(instruction));
  }

  /**
   * Accepts an instruction of the size of a row. If it is computed from reduced rows, the group
   * becomes a program over rows; otherwise the instruction has to be cheap to recompute.
   */
  private boolean acceptRow(HloInstruction instruction) {
    if (anchored.contains(instruction)
        && MemberRules.isIndexPreserving(instruction)
        && becomeRows(array(instruction))) {
      return true;
    }
    return RecomputeCost.isCheap(instruction);
  }

  private boolean becomeRows(Shape.Array row) {
    if (!MemberRules.hasEnoughRows(row.sizes(), space) || isBlocked(row.rank())) {
      return false;
    }
    kind = Kind.ROWS;
    rowRank = row.rank();
    return true;
  }

  /**
   * Returns whether members keep the group from becoming rows, or a product, because they are
   * evaluated neither at the index of each element nor once for each row. Records them as blockers.
   */
  private boolean isBlocked(int rank) {
    boolean isBlocked = false;
    for (Map.Entry<HloInstruction, MemberLocation> member : members.entrySet()) {
      boolean isAtSameIndex =
          member.getValue().equals(MemberLocation.FULL)
              || (member.getValue().equals(MemberLocation.ROW)
                  && array(member.getKey()).rank() == rank);
      if (!isAtSameIndex || !MemberRules.isIndexPreserving(member.getKey())) {
        isBlocked = true;
        if (member.getKey() != root) {
          blockers.add(member.getKey());
        }
      }
    }
    return isBlocked;
  }

  // Reductions.

  private boolean acceptReduction(HloInstruction reduce, MemberLocation location) {
    if (!generators.reduction().test(reduce) || !MemberRules.reducesRows(reduce)) {
      return false;
    }
    Shape.Array row = array(reduce);
    Dims all = array(reduce, 0).sizes();
    boolean fits =
        switch (kind) {
          case LOOP ->
              location.equals(MemberLocation.ROW)
                  ? all.equals(space) && becomeRows(row)
                  : location.equals(MemberLocation.FULL) && becomeRowsOf(row, all);
          case ROWS ->
              location.equals(MemberLocation.ROW) && all.equals(space) && row.rank() == rowRank;
          case OPAQUE, REDUCTION, PRODUCT, INDEXED -> false;
        };
    reductions += fits ? 1 : 0;
    return fits;
  }

  /**
   * Turns a loop whose elements are the results of a reduction into a program over the rows that
   * are reduced: all members so far are evaluated once for each row, after the reduction.
   */
  private boolean becomeRowsOf(Shape.Array row, Dims all) {
    if (!row.sizes().equals(space) || row.isScalar() || !becomeRows(row)) {
      return false;
    }
    if (!MemberRules.hasEnoughRows(row.sizes(), all)) {
      kind = Kind.LOOP;
      rowRank = -1;
      return false;
    }
    space = all;
    members.replaceAll((member, location) -> MemberLocation.ROW);
    return true;
  }

  // Products.

  private boolean acceptProduct(HloInstruction product, MemberLocation location) {
    boolean fits =
        kind == Kind.LOOP
            && location.equals(MemberLocation.FULL)
            && generators.product().test(product)
            && !isBlocked(-1);
    if (fits) {
      kind = Kind.PRODUCT;
    }
    return fits;
  }

  // Member locations.

  private @Nullable MemberLocation locate(HloInstruction instruction, Set<HloInstruction> users) {
    MemberLocation location = null;
    for (HloInstruction user : users.size() <= members.size() ? users : members.keySet()) {
      if (!members.containsKey(user)) {
        continue;
      }
      for (int i = 0; i < user.operands().size(); i++) {
        if (user.operands().get(i) == instruction) {
          MemberLocation useLocation =
              MemberLocation.ofOperand(user, i, members.get(user), this::mayBeOfRows);
          if (useLocation == null) {
            return null;
          }
          location = location == null ? useLocation : location.merge(useLocation);
        }
      }
    }
    return location;
  }

  /** Returns whether an array of a rank may have an element for each row of this group. */
  private boolean mayBeOfRows(int rank) {
    return (rowRank < 0 || rank == rowRank) && (kind == Kind.LOOP || kind == Kind.ROWS);
  }
}
