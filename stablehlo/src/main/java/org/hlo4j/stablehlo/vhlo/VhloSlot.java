package org.hlo4j.stablehlo.vhlo;

import com.google.common.base.Strings;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * An attribute of an operation of portable artifacts.
 *
 * @param name its name in artifacts
 * @param attribute the name of the corresponding attribute of StableHLO's operation
 * @param field the field of that attribute, if it is a struct; else empty
 * @param absentValue the stored value if StableHLO's operation has no such attribute, see {@code
 *     vhlo.ops}; empty if it always has it, or if the table of StableHLO's operations has its
 *     default
 */
record VhloSlot(String name, String attribute, String field, String absentValue) {
  static VhloSlot parse(String text) {
    int equals = text.indexOf('=');
    String names = equals < 0 ? text : text.substring(0, equals);
    String filler = equals < 0 ? "" : text.substring(equals + 1);
    int arrow = names.indexOf('>');
    String name = arrow < 0 ? names : names.substring(0, arrow);
    String target = names.substring(arrow + 1);
    int dot = target.indexOf('.');
    return dot < 0
        ? new VhloSlot(name, target, "", filler)
        : new VhloSlot(name, target.substring(0, dot), target.substring(dot + 1), filler);
  }

  /** Returns whether this slot stores a given attribute or field. */
  boolean stores(String otherAttribute, String otherField) {
    return attribute.equals(otherAttribute) && field.equals(otherField);
  }

  /** Returns whether a value only means that StableHLO's operation has no such attribute. */
  boolean isAbsentValue(Attribute value) {
    return switch (absentValue) {
      case "1s" -> isAll(value, 1);
      case "0s" -> isAll(value, 0);
      case "DEFAULTs" ->
          value instanceof Attribute.Array words
              && words.elements().stream().allMatch(word -> isWord(word, "DEFAULT"));
      case "empty" -> isEmpty(value);
      case "none" -> value.equals(new Attribute.OfType(Type.Simple.NONE));
      case "accuracy" ->
          value instanceof Attribute.Struct struct
              && struct.fields().size() == 1
              && struct.fields().values().stream().allMatch(mode -> isWord(mode, "DEFAULT"));
      case "NOTYPE" -> isWord(value, absentValue);
      case "0", "false" -> value instanceof Attribute.Int number && number.value().signum() == 0;
      default -> false;
    };
  }

  private static boolean isWord(Attribute value, String word) {
    return value instanceof Attribute.Word given && given.value().equals(word);
  }

  private static boolean isEmpty(Attribute value) {
    return switch (value) {
      case Attribute.Str string -> Strings.isNullOrEmpty(string.value());
      case Attribute.Array array -> array.elements().isEmpty();
      case Attribute.Dense dense -> dense.type().sizes().contains(0L);
      case Attribute.DenseArray array -> array.values().isEmpty();
      default -> false;
    };
  }

  private static boolean isAll(Attribute value, long number) {
    if (!(value instanceof Attribute.Dense dense)) {
      return false;
    }
    Literal elements = dense.elements();
    ElementType.Kind kind = elements.elementType().kind();
    if (kind == ElementType.Kind.FLOAT || kind == ElementType.Kind.COMPLEX) {
      return false;
    }
    for (int i = 0; i < elements.elementCount(); i++) {
      if (elements.longAt(i) != number) {
        return false;
      }
    }
    return true;
  }
}
