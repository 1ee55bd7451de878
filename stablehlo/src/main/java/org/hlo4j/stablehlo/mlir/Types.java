package org.hlo4j.stablehlo.mlir;

import static com.google.common.collect.ImmutableBiMap.toImmutableBiMap;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableBiMap;
import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;

/** Frequent types, and the mapping between MLIR's element types and HLO's. */
public final class Types {
  /** Booleans. */
  public static final Type.Int I1 = new Type.Int(1, Type.Signedness.SIGNLESS);

  /** 32-bit integers. */
  public static final Type.Int I32 = new Type.Int(32, Type.Signedness.SIGNLESS);

  /** 64-bit integers. */
  public static final Type.Int I64 = new Type.Int(64, Type.Signedness.SIGNLESS);

  /** Single precision. */
  public static final Type.Floating F32 = new Type.Floating("f32");

  /** Double precision. */
  public static final Type.Floating F64 = new Type.Floating("f64");

  private static final ImmutableList<String> FLOATS =
      ImmutableList.of(
          "f4E2M1FN",
          "f8E3M4",
          "f8E4M3",
          "f8E4M3FN",
          "f8E4M3B11FNUZ",
          "f8E4M3FNUZ",
          "f8E5M2",
          "f8E5M2FNUZ",
          "f8E8M0FNU",
          "bf16",
          "f16",
          "f32",
          "f64");

  /** Float types of MLIR that HLO lacks; they can be read but not computed with. */
  static final ImmutableList<String> OTHER_FLOATS =
      ImmutableList.of("f6E2M3FN", "f6E3M2FN", "tf32", "f80", "f128");

  private static final ImmutableBiMap<Type, ElementType> ELEMENT_TYPES =
      Arrays.stream(ElementType.values()).collect(toImmutableBiMap(Types::of, type -> type));

  private Types() {}

  /**
   * {@return the MLIR type of an element type: signed integers are signless, pred is i1}
   *
   * @param type the type
   */
  public static Type of(ElementType type) {
    return switch (type.kind()) {
      case PRED -> I1;
      case SIGNED ->
          // A signed integer of one bit is written out, as i1 is a boolean.
          new Type.Int(
              type.bits(), type.bits() == 1 ? Type.Signedness.SIGNED : Type.Signedness.SIGNLESS);
      case UNSIGNED -> new Type.Int(type.bits(), Type.Signedness.UNSIGNED);
      case FLOAT -> new Type.Floating(floatName(type.toString()));
      case COMPLEX -> new Type.Complex(of(type.componentType()));
    };
  }

  private static String floatName(String hloName) {
    return FLOATS.stream().filter(name -> Ascii.equalsIgnoreCase(name, hloName)).findFirst().get();
  }

  /**
   * {@return HLO's element type for an MLIR type; empty if HLO has none}
   *
   * @param type the type
   */
  public static Optional<ElementType> elementType(Type type) {
    return Optional.ofNullable(ELEMENT_TYPES.get(type));
  }

  /**
   * Returns the element type in which constants of a type are stored: for quantized types the
   * storage type, for the index type 64-bit integers.
   *
   * @param type the type of the elements
   * @return the element type; empty if HLO has none
   */
  public static Optional<ElementType> storage(Type type) {
    if (type instanceof Type.Quantized quantized) {
      return elementType(quantized.storage());
    }
    return type == Type.Simple.INDEX ? Optional.of(ElementType.S64) : elementType(type);
  }

  /** {@return the integer type that has the bits of a type, which is an integer type or index} */
  static Optional<Type.Int> integer(Type type) {
    return switch (type) {
      case Type.Int integer -> Optional.of(integer);
      case Type.Simple simple when simple == Type.Simple.INDEX -> Optional.of(I64);
      default -> Optional.empty();
    };
  }

  /** {@return whether a type is one of StableHLO's float types, some of which HLO lacks} */
  static boolean isFloatOfStablehlo(Type type) {
    return type instanceof Type.Floating floating
        && (FLOATS.contains(floating.name()) || floating.name().startsWith("f6"));
  }

  /** {@return whether a word names a float type} */
  static boolean isFloat(String name) {
    return FLOATS.contains(name) || OTHER_FLOATS.contains(name);
  }
}
