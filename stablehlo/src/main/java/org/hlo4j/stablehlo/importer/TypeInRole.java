package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The type of an operand, a result or a value of a region, and what may be required of it if it is
 * quantized.
 *
 * @param role the name of the value in messages
 * @param type its type
 */
record TypeInRole(String role, Type type) {
  private static final String SCALES = "the scales and zero points of";

  /** Returns types in the roles {@code operand 0}, {@code operand 1} and so on. */
  static ImmutableList<TypeInRole> numbered(String role, List<Type> types) {
    return numbered(role, types, "");
  }

  /** Returns types in roles with a number and a place, such as {@code argument 0 of region 1}. */
  static ImmutableList<TypeInRole> numbered(String role, List<Type> types, String place) {
    ImmutableList.Builder<TypeInRole> parts = ImmutableList.builder();
    for (int i = 0; i < types.size(); i++) {
      parts.add(new TypeInRole(role + " " + i + place, types.get(i)));
    }
    return parts.build();
  }

  Optional<Type.Quantized> quantized() {
    return Quantization.quantized(type);
  }

  boolean isPerAxis() {
    return quantized().filter(element -> element.axis().isPresent()).isPresent();
  }

  /** Returns the type of the numbers: the expressed type of quantized ones. */
  Type expressed() {
    return Quantization.expressed(type) instanceof Type.Tensor tensor ? tensor.element() : type;
  }

  /** Requires that the number of scales is the size of the quantization dimension. */
  void requireScales() {
    if (type instanceof Type.Tuple tuple) {
      numbered(role + ", element", tuple.elements()).forEach(TypeInRole::requireScales);
    }
    if (isPerAxis()) {
      Type.Tensor tensor = (Type.Tensor) type;
      Type.Quantized element = quantized().orElseThrow();
      int axis = element.axis().orElseThrow();
      require(
          axis < tensor.rank() && haveSize(tensor, axis, element.scales().size()),
          "a scale for each place of dimension " + axis);
    }
  }

  /** Returns whether a dimension may have a size; an unknown size is at most its bound. */
  private static boolean haveSize(Type.Tensor tensor, int dimension, int size) {
    long declared = tensor.sizes().get(dimension);
    return declared == size
        || (declared == Type.DYNAMIC && size <= Shapes.bound(tensor, dimension));
  }

  /** Requires something of the type, in words for the message. */
  void require(boolean holds, String want) {
    verify(holds, "%s got %s, want %s", role, type, want);
  }

  /** Requires something of the type that another one has. */
  void require(boolean holds, String want, TypeInRole other) {
    verify(holds, "%s got %s, want %s %s, %s", role, type, want, other.role, other.type);
  }

  /** Requires that a property of the element type is the same; that of no quantized one is none. */
  private <T> void requireEqual(
      TypeInRole other, String want, Function<Type.Quantized, T> property) {
    require(quantized().map(property).equals(other.quantized().map(property)), want, other);
  }

  void requireQuantized() {
    require(quantized().isPresent(), "quantized numbers");
  }

  void requireUnquantized() {
    require(quantized().isEmpty(), "numbers that are not quantized");
  }

  void requireOneScale() {
    require(!isPerAxis(), "one scale for all");
  }

  /** Requires the same element type if either is quantized: scales and zero points included. */
  void requireSame(TypeInRole other) {
    requireEqual(other, "the element type of", element -> element);
  }

  /** Requires the same quantized type but for scales and zero points, or that none is quantized. */
  void requireAlike(TypeInRole other) {
    requireAlike(
        other,
        type -> List.of(type.storage(), type.min(), type.max(), type.expressed(), type.axis()));
  }

  /** Requires the same storage type and the same expressed type, or that none is quantized. */
  void requireSameNumbers(TypeInRole other) {
    requireAlike(other, type -> List.of(type.storage(), type.expressed()));
  }

  private void requireAlike(TypeInRole other, Function<Type.Quantized, List<Object>> property) {
    verify(
        quantized().map(property).equals(other.quantized().map(property)),
        "%s got %s, want it quantized as %s is, %s, but for scales",
        role,
        type,
        other.role,
        other.type);
  }

  void requireStorage(TypeInRole other) {
    requireEqual(other, "the storage type of", Type.Quantized::storage);
  }

  /** Requires the same expressed type; numbers that are not quantized have to be of that type. */
  void requireExpressed(TypeInRole other) {
    require(expressed().equals(other.expressed()), other.expressed() + " numbers as", other);
  }

  /**
   * Requires the same quantized type up to the quantization dimension, or that none is quantized.
   */
  void requireSameScales(TypeInRole other) {
    requireAlikeButAxis(other);
    requireEqual(other, SCALES, type -> List.of(type.scales(), type.zeroPoints()));
  }

  /** Requires at each place the scale and zero point that another type has at its only place. */
  void requireRepeatedScale(TypeInRole other) {
    requireAlikeButAxis(other);
    Type.Quantized one = other.quantized().orElseThrow();
    Type.Quantized all = quantized().orElseThrow();
    require(
        all.scales().stream().allMatch(one.scales().get(0)::equals)
            && all.zeroPoints().stream().allMatch(one.zeroPoints().get(0)::equals),
        SCALES,
        other);
  }

  /** Requires the same quantized type but for scales, zero points and their dimension. */
  void requireAlikeButAxis(TypeInRole other) {
    requireAlike(
        other,
        type ->
            List.of(
                type.storage(), type.min(), type.max(), type.expressed(), type.axis().isPresent()));
  }

  OptionalInt axis() {
    return quantized().map(Type.Quantized::axis).orElse(OptionalInt.empty());
  }

  /** Requires scales along a dimension, if they are along one. */
  void requireAxis(int dimension, String what) {
    require(
        axis().isEmpty() || axis().getAsInt() == dimension,
        "scales along dimension " + dimension + ", " + what);
  }

  /** Requires scales along the same dimension as another type, if they are along one. */
  void requireSameAxis(TypeInRole other) {
    require(
        axis().isEmpty() || axis().equals(other.axis()),
        "scales along the same dimension as",
        other);
  }

  /** Returns the size of the quantization dimension of a per-axis type. */
  long sizeOfAxis() {
    return sizes().get(axis().getAsInt());
  }

  List<Long> sizesBeforeAxis() {
    return sizes().subList(0, axis().getAsInt());
  }

  List<Long> sizesAfterAxis() {
    return sizes().subList(axis().getAsInt() + 1, sizes().size());
  }

  private List<Long> sizes() {
    return ((Type.Tensor) type).sizes();
  }
}
