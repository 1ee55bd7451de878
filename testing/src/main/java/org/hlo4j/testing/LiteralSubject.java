package org.hlo4j.testing;

import static com.google.common.truth.Fact.fact;
import static com.google.common.truth.Truth.assertAbout;

import com.google.common.truth.FailureMetadata;
import com.google.common.truth.Subject;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/** A Truth subject for literals. Its failures name the element that differs most. */
public final class LiteralSubject extends Subject {
  private final @Nullable Literal actual;

  private LiteralSubject(FailureMetadata metadata, @Nullable Literal actual) {
    super(metadata, actual);
    this.actual = actual;
  }

  /**
   * Begins an assertion about a literal.
   *
   * @param literal the actual literal
   * @return the subject
   */
  public static LiteralSubject assertThat(@Nullable Literal literal) {
    return assertAbout(LiteralSubject::new).that(literal);
  }

  private Literal actual() {
    if (actual == null) {
      failWithActual(fact("expected", "a literal"));
      throw new AssertionError("unreachable");
    }
    return actual;
  }

  /**
   * Fails unless the shape is the given one.
   *
   * @param shape the expected shape
   */
  public void hasShape(Shape shape) {
    check("shape()").that(actual().shape()).isEqualTo(shape);
  }

  /**
   * Fails unless the literal equals {@link Literal#of(Object)} of a value bit for bit, where any
   * NaN equals any NaN.
   *
   * @param value a boxed scalar or a nested Java array
   */
  public void holds(Object value) {
    isEqualTo(Literal.of(actual().elementType(), value));
  }

  /**
   * Fails unless each float is within {@code ulps} units in the last place of the expected one.
   * Tuples are compared element by element; NaN equals NaN; integers and booleans must be equal.
   *
   * @param ulps the largest allowed number of representable values between two floats
   * @param expected the expected literal
   */
  public void isWithinUlps(long ulps, Literal expected) {
    hasShape(expected.shape());
    if (expected.shape() instanceof Shape.Tuple) {
      for (int i = 0; i < expected.elements().size(); i++) {
        check("element(%s)", i)
            .about(LiteralSubject::new)
            .that(actual().element(i))
            .isWithinUlps(ulps, expected.element(i));
      }
      return;
    }
    if (!(expected.shape() instanceof Shape.Array array)) {
      return;
    }
    ElementType part = array.elementType().componentType();
    int components = expected.elementCount() * array.elementType().componentCount();
    int worst = 0;
    long most = 0;
    for (int i = 0; i < components; i++) {
      long distance = part.ulpsBetween(actual().bitsAt(i), expected.bitsAt(i));
      if (distance > most) {
        most = distance;
        worst = i;
      }
    }
    if (most > ulps) {
      failWithoutActual(
          fact("expected within", ulps + " ulps"),
          fact("but was", most + " ulps"),
          fact("at component", worst),
          fact("expected there", text(part, expected.bitsAt(worst))),
          fact("got there", text(part, actual().bitsAt(worst))));
    }
  }

  private static String text(ElementType part, long bits) {
    return part.isFloating()
        ? part.decode(bits) + " (0x" + Long.toHexString(bits) + ")"
        : Long.toString(part.wrap(bits));
  }
}
