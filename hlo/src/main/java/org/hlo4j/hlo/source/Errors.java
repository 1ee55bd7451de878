package org.hlo4j.hlo.source;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.HloException;

/** The errors found in a text so far. */
public final class Errors {
  private static final int MOST = 20;

  private final List<ParseException> errors = new ArrayList<>();

  /** Creates a list without errors. */
  public Errors() {}

  /**
   * Records an error, and stops parsing when there are many.
   *
   * @param error the error
   */
  public void add(ParseException error) {
    keep(error);
    if (errors.size() >= MOST) {
      throw ParseException.told(error.position());
    }
  }

  /**
   * Records an error, unless it is only a consequence of another.
   *
   * @param error the error
   */
  public void keep(ParseException error) {
    if (!error.isTold()) {
      errors.add(error);
    }
  }

  /** {@return whether there is none} */
  public boolean isEmpty() {
    return errors.isEmpty();
  }

  /**
   * Returns the first error, with the others as its facts.
   *
   * @param source the text they are in
   * @return the exception
   */
  public HloException inOne(SourceText source) {
    HloException first = errors.get(0).in(source);
    for (ParseException other : errors.subList(1, errors.size())) {
      first = first.with("error", String.valueOf(other.in(source).getMessage()));
    }
    return errors.size() < MOST ? first : first.with("more", "no more than " + MOST + " are told");
  }
}
