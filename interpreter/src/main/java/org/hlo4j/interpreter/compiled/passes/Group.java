package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.jspecify.annotations.Nullable;

/**
 * A fusion in the making: its root and, found from there against the direction of data, what is
 * computed for no other purpose. It begins as one instruction and takes in others as long as they
 * fit; a reduction makes a program over rows of it, a dot an epilogue.
 */
final class Group {
  /** What a group computes. */
  enum Kind {
    /** Anything that stands alone. */
    OPAQUE,
    /** Each element from elements of its inputs. */
    LOOP,
    /** Rows: reductions of the last dimensions, and what comes before and after them. */
    ROWS,
    /** One reduction of any dimensions, and what comes before it. */
    REDUCTION,
    /** One dot or convolution, and what comes after it. */
    PRODUCT
  }

  private static final int MAX_MEMBERS = 200;

  /** With more, nothing joins or is joined. */
  static final int MAX_INPUTS = 60;

  private static final int MAX_MERGED = 100;
  private static final int MAX_OUTPUTS = 8;

  /** So many rows are enough to share among threads, or so few elements need no sharing. */
  private static final long FEW_ROWS = 4;

  private static final long FEW_ELEMENTS = 64 * 1024;

  private final HloInstruction root;
  private final Generators generators;
  private final Set<HloInstruction> anchored;
  private final Map<HloInstruction, MemberLocation> members = new HashMap<>();
  private final Set<HloInstruction> inputs = new HashSet<>();
  private final Set<HloInstruction> blockers = new HashSet<>();
  private final List<HloInstruction> outputs = new ArrayList<>();
  private Kind kind;
  private Dims space = Dims.of();
  private int rowRank = -1;
  private int reductions;

  /**
   * A group of one instruction.
   *
   * @param anchored what is computed from a reduction or product by element-wise ops
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
    }
  }

  HloInstruction root() {
    return root;
  }

  Kind kind() {
    return kind;
  }

  /** What is used outside: the root and, if it took in other groups, theirs. */
  List<HloInstruction> outputs() {
    return outputs;
  }

  Set<HloInstruction> inputs() {
    return inputs;
  }

  Set<HloInstruction> members() {
    return members.keySet();
  }

  /** How the fusion is to be compiled. */
  Fusion.Kind fusionKind() {
    return switch (kind) {
      case OPAQUE -> Fusion.Kind.CUSTOM;
      case LOOP -> Fusion.Kind.LOOP;
      case ROWS, REDUCTION -> Fusion.Kind.INPUT;
      case PRODUCT -> Fusion.Kind.OUTPUT;
    };
  }

  /** Whether a member is computed once for each row. */
  boolean isOfRow(HloInstruction member) {
    return MemberLocation.ROW.equals(members.get(member));
  }

  /** Whether it was made for rows but the reductions are not in it. */
  boolean lacksReduction() {
    return kind == Kind.ROWS && reductions == 0;
  }

  /** Members that kept a reduction or product from joining, though they had rather stood alone. */
  Set<HloInstruction> blockers() {
    return staysHome(root) ? blockers : Set.of();
  }

  // Several groups in one.

  /** Whether another group runs through the same elements, so that one loop may do both. */
  boolean isAlike(Group other) {
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
        .allMatch(
            member -> staysHome(member.getKey()) && member.getValue().equals(MemberLocation.FULL));
  }

  /** Whether an input is read just where each element is computed. */
  boolean readsAtHome(HloInstruction input, List<HloInstruction> users) {
    return MemberLocation.FULL.equals(place(input, users));
  }

  /** Takes in all of another group. */
  void absorb(Group other) {
    other.members.forEach(members::putIfAbsent);
    inputs.addAll(other.inputs);
    inputs.removeAll(members.keySet());
    outputs.addAll(0, other.outputs);
  }

  private void add(HloInstruction instruction, MemberLocation place) {
    members.put(instruction, place);
    inputs.remove(instruction);
    for (HloInstruction operand : instruction.operands()) {
      if (!(operand.op() instanceof Constant)) {
        inputs.add(operand);
      }
    }
  }

  /** Takes an instruction in, all of whose users in it are given, if it fits. */
  boolean accept(HloInstruction instruction, List<HloInstruction> users) {
    boolean isFull = members.size() >= MAX_MEMBERS && !UniformValues.isBroadcastScalar(instruction);
    if (kind == Kind.OPAQUE
        || isFull
        || inputs.size() + instruction.operands().size() > MAX_INPUTS) {
      return false;
    }
    MemberLocation place = place(instruction, users);
    if (place == null) {
      return false;
    }
    boolean fits =
        instruction.op() instanceof Reduce
            ? acceptReduction(instruction, place)
            : OpFamily.of(instruction.op()) == OpFamily.OTHER
                ? acceptProduct(instruction, place)
                : acceptElements(instruction, place);
    if (fits) {
      add(instruction, instruction.op() instanceof Reduce ? MemberLocation.ROW : place);
    }
    return fits;
  }

  // Elements.

  private boolean acceptElements(HloInstruction instruction, MemberLocation place) {
    if (!generators.loop().test(instruction)) {
      return false;
    }
    boolean isAtHome = place.equals(MemberLocation.FULL) || place.equals(MemberLocation.ROW);
    if (place.isRepeated()) {
      return kind == Kind.LOOP && RecomputeCost.isCheap(instruction);
    }
    if (place.equals(MemberLocation.ROW) && kind == Kind.LOOP) {
      return acceptRow(instruction);
    }
    if (!isAtHome) {
      return kind == Kind.LOOP && !anchored.contains(instruction);
    }
    return kind == Kind.LOOP || staysHome(instruction);
  }

  /** Whether it computes or repeats elements, but does not move them. */
  static boolean staysHome(HloInstruction instruction) {
    return OpFamily.of(instruction.op()) == OpFamily.ELEMENTWISE
        || instruction.op() instanceof Broadcast
        || instruction.op() instanceof Iota;
  }

  /** Something of the size of a row: worth a program over rows if it comes from reduced rows. */
  private boolean acceptRow(HloInstruction instruction) {
    if (anchored.contains(instruction)
        && staysHome(instruction)
        && becomeRows(array(instruction))) {
      return true;
    }
    return RecomputeCost.isCheap(instruction);
  }

  private boolean becomeRows(Shape.Array row) {
    if (!isEnough(row.sizes(), space) || isBlocked(row.rank())) {
      return false;
    }
    kind = Kind.ROWS;
    rowRank = row.rank();
    return true;
  }

  /** Whether members are in the way that are evaluated neither at home nor once for each row. */
  private boolean isBlocked(int rank) {
    boolean isBlocked = false;
    for (Map.Entry<HloInstruction, MemberLocation> member : members.entrySet()) {
      boolean isAtHome =
          member.getValue().equals(MemberLocation.FULL)
              || (member.getValue().equals(MemberLocation.ROW)
                  && array(member.getKey()).rank() == rank);
      if (!isAtHome || !staysHome(member.getKey())) {
        isBlocked = true;
        if (member.getKey() != root) {
          blockers.add(member.getKey());
        }
      }
    }
    return isBlocked;
  }

  /** Whether there are rows enough to share, or little to do. */
  static boolean isEnough(Dims rows, Dims all) {
    return rows.product() >= FEW_ROWS || all.product() <= FEW_ELEMENTS;
  }

  // Reductions.

  /** Whether a reduction reduces just the last dimensions of one array. */
  static boolean reducesRows(HloInstruction reduce) {
    if (!(reduce.op() instanceof Reduce op) || reduce.operands().size() != 2) {
      return false;
    }
    int rank = array(reduce, 0).rank();
    Dims kept = op.kept(rank);
    return kept.equals(Dims.range(0, kept.count())) && kept.count() < rank;
  }

  private boolean acceptReduction(HloInstruction reduce, MemberLocation place) {
    if (!generators.reduction().test(reduce) || !reducesRows(reduce)) {
      return false;
    }
    Shape.Array row = array(reduce);
    Dims all = array(reduce, 0).sizes();
    boolean fits =
        switch (kind) {
          case LOOP ->
              place.equals(MemberLocation.ROW)
                  ? all.equals(space) && becomeRows(row)
                  : place.equals(MemberLocation.FULL) && becomeRowsOf(row, all);
          case ROWS ->
              place.equals(MemberLocation.ROW) && all.equals(space) && row.rank() == rowRank;
          case OPAQUE, REDUCTION, PRODUCT -> false;
        };
    reductions += fits ? 1 : 0;
    return fits;
  }

  /** What was a loop over rows is now what comes after reducing them. */
  private boolean becomeRowsOf(Shape.Array row, Dims all) {
    if (!row.sizes().equals(space) || row.isScalar() || !becomeRows(row)) {
      return false;
    }
    if (!isEnough(row.sizes(), all)) {
      kind = Kind.LOOP;
      rowRank = -1;
      return false;
    }
    space = all;
    members.replaceAll((member, place) -> MemberLocation.ROW);
    return true;
  }

  // Products.

  private boolean acceptProduct(HloInstruction product, MemberLocation place) {
    boolean fits =
        kind == Kind.LOOP
            && place.equals(MemberLocation.FULL)
            && generators.product().test(product)
            && !isBlocked(-1);
    if (fits) {
      kind = Kind.PRODUCT;
    }
    return fits;
  }

  // Places.

  private @Nullable MemberLocation place(HloInstruction instruction, List<HloInstruction> users) {
    MemberLocation place = null;
    for (HloInstruction user : users.size() <= members.size() ? users : members.keySet()) {
      if (!members.containsKey(user)) {
        continue;
      }
      for (int i = 0; i < user.operands().size(); i++) {
        if (user.operands().get(i) == instruction) {
          MemberLocation here = operandPlace(user, i, instruction);
          if (here == null) {
            return null;
          }
          place = place == null ? here : place.and(here);
        }
      }
    }
    return place;
  }

  private @Nullable MemberLocation operandPlace(
      HloInstruction user, int index, HloInstruction operand) {
    MemberLocation place = members.get(user);
    if (place == null || !(operand.shape() instanceof Shape.Array array)) {
      return null;
    }
    return switch (OpFamily.of(user.op())) {
      case ELEMENTWISE ->
          array.sizes().equals(array(user).sizes()) ? place : MemberLocation.REPEATED;
      case MOVEMENT -> movedPlace(user, (Movement) user.op(), index, array, place);
      case OTHER -> user.op() instanceof Reduce ? reducedPlace(user, index) : null;
      case EFFECT, CONTROL, PLUMBING -> null;
    };
  }

  private static MemberLocation reducedPlace(HloInstruction reduce, int index) {
    return index < reduce.operands().size() / 2 ? MemberLocation.FULL : MemberLocation.REPEATED;
  }

  private @Nullable MemberLocation movedPlace(
      HloInstruction user,
      Movement movement,
      int index,
      Shape.Array operand,
      MemberLocation place) {
    return switch (movement) {
      case Broadcast op -> broadcastPlace(op, operand, place);
      case Pad op when index == 1 -> MemberLocation.REPEATED;
      case DynamicSlice op when index > 0 -> null; // loops want it as an input
      case Bitcast _,
          Concatenate _,
          DynamicSlice _,
          DynamicUpdateSlice _,
          Gather _,
          Iota _,
          Pad _,
          Reshape _,
          Reverse _,
          Slice _,
          Transpose _ ->
          MemberLocation.moved(user, index, place);
    };
  }

  private MemberLocation broadcastPlace(Broadcast op, Shape.Array operand, MemberLocation place) {
    boolean isRow =
        place.equals(MemberLocation.FULL)
            && !operand.isScalar()
            && (rowRank < 0 || operand.rank() == rowRank)
            && (kind == Kind.LOOP || kind == Kind.ROWS)
            && op.dimensions().equals(Dims.range(0, operand.rank()));
    return isRow ? MemberLocation.ROW : MemberLocation.REPEATED;
  }
}
