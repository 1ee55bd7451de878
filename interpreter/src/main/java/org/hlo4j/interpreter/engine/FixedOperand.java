package org.hlo4j.interpreter.engine;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * A value that is the same in each run of a program: a constant or a bound argument. Once all its
 * kernels read forms of their own, a program can let go of it; a form gives it back if it is needed
 * again.
 */
final class FixedOperand {
  private final KeptForms forms;
  private final Literal withoutElements;
  private final long bytes;
  private volatile @Nullable Literal literal;

  FixedOperand(Literal literal, AtomicLong room) {
    this.literal = literal;
    this.forms = new KeptForms(room);
    this.withoutElements =
        literal.shape() instanceof Shape.Array array ? Literal.elided(array) : literal;
    this.bytes = literal.shape().arrays().stream().mapToLong(Liveness::bytes).sum();
  }

  KeptForms forms() {
    return forms;
  }

  /** Returns the argument of a run: the value, or an array without its elements if it is gone. */
  Literal argument() {
    Literal known = literal;
    return known != null ? known : withoutElements;
  }

  /** Returns the value. */
  synchronized Literal literal() {
    Literal known = literal;
    if (known != null) {
      return known;
    }
    Literal restored = Literal.zeros((Shape.Array) withoutElements.shape());
    complete().orElseThrow().restore(restored.unsafeStorage());
    return restored;
  }

  /** Lets go of the value, which no kernel reads any more, if a form gives it back. */
  synchronized void letGo() {
    if (complete().isPresent()) {
      literal = null;
    }
  }

  private Optional<KeptForms.Form> complete() {
    return withoutElements.shape() instanceof Shape.Array array
        ? forms.complete(array.elementCount())
        : Optional.empty();
  }

  /** Returns whether the value is still there, but may be gone later. */
  boolean isPending() {
    return literal != null && forms.areAny();
  }

  boolean isGone() {
    return literal == null;
  }

  /** Returns the bytes that the value takes as long as it is there. */
  long bytes() {
    return bytes;
  }
}
