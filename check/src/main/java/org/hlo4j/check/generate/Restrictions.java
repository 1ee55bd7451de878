package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * Which ops, types and sizes a generated program may have.
 *
 * @param ops the opcodes; empty for all
 * @param types the element types; empty for all
 * @param maxElements the most elements of an array
 * @param isOrdinary whether numbers are small or ordinary, without NaNs, infinities and extremes
 * @param isPortable whether reductions begin with the identity of a commutative function
 * @param isDynamic whether there are sizes that are known only at run time
 */
record Restrictions(
    Optional<ImmutableSet<String>> ops,
    Optional<ImmutableSet<ElementType>> types,
    long maxElements,
    boolean isOrdinary,
    boolean isPortable,
    boolean isDynamic) {
  static final Restrictions NONE =
      new Restrictions(Optional.empty(), Optional.empty(), 100_000, false, false, false);

  Restrictions withOps(ImmutableSet<String> opcodes) {
    return new Restrictions(
        Optional.of(withCompanions(opcodes)),
        types,
        maxElements,
        isOrdinary,
        isPortable,
        isDynamic);
  }

  Restrictions withoutOps(Set<String> opcodes) {
    ImmutableSet<String> all = ops.orElseGet(() -> ImmutableSet.copyOf(OpSchema.opcodes()));
    return new Restrictions(
        Optional.of(Sets.difference(all, opcodes).immutableCopy()),
        types,
        maxElements,
        isOrdinary,
        isPortable,
        isDynamic);
  }

  Restrictions withTypes(ImmutableSet<ElementType> elementTypes) {
    return new Restrictions(
        ops, Optional.of(elementTypes), maxElements, isOrdinary, isPortable, isDynamic);
  }

  Restrictions withMaxElements(long elements) {
    return new Restrictions(ops, types, elements, isOrdinary, isPortable, isDynamic);
  }

  Restrictions ordinary() {
    return new Restrictions(ops, types, maxElements, true, isPortable, isDynamic);
  }

  Restrictions portable() {
    return new Restrictions(ops, types, maxElements, isOrdinary, true, isDynamic);
  }

  Restrictions dynamic() {
    return new Restrictions(ops, types, maxElements, isOrdinary, isPortable, true);
  }

  /** Ops that give values to others and collect results, which every program may have. */
  static final ImmutableSet<String> ALWAYS =
      ImmutableSet.of("parameter", "constant", "broadcast", "tuple", "get-tuple-element");

  /** Ops whose results are hlo4j's own, or that compilers of other systems may not take. */
  private static final ImmutableSet<String> OWN =
      ImmutableSet.of(
          "all-gather-start",
          "all-reduce-start",
          "async-start",
          "collective-permute-start",
          "copy-start",
          "custom-call",
          "domain",
          "fusion",
          "infeed",
          "outfeed",
          "partition-id",
          "recv",
          "replica-id",
          "rng",
          "rng-get-and-update-state",
          "send",
          "stochastic-convert");

  /** Ops of which none is without some others. */
  private static final ImmutableList<ImmutableSet<String>> COMPANIONS =
      ImmutableList.of(
          ImmutableSet.of("infeed", "after-all"),
          ImmutableSet.of("outfeed", "after-all", "add-dependency"),
          ImmutableSet.of("add-dependency", "after-all"),
          ImmutableSet.of("send", "send-done", "recv", "recv-done", "after-all"),
          ImmutableSet.of("all-gather-start", "all-gather-done"),
          ImmutableSet.of("all-reduce-start", "all-reduce-done"),
          ImmutableSet.of("collective-permute-start", "collective-permute-done"),
          ImmutableSet.of("copy-start", "copy-done"),
          ImmutableSet.of("async-start", "async-update", "async-done"));

  /** Returns the ops, and those without which there are none of them. */
  private static ImmutableSet<String> withCompanions(ImmutableSet<String> opcodes) {
    ImmutableSet.Builder<String> all = ImmutableSet.<String>builder().addAll(opcodes);
    for (String opcode : opcodes) {
      COMPANIONS.stream()
          .filter(each -> each.contains(opcode) && !opcode.equals("after-all"))
          .filter(each -> !opcode.equals("add-dependency") || !each.contains("outfeed"))
          .forEach(all::addAll);
    }
    return all.build();
  }

  boolean allows(String opcode) {
    return ALWAYS.contains(opcode)
        || (ops.map(all -> all.contains(opcode)).orElse(true)
            && !(isPortable && OWN.contains(opcode)));
  }

  /** Returns whether a seed may be about an op: it is allowed, and asked for if some are. */
  boolean isDrawn(String opcode) {
    return allows(opcode) && ops.map(all -> all.contains(opcode)).orElse(true);
  }

  boolean allows(ElementType type) {
    return types.map(all -> all.contains(type)).orElse(true);
  }

  /** Refuses an instruction that the program may not have. */
  void require(Op op, Shape shape) {
    HloException.require(allows(op.opcode()), "", "not one of the ops");
    requireShape(shape);
  }

  private void requireShape(Shape shape) {
    if (shape instanceof Shape.Array array) {
      HloException.require(array.elementCount() <= maxElements, "", "too large");
      HloException.require(
          allows(array.elementType()) || array.isScalar(), "", "not one of the types");
    } else if (shape instanceof Shape.Tuple tuple) {
      tuple.elements().forEach(this::requireShape);
    }
  }
}
