package org.hlo4j.interpreter.compiled.passes;

import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;

/**
 * The lowering of a bitcast: a transpose to the order in memory, a reshape there, and a transpose
 * back.
 */
final class Bitcasts {
  private Bitcasts() {}

  /**
   * Returns a bitcast as transposes and a reshape, which need no layouts. Between two element
   * types, the reshape is a bitcast of row-major arrays. A bitcast of tiled layouts stays as it is;
   * evaluation refuses it.
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

  /**
   * Returns the shape without its layout. A tiled layout stays, since evaluation refuses bitcasts
   * of it.
   */
  static Shape.Array withoutPlainLayout(Shape.Array array) {
    return hasTiles(array) ? array : array.withLayout(null);
  }
}
