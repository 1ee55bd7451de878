package org.hlo4j.hlo.op;

/**
 * Begins a {@link Collective}, which the done of the same name ends, so that other instructions can
 * stand between them. Here it is run at once.
 */
public sealed interface CollectiveStart extends Op
    permits AllGatherStart, AllReduceStart, CollectivePermuteStart {
  /**
   * What is begun.
   *
   * @return the collective, with the shape of its result
   */
  Collective collective();
}
