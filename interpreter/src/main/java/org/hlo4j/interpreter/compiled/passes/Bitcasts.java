package org.hlo4j.interpreter.compiled.passes;

import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;

/** Bitcasts as transposes to the order of memory, a reshape there, and a transpose back. */
final class Bitcasts {
  private Bitcasts() {}

  /**
   * What a bitcast is, layouts aside; between element types with a bitcast of row-major arrays in
   * it. What has tiles stays as it is: evaluation refuses it.
   */
  static HloInstruction opened(HloInstruction bitcast, Rewriter rewriter) {
    Shape.Array from = (Shape.Array) bitcast.operands().get(0).shape();
    Shape.Array to = (Shape.Array) bitcast.shape();
    if (hasTiles(from) || hasTiles(to)) {
      return rewriter.updated(bitcast);
    }
    rewriter.session().count("bitcast opened");
    Dims source = majorToMinor(from);
    Dims target = majorToMinor(to);
    Shape.Array inMemory = to.withSizes(to.sizes().at(target));
    HloInstruction operand =
        rewriter.transpose(rewriter.current(bitcast.operands().get(0)), source);
    HloInstruction read =
        from.elementType() == to.elementType()
            ? rewriter.reshape(operand, inMemory.sizes())
            : rewriter.add(new Bitcast(inMemory), operand);
    return rewriter.transpose(read, target.inverse());
  }

  private static boolean hasTiles(Shape.Array array) {
    return array.layout().isPresent() && array.layout().get().details().contains("T(");
  }

  private static Dims majorToMinor(Shape.Array array) {
    Dims minorToMajor = array.layout().orElse(Layout.rowMajor(array.rank())).minorToMajor();
    int last = array.rank() - 1;
    return Dims.of(
        IntStream.rangeClosed(0, last).mapToLong(i -> minorToMajor.get(last - i)).toArray());
  }

  /** The shape without its layout, unless that has tiles, which bitcasts refuse. */
  static Shape.Array withoutPlainLayout(Shape.Array array) {
    return hasTiles(array) ? array : array.withLayout(null);
  }
}
