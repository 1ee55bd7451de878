package org.hlo4j.stablehlo.mlir;

/** Elements of constants as MLIR text writes them. */
final class ElementText {
  private ElementText() {}

  /**
   * A floating-point number: decimal, or the bits of its type in hexadecimal if it is not finite.
   */
  static String of(double value, Type type) {
    if (Double.isFinite(value)) {
      return FloatText.of(value);
    }
    long bits =
        Types.elementType(type).map(t -> t.encode(value)).orElse(Double.doubleToLongBits(value));
    return String.format("0x%X", bits);
  }

  /** A number of a dense array: of float types given by its bits. */
  static String ofBits(long bits, Type type) {
    if (type.equals(Types.I1)) {
      return bits == 0 ? "false" : "true";
    }
    return type instanceof Type.Floating
        ? of(Types.elementType(type).orElseThrow().decode(bits), type)
        : Long.toString(bits);
  }

  /** What is between the angle brackets of a dense constant. */
  static String of(Attribute.Dense dense) {
    return dense.elements().toHloText();
  }
}
