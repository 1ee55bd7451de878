package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import java.util.OptionalInt;
import org.hlo4j.hlo.ElementType;

/**
 * The constraints on a quantized type. Source: the constraints of quantized element types of
 * StableHLO's specification; MLIR's verifier gives the range of scales.
 */
final class QuantizedTypes {
  private static final ImmutableSet<Integer> WIDTHS = ImmutableSet.of(2, 4, 8, 16, 32);

  private QuantizedTypes() {}

  static void requireStorage(Type.Int storage) {
    require(
        WIDTHS.contains(storage.width()) && storage.signedness() != Type.Signedness.SIGNED,
        PARSE,
        "got the storage type %s, want i or u with 2, 4, 8, 16 or 32 bits",
        storage);
  }

  // C3
  static void requireRange(Type.Int storage, long min, long max) {
    long least = Type.Quantized.defaultMin(storage);
    long greatest = Type.Quantized.defaultMax(storage);
    require(
        least <= min && min < max && max <= greatest,
        PARSE,
        "got the range %s:%s, want one in %s:%s",
        min,
        max,
        least,
        greatest);
  }

  static void requireExpressed(Type expressed) {
    require(
        Types.isFloatOfStablehlo(expressed),
        PARSE,
        "got %s to quantise, want a float type of StableHLO",
        expressed);
  }

  // C9 to C11
  static void requireCounts(OptionalInt axis, int scales, int zeroPoints) {
    require(
        axis.orElse(0) >= 0,
        PARSE,
        "got the quantization dimension %s, want at least 0",
        axis.orElse(0));
    require(
        axis.isPresent() ? scales > 0 : scales == 1,
        PARSE,
        "got %s scales, want %s",
        scales,
        axis.isPresent() ? "one at least" : "one");
    require(zeroPoints == scales, PARSE, "got %s zero points for %s scales", zeroPoints, scales);
  }

  // C4 to C6
  static void requireScale(Type expressed, double scale) {
    require(scale > 0, PARSE, "got the scale %s, want one above 0", scale);
    double least = Types.elementType(expressed).map(QuantizedTypes::leastPositive).orElse(0.0);
    double greatest =
        Types.elementType(expressed).map(ElementType::maxFinite).orElse(Double.MAX_VALUE);
    require(
        least <= scale && scale <= greatest,
        PARSE,
        "got the scale %s, want one from %s to %s, the numbers of %s",
        scale,
        least,
        greatest,
        expressed);
  }

  private static double leastPositive(ElementType type) {
    double first = type.decode(0);
    return first > 0 ? first : type.decode(1);
  }

  // C7
  static void requireZeroPoint(long min, long max, long zeroPoint) {
    require(
        min <= zeroPoint && zeroPoint <= max,
        PARSE,
        "got the zero point %s, want one from %s to %s",
        zeroPoint,
        min,
        max);
  }
}
