package org.hlo4j.builder.lib.nn;

import static org.hlo4j.builder.lib.common.Checks.require;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;

import java.util.Optional;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.broadcast.BroadcastPolicies;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;

/**
 * Scaled dot-product attention, by the definition of {@code jax.nn.dot_product_attention}:
 *
 * <pre>
 *   softmax(query · key / sqrt(features)) · value
 * </pre>
 *
 * <p>Arrays are {@code [batch, length, heads, features]}. The number of query heads may be a
 * multiple of that of key and value, whose heads are then shared by several query heads. Products
 * and softmax of floats narrower than f32 are in f32; the probabilities are rounded to the element
 * type.
 */
public final class Attention {
  /** The value of a masked score: 0.7 times the smallest finite number of f32. */
  private static final double MASKED = -0.7 * Float.MAX_VALUE;

  private Attention() {}

  /**
   * Computes attention to all keys.
   *
   * @param query an array of floats {@code [b, t, n, h]}
   * @param key an array {@code [b, s, k, h]}, n a multiple of k
   * @param value an array of the shape of key
   * @return the op, of the shape of query
   * @throws HloException if shapes or element types are incompatible
   */
  public static XlaOp attention(XlaOp query, XlaOp key, XlaOp value) {
    return attention(query, key, value, Optional.empty());
  }

  /**
   * Computes attention to the keys for which a mask is true.
   *
   * @param query an array of floats {@code [b, t, n, h]}
   * @param key an array {@code [b, s, k, h]}, n a multiple of k
   * @param value an array of the shape of key
   * @param mask pred, of sizes that NumPy's rules broadcast to {@code [b, n, t, s]}, such as {@link
   *     #causalMask}
   * @return the op, of the shape of query
   * @throws HloException if shapes or element types are incompatible
   */
  public static XlaOp attention(XlaOp query, XlaOp key, XlaOp value, XlaOp mask) {
    Shape.Array shape = Checks.array("attention", "mask", mask);
    require(
        shape.elementType() == PRED && shape.rank() <= 4,
        "",
        "attention: mask got %s, want pred of rank 4 at most",
        shape);
    return attention(query, key, value, Optional.of(mask));
  }

  /**
   * Returns the causal mask, by which a query attends to the keys up to its own position: {@code
   * result[t, s] = s <= t}.
   *
   * @param builder where to make it
   * @param queries the number of queries
   * @param keys the number of keys
   * @return the op, pred {@code [queries, keys]}
   */
  public static XlaOp causalMask(XlaBuilder builder, long queries, long keys) {
    Shape.Array shape = Shape.of(S32, queries, keys);
    return builder.iota(shape, 0).ge(builder.iota(shape, 1));
  }

  private static XlaOp attention(XlaOp query, XlaOp key, XlaOp value, Optional<XlaOp> mask) {
    Dims q = sizes(query, key, value);
    Dims k = key.arrayShape().sizes();
    ElementType type = Reductions.type(query);
    ElementType wide = type == F64 ? F64 : F32;
    long shared = q.get(2) / k.get(2);
    // [b, t, k, g, h] · [b, s, k, h] -> [b, k, t, g, s] -> [b, n, t, s], n being k times g.
    XlaOp groups = query.reshape(q.get(0), q.get(1), k.get(2), shared, q.get(3));
    Dot scores =
        Dot.general(Dims.of(0, 2), Dims.of(4), Dims.of(0, 2), Dims.of(3))
            .withPreferredElementType(wide);
    XlaOp logits =
        groups
            .dotGeneral(key, scores)
            .transpose(0, 1, 3, 2, 4)
            .reshape(q.get(0), q.get(2), q.get(1), k.get(1))
            .mul(1 / Math.sqrt((double) q.get(3)));
    XlaOp seen = mask.isPresent() ? masked(logits, mask.orElseThrow()) : logits;
    XlaOp weights = Reductions.converted(Activations.softmax(seen, -1), type);
    // [b, k, g, t, s] · [b, s, k, h] -> [b, k, g, t, h] -> [b, t, n, h].
    return weights
        .reshape(q.get(0), k.get(2), shared, q.get(1), k.get(1))
        .dotGeneral(value, Dot.general(Dims.of(0, 1), Dims.of(4), Dims.of(0, 2), Dims.of(1)))
        .transpose(0, 3, 1, 2, 4)
        .reshape(q);
  }

  private static XlaOp masked(XlaOp logits, XlaOp mask) {
    XlaOp least = logits.scalarLike(MASKED);
    return mask.select(logits, least, BroadcastPolicies.numpy());
  }

  private static Dims sizes(XlaOp query, XlaOp key, XlaOp value) {
    Shape.Array q = Checks.array("attention", "query", query);
    Shape.Array k = Checks.array("attention", "key", key);
    require(
        q.elementType().isFloating() && q.rank() == 4,
        "",
        "attention: query got %s, want floats [batch, length, heads, features]",
        q);
    boolean fits =
        k.rank() == 4
            && k.elementType() == q.elementType()
            && k.size(0) == q.size(0)
            && k.size(2) > 0
            && q.size(2) % k.size(2) == 0
            && k.size(3) == q.size(3);
    require(
        fits,
        "",
        "attention: key got %s, want batch and features of query %s, and heads that divide its",
        k,
        q);
    Checks.requireShape("attention", "value", value, k);
    return q.sizes();
  }
}
