package org.hlo4j.hlo.source;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.HloException;

/** What is wrong with a text, as far as it has been read. */
public final class Errors {
  private static final int MOST = 20;

  private final List<ParseException> errors = new ArrayList<>();

  /** No errors yet. */
  public Errors() {}

  /**
   * Keeps an error and gives up when there are many.
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
   * Keeps an error, unless it only follows from another.
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
   * The first error, the others being facts of it.
   *
   * @param source the text they are in
   * @return the refusal of the text
   */
  public HloException inOne(SourceText source) {
    HloException first = errors.get(0).in(source);
    for (ParseException other : errors.subList(1, errors.size())) {
      first = first.with("error", String.valueOf(other.in(source).getMessage()));
    }
    return errors.size() < MOST ? first : first.with("more", "no more than " + MOST + " are told");
  }
}
