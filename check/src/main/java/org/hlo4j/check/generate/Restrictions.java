package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

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
    ImmutableSet<String> all =
        opcodes.stream()
            .flatMap(each -> OpRows.withCompanions(each).stream())
            .collect(toImmutableSet());
    return new Restrictions(Optional.of(all), types, maxElements, traits);
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

  boolean allows(String opcode) {
    return ALWAYS.contains(opcode)
        || (ops.map(all -> all.contains(opcode)).orElse(true)
            && !(isPortable() && OpRows.isOwn(opcode)));
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
