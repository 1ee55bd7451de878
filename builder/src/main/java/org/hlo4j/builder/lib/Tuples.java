package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * The flattening and construction of nested tuples. XLA's library has a tree of the parts; here it
 * is a list.
 */
public final class Tuples {
  private Tuples() {}

  /**
   * Returns the leaves of a tuple in order, including those of nested tuples.
   *
   * @param tuple a tuple; anything else is its only value
   * @return the values, in order
   */
  public static List<XlaOp> disassembleTuple(XlaOp tuple) {
    require(tuple != null, "", "disassembleTuple: the tuple is null");
    ImmutableList.Builder<XlaOp> leaves = ImmutableList.builder();
    collect(tuple, leaves);
    return leaves.build();
  }

  private static void collect(XlaOp op, ImmutableList.Builder<XlaOp> leaves) {
    if (op.shape() instanceof Shape.Tuple shape) {
      for (int i = 0; i < shape.elements().size(); i++) {
        collect(op.getTupleElement(i), leaves);
      }
    } else {
      leaves.add(op);
    }
  }

  /**
   * Returns a nested tuple of values.
   *
   * @param builder the builder
   * @param shape the shape of the tuple
   * @param leaves the values, in order
   * @return the op, of that shape
   * @throws HloException if the values are not those of the shape
   */
  public static XlaOp assembleTuple(XlaBuilder builder, Shape shape, List<XlaOp> leaves) {
    Iterator<XlaOp> rest = leaves.iterator();
    XlaOp whole = assembled(builder, shape, rest, leaves.size());
    require(
        !rest.hasNext(),
        "",
        "assembleTuple: got %s values, want fewer for %s",
        leaves.size(),
        shape);
    return whole;
  }

  private static XlaOp assembled(
      XlaBuilder builder, Shape shape, Iterator<XlaOp> leaves, int count) {
    if (shape instanceof Shape.Tuple tuple) {
      List<XlaOp> elements = new ArrayList<>();
      tuple.elements().forEach(element -> elements.add(assembled(builder, element, leaves, count)));
      return builder.tuple(elements);
    }
    require(leaves.hasNext(), "", "assembleTuple: got %s values, want more", count);
    XlaOp leaf = leaves.next();
    require(
        leaf != null && leaf.shape().compatible(shape),
        "",
        "assembleTuple: value got %s, want %s",
        leaf == null ? "null" : leaf.shape(),
        shape);
    return leaf;
  }
}
