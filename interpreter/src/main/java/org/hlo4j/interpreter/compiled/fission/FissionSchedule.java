package org.hlo4j.interpreter.compiled.fission;

import com.google.common.collect.ImmutableMap;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.StripArrays;
import org.hlo4j.interpreter.compiled.arrays.StripArrays.StripArray;
import org.hlo4j.interpreter.compiled.fission.GraphEmitter.ArrayStore;

/** The loop that each operation is assigned to, and the arrays that hold values between loops. */
final class FissionSchedule {
  /** About the maximum cost of a loop that C2 unrolls and vectorizes. */
  private static final int MAX_COST = 15;

  /** About the cost of reading an array, in operations. */
  private static final int READ_COST = 3;

  private static final ImmutableMap<TypeKind, ElementType> ARRAY_TYPES =
      ImmutableMap.of(
          TypeKind.BYTE, ElementType.S8,
          TypeKind.SHORT, ElementType.S16,
          TypeKind.INT, ElementType.S32,
          TypeKind.LONG, ElementType.S64,
          TypeKind.FLOAT, ElementType.F32,
          TypeKind.DOUBLE, ElementType.F64);

  /** A loop: its operations, in order. */
  static final class Part {
    final List<FissionNode> ops = new ArrayList<>();
    final Set<FissionNode> read = new LinkedHashSet<>();
    private final boolean blocksVectorization;
    private int cost;

    private Part(boolean blocksVectorization) {
      this.blocksVectorization = blocksVectorization;
    }
  }

  /** The loop-invariant operations, in order. */
  final List<FissionNode> invariants = new ArrayList<>();

  /** The values that are loaded, in order. */
  final List<FissionNode> loads = new ArrayList<>();

  /**
   * The values that are copied as bits, by the number of the loop they are copied after; -1 if
   * before all loops.
   */
  final Map<Integer, List<FissionNode>> copies = new HashMap<>();

  final List<Part> parts = new ArrayList<>();

  /** The array that holds each value that is used after the loop that computes it. */
  final Map<FissionNode, StripArray> arrays = new LinkedHashMap<>();

  private final List<ArrayStore> stored;
  private boolean isComplete = true;
  private final Set<FissionNode> seen = new HashSet<>();
  private final Map<FissionNode, Integer> partOf = new HashMap<>();
  private final Map<FissionNode, Integer> lastUse = new HashMap<>();

  FissionSchedule(List<ArrayStore> stored) {
    this.stored = stored.stream().map(this::copyIfPushable).toList();
    this.stored.forEach(each -> place(each.value()));
    this.stored.forEach(each -> use(each.value(), parts.size()));
    allocate();
  }

  private ArrayStore copyIfPushable(ArrayStore each) {
    FissionNode value = each.value();
    return value.isPushable() || value.isInvariant
        ? new ArrayStore(
            each.array(),
            each.index(),
            new FissionNode(
                FissionNode.Kind.COPIED, value.storage, List.of(value), FissionNode.NOTHING))
        : each;
  }

  /**
   * Returns whether each value has been assigned to a loop, and all values between loops can be
   * held in arrays.
   */
  boolean isPossible() {
    return isComplete && invariants.stream().allMatch(op -> op.kind != FissionNode.Kind.REPLACED);
  }

  /** Returns whether several loops are likely to be faster than one. */
  boolean isWorthwhile() {
    return parts.size() > 1 && parts.stream().anyMatch(part -> !part.blocksVectorization);
  }

  private void place(FissionNode op) {
    if (op.isPushable() || !seen.add(op)) {
      return;
    } else if (op.kind == FissionNode.Kind.LOAD) {
      loads.add(op);
      partOf.put(op, -1);
      return;
    }
    op.inputs.forEach(this::place);
    if (op.isInvariant) {
      invariants.add(op);
      return;
    }
    if (op.kind == FissionNode.Kind.BITS) {
      FissionNode of = op.inputs.get(0);
      int sourcePart = requirePart(of);
      use(of, sourcePart + 1);
      partOf.put(op, sourcePart);
      copies.computeIfAbsent(sourcePart, _ -> new ArrayList<>()).add(op);
      return;
    }
    int number = 0;
    for (FissionNode input : op.inputs) {
      if (partOf.containsKey(input)) {
        number = Math.max(number, requirePart(input) + (input.isArray() ? 1 : 0));
      }
    }
    while (number < parts.size() && !hasRoom(parts.get(number), op)) {
      number++;
    }
    if (number == parts.size()) {
      parts.add(new Part(op.blocksVectorization()));
    }
    add(op, number);
  }

  private int requirePart(FissionNode op) {
    Integer part = partOf.get(op);
    if (part == null) {
      isComplete = false;
      return -1;
    }
    return part;
  }

  private boolean hasRoom(Part part, FissionNode op) {
    return part.blocksVectorization == op.blocksVectorization()
        && part.cost + cost(part, op) <= MAX_COST;
  }

  private int cost(Part part, FissionNode op) {
    long read =
        op.inputs.stream()
            .filter(partOf::containsKey)
            .filter(input -> !part.ops.contains(input) && !part.read.contains(input))
            .count();
    return 1 + READ_COST * (int) read;
  }

  private void add(FissionNode op, int number) {
    Part part = parts.get(number);
    part.cost += cost(part, op);
    for (FissionNode input : op.inputs) {
      if (partOf.containsKey(input) && !part.ops.contains(input)) {
        part.read.add(input);
        use(input, number);
      }
    }
    part.ops.add(op);
    partOf.put(op, number);
  }

  private void use(FissionNode op, int part) {
    if (partOf.containsKey(op)) {
      lastUse.merge(op, part, Math::max);
    }
  }

  /**
   * Assigns arrays to the values that are used after the loop that computes them. A loop does not
   * store to an array that it reads another value from.
   */
  private void allocate() {
    StripArrays.Assignment assignment = new StripArrays.Assignment();
    for (int part = -1; part < parts.size(); part++) {
      List<FissionNode> made = new ArrayList<>(part < 0 ? loads : parts.get(part).ops);
      made.addAll(copies.getOrDefault(part, List.of()));
      for (FissionNode op : made) {
        int last = lastUse.getOrDefault(op, -2);
        if (last >= part + (op.isArray() ? 0 : 1)) {
          ElementType type = ARRAY_TYPES.get(op.storage);
          if (type == null) {
            isComplete = false;
            return;
          }
          arrays.put(op, assignment.assign(type, part, last + 1));
        }
      }
    }
  }

  List<ArrayStore> stored() {
    return stored;
  }
}
