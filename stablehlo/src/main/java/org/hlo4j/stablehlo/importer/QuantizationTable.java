package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Streams;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.dialect.Tables;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * What ops do with quantized numbers, a row of {@code quantization.rules} for each kind of op: the
 * relations between their types, and whether they compute with them. {@code stablehlo.ops} says
 * which op is of which kind.
 */
final class QuantizationTable {
  /** What an op is applied to. */
  enum Numbers {
    /** The storage, which is possible as the rule requires one type wherever elements go. */
    STORAGE,
    /** The storage; where the op puts zeros, its results are the number 0. */
    WITH_ZEROS,
    /** The numbers that the storage represents: dequantize, compute, quantize. */
    EXPRESSED
  }

  /**
   * A row of the table.
   *
   * @param numbers what the op is applied to
   * @param relations each requires that some types agree
   */
  record Row(Numbers numbers, ImmutableList<Consumer<OpTypes>> relations) {}

  /** What is required of each value of the lists, given also the first of all. */
  private static final ImmutableMap<String, BiConsumer<TypeInRole, TypeInRole>> OF_EACH =
      ImmutableMap.of(
          "plain",
          (part, first) -> part.requireUnquantized(),
          "quantized",
          (part, first) -> part.requireQuantized(),
          "one_scale",
          (part, first) -> part.requireOneScale(),
          "alike",
          (part, first) -> {
            part.requireAlike(first);
            part.requireOneScale();
          },
          "one_type",
          (part, first) -> {
            part.requireSame(first);
            part.requireOneScale();
          });

  /** What is required of a value and that of the same number in a second list. */
  private static final ImmutableMap<String, BiConsumer<TypeInRole, TypeInRole>> OF_PAIRS =
      ImmutableMap.of(
          "same", TypeInRole::requireSame,
          "same_but_scales", TypeInRole::requireAlike,
          "same_numbers", TypeInRole::requireSameNumbers,
          "same_expressed", TypeInRole::requireExpressed,
          "same_axis", TypeInRole::requireSameAxis,
          "same_scales", TypeInRole::requireSameScales);

  /** The rules by the names that {@code stablehlo.ops} gives them. */
  private static final ImmutableMap<String, Row> ROWS =
      Tables.rows("quantization.rules")
          .collect(toImmutableMap(row -> row.get(0), QuantizationTable::parse));

  private QuantizationTable() {}

  private static Row parse(List<String> row) {
    return new Row(
        Numbers.valueOf(Ascii.toUpperCase(row.get(1))),
        row.stream().skip(2).map(QuantizationTable::relation).collect(toImmutableList()));
  }

  static Consumer<OpTypes> relation(String text) {
    List<String> words = Splitter.on(CharMatcher.anyOf("(,)")).omitEmptyStrings().splitToList(text);
    List<String> lists = words.subList(1, words.size());
    BiConsumer<TypeInRole, TypeInRole> ofEach = OF_EACH.get(words.get(0));
    BiConsumer<TypeInRole, TypeInRole> ofPairs = OF_PAIRS.get(words.get(0));
    if (ofEach != null) {
      return types -> {
        List<TypeInRole> all = lists.stream().flatMap(list -> types.listed(list).stream()).toList();
        all.forEach(part -> ofEach.accept(part, all.get(0)));
      };
    }
    return ofPairs != null
        ? types ->
            Streams.forEachPair(
                types.listed(lists.get(0)).stream(), types.listed(lists.get(1)).stream(), ofPairs)
        : requireNonNull(QuantizationRules.OF_ONE_OP.get(text), text);
  }

  /** Returns the row of an op. An op that has none takes no quantized numbers. */
  static Row row(Operation operation) {
    String rule =
        OpTable.find(operation.name())
            .map(op -> op.quantization())
            .filter(named -> !named.isEmpty())
            .orElse("-");
    return requireNonNull(ROWS.get(rule), rule);
  }
}
