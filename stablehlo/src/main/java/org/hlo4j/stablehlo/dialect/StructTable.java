package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableBiMap.toImmutableBiMap;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableBiMap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.EntryReader;
import org.hlo4j.stablehlo.mlir.OpParser;

/**
 * The table of the enumerations and structs of StableHLO's attributes, read from {@code
 * stablehlo.structs}.
 */
public final class StructTable {
  /** The words of each enumeration at the indices of their numbers; {@code _} is none. */
  private static final ImmutableMap<String, ImmutableList<String>> ENUMS =
      rows("enum").collect(toImmutableMap(row -> row.get(1), row -> row.subList(4, row.size())));

  private static final ImmutableMap<String, ImmutableMap<String, AttributeDefinition>> STRUCTS =
      rows("struct")
          .collect(
              toImmutableMap(
                  row -> row.get(1),
                  row -> AttributeDefinition.parseAll(row.subList(4, row.size()))));

  /** The codes of enumerations and structs in plain bytecode. */
  static final ImmutableBiMap<String, Integer> CODES = codes(2);

  /** The codes of enumerations and structs in portable artifacts. */
  public static final ImmutableBiMap<String, Integer> ARTIFACT_CODES = codes(3);

  private StructTable() {}

  private static Stream<ImmutableList<String>> rows(String kind) {
    return Tables.rows("stablehlo.structs").filter(row -> row.get(0).equals(kind));
  }

  private static ImmutableBiMap<String, Integer> codes(int column) {
    return Tables.rows("stablehlo.structs")
        .filter(row -> !row.get(column).equals("-"))
        .collect(toImmutableBiMap(row -> row.get(1), row -> Integer.valueOf(row.get(column))));
  }

  /**
   * {@return the fields of a struct by name, in the order of its definition}
   *
   * @param mnemonic the struct
   */
  public static ImmutableMap<String, AttributeDefinition> fields(String mnemonic) {
    return requireNonNull(STRUCTS.get(mnemonic));
  }

  static boolean isStruct(String mnemonic) {
    return STRUCTS.containsKey(mnemonic);
  }

  static boolean isEnum(String mnemonic) {
    return ENUMS.containsKey(mnemonic);
  }

  /**
   * Returns a struct in canonical form, which all readers produce: its fields are in the order of
   * its definition, without those that equal their defaults.
   *
   * @param dialect the dialect of the struct
   * @param mnemonic the struct
   * @param given its fields
   * @return the struct
   */
  public static Attribute.Struct struct(
      String dialect, String mnemonic, Map<String, Attribute> given) {
    ImmutableMap.Builder<String, Attribute> fields = ImmutableMap.builder();
    fields(mnemonic)
        .forEach((name, field) -> {
          Attribute value = given.get(name);
          if (value != null && !field.defaultValue().equals(Optional.of(value))) {
            fields.put(name, value);
          }
        });
    return new Attribute.Struct(dialect, mnemonic, fields.buildOrThrow());
  }

  /**
   * Returns a struct of StableHLO in canonical form.
   *
   * @param mnemonic the struct
   * @param given its fields
   * @return the struct
   */
  public static Attribute.Struct struct(String mnemonic, Map<String, Attribute> given) {
    return struct("stablehlo", mnemonic, given);
  }

  /**
   * Reads an enumeration value that is encoded as a number.
   *
   * @param dialect the dialect of the value
   * @param mnemonic its enumeration
   * @param in the bytes to read
   * @return the value
   * @throws org.hlo4j.hlo.HloException if the enumeration has no value of that number
   */
  static Attribute.Word word(String dialect, String mnemonic, EntryReader in) {
    ImmutableList<String> words = requireNonNull(ENUMS.get(mnemonic));
    int number = in.code();
    if (number >= words.size() || words.get(number).equals("_")) {
      throw in.refusal("got %s %s, want one of %s", mnemonic, number, words(mnemonic));
    }
    return new Attribute.Word(dialect, mnemonic, words.get(number));
  }

  /** Reads a word, which has to be a value of the enumeration. */
  static Attribute.Word word(String dialect, String mnemonic, OpParser parser) {
    int position = parser.position();
    String word = parser.word();
    if (!words(mnemonic).contains(word)) {
      throw parser.wrongAt(
          position,
          "got %s %s, want one of %s",
          mnemonic,
          word,
          String.join(", ", words(mnemonic)));
    }
    return new Attribute.Word(dialect, mnemonic, word);
  }

  /** Returns the values of an enumeration. */
  static ImmutableList<String> words(String mnemonic) {
    return ENUMS.getOrDefault(mnemonic, ImmutableList.of()).stream()
        .filter(word -> !word.equals("_"))
        .collect(toImmutableList());
  }

  /**
   * {@return the number of an enumeration value, -1 if there is no such value}
   *
   * @param word the value
   */
  public static int number(Attribute.Word word) {
    return ENUMS.getOrDefault(word.mnemonic(), ImmutableList.of()).indexOf(word.value());
  }
}
