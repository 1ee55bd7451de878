package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.interpreter.engine.KernelContext;

/** A product of a padded image, whose padding is no term of it: see {@link PaddedPlaces}. */
final class MendedProduct implements Multiplication {
  private final Multiplication multiplication;
  private final PaddedPlaces places;

  MendedProduct(Multiplication multiplication, PaddedPlaces places) {
    this.multiplication = multiplication;
    this.places = places;
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Finish finish) {
    if (hasRows()) {
      multiplication.run(a, b, c, context, places.before(finish, a, b, c));
    } else {
      multiplication.run(a, b, c, context, finish);
      places.mend(a, b, c, context);
    }
  }

  @Override
  public boolean hasRows() {
    return multiplication.hasRows();
  }

  @Override
  public int columns() {
    return multiplication.columns();
  }

  @Override
  public String toString() {
    return multiplication.toString();
  }
}
