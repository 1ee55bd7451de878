/**
 * Implicit broadcasting, as client-level wrappers that lower to explicit HLO: the rules of NumPy,
 * PaddlePaddle and OpenVINO, by name, and the ops Broadcast-1, Broadcast-3, {@code broadcast_to}
 * and Expand. The strict rules are {@link org.hlo4j.hlo.op.Broadcasting}.
 *
 * <p>Where the documentation is silent or differs from the code:
 *
 * <ul>
 *   <li>A stretched dimension has the size that is not 1, not the greater one: 0 with 1 is 0, as in
 *       XLA and NumPy; the documents of both speak of the maximum, and OpenVINO took it until 2025.
 *   <li>Element types are never converted; each wrapper takes all of them, pred too. (OpenVINO's
 *       Broadcast-3 speaks of numeric types only, its code does not check.)
 *   <li>A negative size is refused and none is inferred; OpenVINO takes -1 as a size that is known
 *       later.
 *   <li>Sizes that are known only at run time are refused, unless the operands are of the same
 *       shape.
 * </ul>
 */
@NullMarked
package org.hlo4j.builder.broadcast;

import org.jspecify.annotations.NullMarked;
