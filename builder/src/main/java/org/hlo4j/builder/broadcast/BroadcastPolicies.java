package org.hlo4j.builder.broadcast;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * The broadcast policies as values: {@code x.add(v, numpy())}, or {@code
 * builder.defaultBroadcast(numpy())}. All of them can be used with every binary op, select and
 * clamp. {@link #pdpd(int)} applies to Power and FloorMod as well: OpenVINO's documentation of them
 * omits it, but its code does not.
 *
 * <table>
 * <caption>x is f32[2,3], v is smaller</caption>
 * <tr><th>policy</th><th>v that fit</th></tr>
 * <tr><td>{@code none()}</td><td>{@code [2,3]}</td></tr>
 * <tr><td>{@code numpy()}</td><td>{@code [2,3] [1,3] [2,1] [1,1] [3] [1] []}</td></tr>
 * <tr><td>{@code pdpd(0)}</td><td>{@code [2,3] [1,3] [2,1] [1,1] [2] [1] []}</td></tr>
 * <tr><td>{@code explicit(0)}</td><td>{@code [2] [1]}</td></tr>
 * <tr><td>{@code byName()}</td><td>any whose names are among those of x, and more</td></tr>
 * </table>
 */
public final class BroadcastPolicies {
  private BroadcastPolicies() {}

  /**
   * No broadcasting: all operands have the same sizes. OpenVINO's {@code auto_broadcast="none"}.
   * Even a scalar is refused. Label: {@code none N1}.
   *
   * @return the policy
   */
  public static BroadcastPolicy none() {
    return new None();
  }

  /**
   * NumPy's rule, OpenVINO's default and ONNX's multidirectional one: dimensions are aligned from
   * the right, missing ones count as 1, and at each position the sizes are equal or 1. All operands
   * of a select are merged. The size of a merged dimension is the one that is not 1, so that 0 with
   * 1 is 0 and 0 with a larger size is refused. Label: {@code numpy N1}.
   *
   * @return the policy
   */
  public static BroadcastPolicy numpy() {
    return new Numpy();
  }

  /**
   * PaddlePaddle's rule with its default axis, see {@link #pdpd(int)}: the last dimensions of the
   * first operand.
   *
   * @return the policy
   */
  public static BroadcastPolicy pdpd() {
    return pdpd(Pdpd.DEFAULT_AXIS);
  }

  /**
   * PaddlePaddle's rule, OpenVINO's {@code auto_broadcast="pdpd"}: the second operand is mapped to
   * adjacent dimensions of the first, from a given one on, and is broadcast to its shape. The first
   * operand is never stretched, not even from 1. In a select, onFalse and pred are each broadcast
   * to the shape of onTrue.
   *
   * <p>Labels: {@code pdpd P1} the second operand has no more dimensions than the first, those of
   * size 1 at its end counted; {@code pdpd P2} an axis is at least -1; {@code pdpd P3} the second
   * operand, without those of size 1 at its end, stays within the first; {@code pdpd P4} sizes are
   * equal, or that of the second operand is 1.
   *
   * <p>Where OpenVINO's document and code do not agree, or leave it open:
   *
   * <ul>
   *   <li>The document ignores dimensions of size 1 at the end of the second operand only. Any may
   *       be 1, as in the document's own example {@code (1,3)} on axis 0, and as in the code.
   *   <li>The default axis is the rank of the first minus that of the second with all its
   *       dimensions, as in the code: {@code (4,1)} on {@code (2,4,4)} lies on dimensions 1 and 2.
   *   <li>{@code (3,4,1)} on axis 1 of {@code (2,3,4)} is taken, as the document has it; the code
   *       refuses it.
   *   <li>Size 1 in the first operand with 0 in the second is refused: only the second is
   *       broadcast. The code takes it. Size 0 in the first with 1 in the second is taken, and
   *       refused by the code.
   * </ul>
   *
   * @param axis the dimension of the first operand where the second begins; -1 for as far right as
   *     it goes
   * @return the policy
   */
  public static BroadcastPolicy pdpd(int axis) {
    return new Pdpd(axis);
  }

  /**
   * XLA's rule, see {@link org.hlo4j.hlo.op.Broadcasting}: what an op without a policy does. For a
   * select or clamp, each operand of lower rank than the highest, except scalars, is mapped to
   * these dimensions. In OpenVINO it is a synonym of none; here none is stricter.
   *
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing; none for operands of equal rank and scalars
   * @return the policy
   */
  public static BroadcastPolicy explicit(long... broadcastDimensions) {
    return explicit(Dims.of(broadcastDimensions));
  }

  /**
   * The same as {@link #explicit(long...)}.
   *
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is
   * @return the policy
   * @throws HloException if it is null
   */
  public static BroadcastPolicy explicit(Dims broadcastDimensions) {
    require(broadcastDimensions != null, "", "explicit: dimensions are null, want a tuple");
    return new Explicit(broadcastDimensions);
  }

  /**
   * By the names that {@link org.hlo4j.builder.XlaOp#named} gave the dimensions, in any order: an
   * operand is broadcast along a name that it lacks. The result has the dimensions of the first
   * operand that has all names, in its order; if none has, those of the first operand, followed by
   * what each further one adds. Operands of the same sizes, none of them with a name, are left as
   * they are.
   *
   * <p>Labels: {@code by-name M1} each dimension has a name; {@code by-name M2} a name has one
   * size, 1 being no exception.
   *
   * @return the policy
   */
  public static BroadcastPolicy byName() {
    return new ByName();
  }
}
