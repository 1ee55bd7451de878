package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.hlo4j.hlo.ElementType;

/**
 * The constraints on a quantized type. Source: the constraints of quantized element types of
 * StableHLO's specification; MLIR's verifier gives the range of scales.
 */
final class QuantizedTypes {
  private static final ImmutableSet<Integer> WIDTHS = ImmutableSet.of(2, 4, 8, 16, 32);

  private QuantizedTypes() {}

  /** Requires what {@link Type.Quantized} says of its components. */
  static void check(
      Type.Int storage,
      Type expressed,
      long min,
      long max,
      OptionalInt axis,
      List<Double> scales,
      List<Long> zeroPoints) {
    require(
        WIDTHS.contains(storage.width()) && storage.signedness() != Type.Signedness.SIGNED,
        PARSE,
        "got the storage type %s, want i or u with 2, 4, 8, 16 or 32 bits",
        storage);
    long least = Type.Quantized.defaultMin(storage);
    long greatest = Type.Quantized.defaultMax(storage);
    require( // C3
        least <= min && min < max && max <= greatest,
        PARSE,
        "got the range %s:%s, want one in %s:%s",
        min,
        max,
        least,
        greatest);
    require(
        Types.isFloatOfStablehlo(expressed),
        PARSE,
        "got %s to quantize, want a float type of StableHLO",
        expressed);
    requireCounts(axis, scales.size(), zeroPoints.size());
    requireScales(expressed, scales);
    for (long zeroPoint : zeroPoints) { // C7
      require(
          min <= zeroPoint && zeroPoint <= max,
          PARSE,
          "got the zero point %s, want one from %s to %s",
          zeroPoint,
          min,
          max);
    }
  }

  // C9 to C11
  private static void requireCounts(OptionalInt axis, int scales, int zeroPoints) {
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
  private static void requireScales(Type expressed, List<Double> scales) {
    Optional<ElementType> type = Types.elementType(expressed);
    double least = type.map(QuantizedTypes::leastPositive).orElse(0.0);
    double greatest = type.map(ElementType::maxFinite).orElse(Double.MAX_VALUE);
    for (double scale : scales) {
      require(scale > 0, PARSE, "got the scale %s, want one above 0", scale);
      require(
          least <= scale && scale <= greatest,
          PARSE,
          "got the scale %s, want one from %s to %s, the numbers of %s",
          scale,
          least,
          greatest,
          expressed);
    }
  }

  private static double leastPositive(ElementType type) {
    double first = type.decode(0);
    return first > 0 ? first : type.decode(1);
  }
}
