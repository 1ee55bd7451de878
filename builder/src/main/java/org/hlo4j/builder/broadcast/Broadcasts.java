package org.hlo4j.builder.broadcast;

import java.util.Optional;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * Broadcasts of one array to given sizes: OpenVINO's Broadcast-1 and Broadcast-3, NumPy's {@code
 * broadcast_to} and ONNX's Expand. Each lowers to at most one reshape and one broadcast, and to
 * nothing if the data has the sizes already.
 *
 * <p>Labels: {@code broadcast-to T1} target sizes are not negative (OpenVINO takes -1 for a size
 * known later); {@code T2} the mode and axes_mapping go together; {@code T3} by NumPy's rule data
 * has no more dimensions than the target, not even of size 1; {@code T4} sizes are equal, or that
 * of data is 1 (in mode bidirectional, or that of the target); {@code T5} axes_mapping has an entry
 * for each dimension of data; {@code T6} each entry is a dimension of the target; {@code T7} they
 * strictly increase.
 *
 * <p>Where OpenVINO's documentation and code disagree, or leave a case open:
 *
 * <ul>
 *   <li>In mode explicit size 1 of data is stretched, as in the code; the document is silent.
 *   <li>The document wants axes_mapping sorted, and the code takes one axis twice; refused here.
 *   <li>A negative axis is refused, not counted from the end.
 *   <li>For a scalar, the document wants axes_mapping empty. One entry is taken as well, as in the
 *       code, if the target has size 1 there.
 *   <li>Without a mode, axes_mapping is refused with advice: the documentation does not say which
 *       of both has precedence.
 *   <li>Broadcast-1 in mode numpy ignores axes_mapping in the code; refused here, as the document
 *       has it.
 *   <li>Size 0 of the target stretches 1 to 0, an empty array.
 *   <li>The document takes mode and axes_mapping to matter for data of another rank than the target
 *       only; they do for the same rank as well.
 *   <li>{@code numpy.array(input) * numpy.ones(target_shape)}, the document's words for
 *       bidirectional, is meant for shapes: the element type stays.
 * </ul>
 */
public final class Broadcasts {
  private Broadcasts() {}

  /**
   * Broadcast-1 in its default mode, numpy.
   *
   * @param data an array of any element type
   * @param targetShape the sizes of the result
   * @return the op
   * @throws HloException if data does not fit
   */
  public static XlaOp broadcast1(XlaOp data, Dims targetShape) {
    return broadcast1(data, targetShape, BroadcastMode.NUMPY);
  }

  /**
   * Broadcast-1 without axes_mapping.
   *
   * @param data an array of any element type
   * @param targetShape the sizes of the result
   * @param mode numpy: the others are refused
   * @return the op
   * @throws HloException if data does not fit, or the mode needs axes_mapping or is bidirectional
   */
  public static XlaOp broadcast1(XlaOp data, Dims targetShape, BroadcastMode mode) {
    return broadcast(data, Target.BROADCAST_1, targetShape, mode, Optional.empty());
  }

  /**
   * Broadcast-1 with axes_mapping.
   *
   * @param data an array of any element type
   * @param targetShape the sizes of the result
   * @param mode explicit: the others are refused
   * @param axesMapping for each dimension of data, that of the result which it becomes, strictly
   *     increasing
   * @return the op
   * @throws HloException if data does not fit, or the mode takes no axes_mapping
   */
  public static XlaOp broadcast1(
      XlaOp data, Dims targetShape, BroadcastMode mode, Dims axesMapping) {
    return broadcast(data, Target.BROADCAST_1, targetShape, mode, Optional.of(axesMapping));
  }

  /**
   * Broadcast-3 in its default mode, numpy.
   *
   * @param data an array of any element type
   * @param targetShape the sizes of the result
   * @return the op
   * @throws HloException if data does not fit
   */
  public static XlaOp broadcast3(XlaOp data, Dims targetShape) {
    return broadcast3(data, targetShape, BroadcastMode.NUMPY);
  }

  /**
   * Broadcast-3 without axes_mapping.
   *
   * @param data an array of any element type
   * @param targetShape the sizes of the result; in mode bidirectional it may have larger ones, and
   *     more
   * @param mode numpy or bidirectional
   * @return the op
   * @throws HloException if data does not fit, or the mode needs axes_mapping
   */
  public static XlaOp broadcast3(XlaOp data, Dims targetShape, BroadcastMode mode) {
    return broadcast(data, Target.BROADCAST_3, targetShape, mode, Optional.empty());
  }

  /**
   * Broadcast-3 with axes_mapping.
   *
   * @param data an array of any element type
   * @param targetShape the sizes of the result
   * @param mode explicit: the others are refused
   * @param axesMapping for each dimension of data, that of the result which it becomes, strictly
   *     increasing
   * @return the op
   * @throws HloException if data does not fit, or the mode takes no axes_mapping
   */
  public static XlaOp broadcast3(
      XlaOp data, Dims targetShape, BroadcastMode mode, Dims axesMapping) {
    return broadcast(data, Target.BROADCAST_3, targetShape, mode, Optional.of(axesMapping));
  }

  /**
   * NumPy's {@code broadcast_to}: the same as Broadcast-3 in mode numpy.
   *
   * @param data an array of any element type
   * @param sizes the sizes of the result
   * @return the op
   * @throws HloException if data does not fit
   */
  public static XlaOp broadcastTo(XlaOp data, long... sizes) {
    return broadcast(data, "broadcastTo", Dims.of(sizes), BroadcastMode.NUMPY, Optional.empty());
  }

  /**
   * ONNX's Expand: the same as Broadcast-3 in mode bidirectional.
   *
   * @param data an array of any element type
   * @param shape the sizes to merge with those of data
   * @return the op
   * @throws HloException if data does not fit
   */
  public static XlaOp expand(XlaOp data, long... shape) {
    return broadcast(data, "expand", Dims.of(shape), BroadcastMode.BIDIRECTIONAL, Optional.empty());
  }

  private static XlaOp broadcast(
      XlaOp data, String name, Dims targetShape, BroadcastMode mode, Optional<Dims> axesMapping) {
    return data.broadcast(new Target(name, targetShape, mode, axesMapping));
  }
}
