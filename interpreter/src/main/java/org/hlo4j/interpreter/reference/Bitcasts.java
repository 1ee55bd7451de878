package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.interpreter.engine.Limits;

/** The bitcast op, which reinterprets the memory of an array as another shape. */
final class Bitcasts {
  private Bitcasts() {}

  /**
   * Returns the components of the operand in the order of its layout, as those of the result in the
   * order of the result's layout.
   */
  static Literal bitcast(Literal operand, Shape from, Shape to) {
    int[] source = memoryOrder((Shape.Array) from);
    int[] target = memoryOrder((Shape.Array) to);
    int fromBits = BitcastConvert.width(operand.elementType().componentType());
    LiteralBuilder result = new LiteralBuilder((Shape.Array) to.withoutLayout());
    int toBits = BitcastConvert.width(((Shape.Array) to).elementType().componentType());
    int bits = Math.min(fromBits, toBits);
    long mask = bits == 64 ? -1 : (1L << bits) - 1;
    long[] components = new long[target.length];
    for (long unit = 0; unit < (long) target.length * (toBits / bits); unit++) {
      Limits.checkAt((int) unit);
      long bit = unit * bits;
      long value = operand.bitsAt(source[(int) (bit / fromBits)]) >>> (bit % fromBits) & mask;
      components[(int) (bit / toBits)] |= value << (bit % toBits);
    }
    for (int i = 0; i < target.length; i++) {
      Limits.checkAt(i);
      result.setBits(target[i], components[i]);
    }
    return result.build();
  }

  /**
   * Returns, for each position in memory, the component that is stored there. Tiled layouts are
   * rejected.
   */
  private static int[] memoryOrder(Shape.Array array) {
    Layout layout = array.layout().orElse(Layout.rowMajor(array.rank()));
    require(
        !layout.details().contains("T("),
        "",
        "bitcast: layout of %s got tiles, want none to evaluate it",
        array);
    Dims majorToMinor =
        Dims.of(
            IntStream.range(0, array.rank())
                .mapToLong(i -> layout.minorToMajor().get(array.rank() - 1 - i))
                .toArray());
    int[] elements = Offsets.ofDimensions(majorToMinor, array.sizes());
    if (!array.elementType().isComplex()) {
      return elements;
    }
    return IntStream.of(elements).flatMap(i -> IntStream.of(2 * i, 2 * i + 1)).toArray();
  }
}
