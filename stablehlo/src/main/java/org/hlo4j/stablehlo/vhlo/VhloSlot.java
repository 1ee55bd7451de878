package org.hlo4j.stablehlo.vhlo;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.stablehlo.dialect.AttributeDefinition;
import org.hlo4j.stablehlo.dialect.StructTable;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

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
  private static final Attribute DEFAULT = word("precision", "DEFAULT");

  /** The values that do not depend on the operation. */
  private static final ImmutableMap<String, Attribute> VALUES =
      ImmutableMap.of(
          "DEFAULTs",
          new Attribute.Array(ImmutableList.of(DEFAULT, DEFAULT)),
          "none",
          new Attribute.OfType(Type.Simple.NONE),
          "accuracy",
          StructTable.struct(
              "result_accuracy", Map.of("mode", word("result_accuracy_mode", "DEFAULT"))),
          "NOTYPE",
          word("comparison_type", "NOTYPE"),
          "0",
          Attribute.Int.i64(0),
          "false",
          Attribute.Int.bool(false));

  /** The values that hold nothing; a string if no other. */
  private static final ImmutableMap<AttributeDefinition.Kind, Attribute> EMPTY =
      ImmutableMap.of(
          AttributeDefinition.Kind.ARRAY,
          new Attribute.Array(ImmutableList.of()),
          AttributeDefinition.Kind.INTS,
          Attribute.DenseArray.i64(ImmutableList.of()),
          AttributeDefinition.Kind.PAIRS,
          Attribute.DenseArray.i64(ImmutableList.of()));

  private static Attribute word(String mnemonic, String value) {
    return new Attribute.Word("stablehlo", mnemonic, value);
  }

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

  /** Returns the value that stands for a missing attribute of a kind; empty if none may miss. */
  Optional<Attribute> absentValue(AttributeDefinition.Kind kind, Operation operation) {
    return switch (absentValue) {
      case "1s" -> Optional.of(filled(1, kind, operation));
      case "0s" -> Optional.of(filled(0, kind, operation));
      case "empty" -> Optional.of(EMPTY.getOrDefault(kind, new Attribute.Str("")));
      default -> Optional.ofNullable(VALUES.get(absentValue));
    };
  }

  /** Returns one value for each dimension of a window, or for both ends of each. */
  private static Attribute filled(long value, AttributeDefinition.Kind kind, Operation operation) {
    long rank = windowRank(operation);
    return VhloWriter.elements(
        kind == AttributeDefinition.Kind.BOOLS ? Types.I1 : Types.I64,
        kind == AttributeDefinition.Kind.PAIRS
            ? ImmutableList.of(rank, 2L)
            : ImmutableList.of(rank),
        rank == 0 ? List.of() : List.of(value));
  }

  private static long windowRank(Operation operation) {
    if (operation.attributes().get("window_dimensions") instanceof Attribute.DenseArray sizes) {
      return sizes.values().size();
    }
    if (operation.attributes().get("dimension_numbers") instanceof Attribute.Struct numbers
        && numbers.fields().get("input_spatial_dimensions")
            instanceof Attribute.DenseArray spatial) {
      return spatial.values().size();
    }
    return operation.operands().stream()
        .limit(1)
        .mapToLong(first -> first.type() instanceof Type.Tensor tensor ? tensor.rank() : 0)
        .sum();
  }

  /** Returns whether a value only means that StableHLO's operation has no such attribute. */
  boolean isAbsentValue(Attribute value) {
    return switch (absentValue) {
      case "1s" -> isAll(value, 1);
      case "0s" -> isAll(value, 0);
      case "DEFAULTs" ->
          value instanceof Attribute.Array words
              && words.elements().stream().allMatch(VhloSlot::isDefault);
      case "empty" -> isEmpty(value);
      case "0", "false" -> value instanceof Attribute.Int number && number.value().signum() == 0;
      default -> value.equals(VALUES.get(absentValue));
    };
  }

  private static boolean isDefault(Attribute word) {
    return word instanceof Attribute.Word given && given.value().equals("DEFAULT");
  }

  private static boolean isEmpty(Attribute value) {
    return switch (value) {
      case Attribute.Str string -> string.value().isEmpty();
      case Attribute.Array array -> array.elements().isEmpty();
      case Attribute.Dense dense -> dense.type().sizes().contains(0L);
      case Attribute.DenseArray array -> array.values().isEmpty();
      default -> false;
    };
  }

  private static boolean isAll(Attribute value, long number) {
    return value instanceof Attribute.Dense dense
        && dense.type().element() instanceof Type.Int
        && IntStream.range(0, dense.elements().elementCount())
            .allMatch(i -> dense.elements().longAt(i) == number);
  }
}
