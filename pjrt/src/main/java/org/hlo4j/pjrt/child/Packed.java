package org.hlo4j.pjrt.child;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.Serializable;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * A literal on its way to the other process.
 *
 * @param shape the shape of an array or a token; empty for a tuple
 * @param storage the primitive array of an array's elements; null for others
 * @param elements the elements of a tuple
 */
record Packed(String shape, @Nullable Object storage, ImmutableList<Packed> elements)
    implements Serializable {
  /**
   * Packs a literal, whose array is not copied.
   *
   * @throws HloException if it is null, or an array whose elements were left out
   */
  static Packed of(@Nullable Literal literal) {
    if (literal == null) {
      throw new HloException("", "run got null, want a literal");
    }
    return switch (literal.shape()) {
      case Shape.Array array ->
          new Packed(array.toString(), literal.unsafeStorage(), ImmutableList.of());
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
    return storage == null
        ? Literal.token()
        : Literal.unsafeOf((Shape.Array) Shape.parse(shape), storage);
  }

  static ImmutableList<Literal> literals(List<Packed> packed) {
    return packed.stream().map(Packed::literal).collect(toImmutableList());
  }
}
