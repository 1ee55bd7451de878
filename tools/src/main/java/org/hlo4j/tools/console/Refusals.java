package org.hlo4j.tools.console;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.HloException;

/** Several refusals at once, each of which is reported on a line of its own. */
public final class Refusals extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ImmutableList<HloException> all;

  private Refusals(List<HloException> all) {
    super(ErrorMessages.describe(all.get(0)), all.get(0), false, false);
    this.all = ImmutableList.copyOf(all);
  }

  /** Returns all refusals, at least one. */
  ImmutableList<HloException> all() {
    return all;
  }

  /** Throws the refusals, if there are any. */
  public static void throwIfAny(List<HloException> refusals) {
    if (!refusals.isEmpty()) {
      throw refusals.size() == 1 ? refusals.get(0) : new Refusals(refusals);
    }
  }
}
