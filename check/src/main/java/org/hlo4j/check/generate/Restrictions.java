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
 * @param traits what holds for the program
 */
record Restrictions(
    Optional<ImmutableSet<String>> ops,
    Optional<ImmutableSet<ElementType>> types,
    long maxElements,
    ImmutableSet<Trait> traits) {
  /** What may hold for a program. */
  enum Trait {
    /** Numbers are small or ordinary, without NaNs, infinities and extremes. */
    ORDINARY,
    /** Reductions begin with the identity of a commutative function. */
    PORTABLE,
    /** There are sizes that are known only at run time. */
    DYNAMIC
  }

  static final Restrictions NONE =
      new Restrictions(Optional.empty(), Optional.empty(), 100_000, ImmutableSet.of());

  Restrictions withOps(ImmutableSet<String> opcodes) {
    return new Restrictions(Optional.of(withCompanions(opcodes)), types, maxElements, traits);
  }

  Restrictions withoutOps(Set<String> opcodes) {
    ImmutableSet<String> all = ops.orElseGet(() -> ImmutableSet.copyOf(OpSchema.opcodes()));
    ImmutableSet<String> left = Sets.difference(all, opcodes).immutableCopy();
    return new Restrictions(Optional.of(left), types, maxElements, traits);
  }

  Restrictions withTypes(ImmutableSet<ElementType> elementTypes) {
    return new Restrictions(ops, Optional.of(elementTypes), maxElements, traits);
  }

  Restrictions withMaxElements(long elements) {
    return new Restrictions(ops, types, elements, traits);
  }

  Restrictions with(Trait trait) {
    return new Restrictions(
        ops, types, maxElements, Sets.union(traits, Set.of(trait)).immutableCopy());
  }

  boolean isOrdinary() {
    return traits.contains(Trait.ORDINARY);
  }

  boolean isPortable() {
    return traits.contains(Trait.PORTABLE);
  }

  boolean isDynamic() {
    return traits.contains(Trait.DYNAMIC);
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
            && !(isPortable() && OWN.contains(opcode)));
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
