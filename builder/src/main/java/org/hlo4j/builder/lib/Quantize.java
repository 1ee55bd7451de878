package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.U16;
import static org.hlo4j.hlo.ElementType.U32;
import static org.hlo4j.hlo.ElementType.U8;

import java.util.stream.LongStream;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Floats;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * Floats stored as small unsigned integers, several in a word of 32 bits, as in XLA's {@code
 * lib/quantize.h}.
 */
public final class Quantize {
  private static final int WORD = 32;

  private Quantize() {}

  /**
   * The floats that the smallest and the largest integer represent.
   *
   * @param min the value of 0
   * @param max the value of the largest integer
   */
  public record QuantizedRange(float min, float max) {}

  /**
   * Packs integers into words of 32 bits, the first in the highest bits; the last word is padded
   * with zeros.
   *
   * @param type the integers' type, u8 or u16
   * @param values the integers, of which the lowest bits are used
   * @return the words
   * @throws HloException if the type is another
   */
  public static int[] packToUint32(ElementType type, int... values) {
    int perWord = perWord("packToUint32", type);
    int[] words = new int[(values.length + perWord - 1) / perWord];
    for (int i = 0; i < values.length; i++) {
      int shift = (perWord - 1 - i % perWord) * type.bits();
      words[i / perWord] |= (int) type.wrap(values[i]) << shift;
    }
    return words;
  }

  /**
   * Unpacks words and dequantizes the integers: {@code integer * scale + min} in bf16, where scale
   * is the range divided by the largest integer.
   *
   * @param input words of u32, of rank 1 at least, packed along the last dimension
   * @param type the integers' type, u8 or u16
   * @param range the values that the integers represent
   * @param transposeOutput whether to reverse the order of the dimensions
   * @return the op, of bf16; its last dimension, or with transposeOutput its first, is 4 times that
   *     of the input for u8 and twice for u16
   * @throws HloException if the input is other, or the type is another
   */
  public static XlaOp dequantize(
      XlaOp input, ElementType type, QuantizedRange range, boolean transposeOutput) {
    requireWords(input.shape());
    XlaOp integers = unpacked(input, type, perWord("dequantize", type));
    double scale = BF16.round((range.max() - range.min()) / (float) type.maxLong());
    XlaOp scaled = Floats.times(integers.convertElementType(BF16), scale);
    XlaOp floats = Floats.plus(scaled, range.min());
    int rank = floats.arrayShape().rank();
    return transposeOutput
        ? floats.transpose(LongStream.range(0, rank).map(i -> rank - 1 - i).toArray())
        : floats;
  }

  /**
   * Returns the words shifted by each distance and masked, interleaved along the last dimension.
   */
  private static XlaOp unpacked(XlaOp input, ElementType type, int perWord) {
    Dims sizes = input.arrayShape().sizes();
    int last = sizes.count() - 1;
    Dims split = sizes.inserted(sizes.count(), perWord);
    XlaOp words = input.broadcastInDim(split, Dims.range(0, sizes.count()));
    XlaOp place = input.builder().iota(Shape.of(U32, split), last + 1);
    XlaOp fromRight = Constants.scalarLike(place, perWord - 1).sub(place);
    XlaOp shift = fromRight.mul(Constants.scalarLike(place, type.bits()));
    XlaOp mask = Constants.scalarLike(words, type.maxLong());
    return words
        .shiftRightLogical(shift)
        .and(mask)
        .reshape(sizes.with(last, sizes.get(last) * perWord));
  }

  private static int perWord(String function, ElementType type) {
    boolean holds = type == U8 || type == U16;
    require(holds, "", "%s: type of the integers got %s, want u8 or u16", function, type);
    return WORD / type.bits();
  }

  private static void requireWords(Shape shape) {
    boolean holds =
        shape instanceof Shape.Array array && array.elementType() == U32 && array.rank() > 0;
    require(holds, "", "dequantize: input got %s, want u32 of rank 1 at least", shape);
  }
}
