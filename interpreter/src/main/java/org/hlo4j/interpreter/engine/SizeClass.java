package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * Dimensions of the operands of an op that are declared of the same size, some of them with it as a
 * bound. At run time they have one size again: by the rule, those of another are cut or filled.
 *
 * @param rule what is done
 * @param places the dimensions
 */
record SizeClass(Rule rule, ImmutableList<Place> places) {
  /** How dimensions of different sizes come to have one. */
  enum Rule {
    /** All have the size of the dynamic ones: static ones are cut to it. */
    CUT,
    /**
     * A dimension of the result has the size of the first: if that is dynamic, static ones are cut
     * to it; if it is static, so is the result, and dynamic ones need all of their elements.
     */
    LED,
    /** All have the size of the longest: others are filled with a value that changes no result. */
    FILLED
  }

  /** A dimension of an operand. */
  record Place(int operand, int dimension) {}

  static SizeClass of(Rule rule, Place... places) {
    return new SizeClass(rule, ImmutableList.copyOf(places));
  }

  /**
   * Returns the one size; empty if all of them are static.
   *
   * @param instruction the instruction, as declared
   * @param actual the shapes that its operands have at run time
   */
  Optional<Long> size(HloInstruction instruction, List<Shape.Array> actual) {
    Place dynamic = null;
    long longest = 0;
    for (Place place : places) {
      long size = actual.get(place.operand).size(place.dimension);
      longest = Math.max(longest, size);
      if (declared(instruction, place).isDynamic(place.dimension)) {
        dynamic = dynamic == null ? place : dynamic;
        long before = actual.get(dynamic.operand).size(dynamic.dimension);
        require(
            rule == Rule.FILLED || size == before,
            "",
            "%s: sizes at run time got %s, but %s, want the same",
            instruction.op().opcode(),
            describe(instruction, dynamic, before),
            describe(instruction, place, size));
      }
    }
    if (dynamic == null) {
      return Optional.empty();
    }
    Place from = rule == Rule.LED ? places.get(0) : dynamic;
    long size = actual.get(from.operand).size(from.dimension);
    return Optional.of(rule == Rule.FILLED ? longest : size);
  }

  private static Shape.Array declared(HloInstruction instruction, Place place) {
    return (Shape.Array) instruction.operands().get(place.operand).shape();
  }

  private static String describe(HloInstruction instruction, Place place, long size) {
    HloInstruction operand = instruction.operands().get(place.operand);
    return String.format(
        "%s in dimension %s of %s %s",
        size, place.dimension, operand.name(), operand.shape().withoutLayout());
  }

  /** Returns sizes with one for each place of an operand, in place of what they were. */
  Dims with(Dims sizes, int operand, long size) {
    Dims all = sizes;
    for (Place place : places) {
      all = place.operand == operand ? all.with(place.dimension, size) : all;
    }
    return all;
  }
}
