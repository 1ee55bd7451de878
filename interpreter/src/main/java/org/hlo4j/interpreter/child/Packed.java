package org.hlo4j.interpreter.child;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.Serializable;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * A literal on its way to the other process.
 *
 * @param shape the shape of an array or a token; empty for a tuple
 * @param storage the primitive array of an array's elements, floats as their bits: Java's
 *     serialization makes all NaNs one; null for others
 * @param elements the elements of a tuple
 */
record Packed(String shape, @Nullable Object storage, ImmutableList<Packed> elements)
    implements Serializable {
  /**
   * Packs a literal, whose array is not copied unless it has floats.
   *
   * @throws HloException if it is null, or an array whose elements were left out
   */
  static Packed of(@Nullable Literal literal) {
    if (literal == null) {
      throw new HloException("", "run: an argument is null, want a literal");
    }
    return switch (literal.shape()) {
      case Shape.Array array ->
          new Packed(array.toString(), bits(literal.unsafeStorage()), ImmutableList.of());
      case Shape.Tuple _ -> new Packed("", null, all(literal.elements()));
      case Shape other -> new Packed(other.toString(), null, ImmutableList.of());
    };
  }

  static ImmutableList<Packed> all(List<? extends @Nullable Literal> literals) {
    return literals.stream().map(Packed::of).collect(toImmutableList());
  }

  /** Returns the literal; its array must be of the type and length of its shape. */
  Literal literal() {
    if (shape.isEmpty()) {
      return Literal.tuple(literals(elements));
    }
    if (storage == null) {
      return Literal.token();
    }
    Shape.Array array = (Shape.Array) Shape.parse(shape);
    Object scalar = LiteralBuilder.newStorage(Shape.of(array.elementType()));
    return Literal.unsafeOf(
        array,
        switch (storage) {
          case int[] bits when scalar instanceof float[] -> copied(bits, new float[bits.length]);
          case long[] bits when scalar instanceof double[] -> copied(bits, new double[bits.length]);
          default -> storage;
        });
  }

  private static Object bits(Object storage) {
    return switch (storage) {
      case float[] floats -> copied(floats, new int[floats.length]);
      case double[] doubles -> copied(doubles, new long[doubles.length]);
      default -> storage;
    };
  }

  private static Object copied(Object from, Object to) {
    LiteralBuilder.segment(to).copyFrom(LiteralBuilder.segment(from));
    return to;
  }

  static ImmutableList<Literal> literals(List<Packed> packed) {
    return packed.stream().map(Packed::literal).collect(toImmutableList());
  }
}
