package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.EntryReader;
import org.hlo4j.stablehlo.mlir.OpParser;

/** The enumerations of StableHLO, with each value at the index of its number. */
public final class EnumTable {
  /**
   * The values by the mnemonic of their enumeration; an empty string stands for an unused number.
   */
  private static final ImmutableMap<String, ImmutableList<String>> ALL =
      ImmutableMap.of(
          "comparison_direction", ImmutableList.of("EQ", "NE", "GE", "GT", "LE", "LT"),
          "comparison_type",
              ImmutableList.of("NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"),
          "fft_type", ImmutableList.of("FFT", "IFFT", "RFFT", "IRFFT"),
          "precision", ImmutableList.of("DEFAULT", "HIGH", "HIGHEST"),
          "rng_algorithm", ImmutableList.of("DEFAULT", "THREE_FRY", "PHILOX"),
          "rng_distribution", ImmutableList.of("", "UNIFORM", "NORMAL"),
          "transpose",
              ImmutableList.of("TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"),
          "result_accuracy_mode", ImmutableList.of("DEFAULT", "HIGHEST", "TOLERANCE"));

  private EnumTable() {}

  /**
   * Reads an enumeration value that is encoded as a number.
   *
   * @param dialect the dialect of the value
   * @param mnemonic its enumeration
   * @param in the bytes to read
   * @return the value
   * @throws org.hlo4j.hlo.HloException if the enumeration has no value of that number
   */
  public static Attribute.Word read(String dialect, String mnemonic, EntryReader in) {
    ImmutableList<String> words = ALL.getOrDefault(mnemonic, ImmutableList.of());
    int number = in.code();
    if (number >= words.size() || words.get(number).isEmpty()) {
      throw in.refusal("got %s %s, want one of %s", mnemonic, number, words);
    }
    return new Attribute.Word(dialect, mnemonic, words.get(number));
  }

  /**
   * {@return the values of an enumeration}
   *
   * @param mnemonic the enumeration
   */
  static ImmutableList<String> of(String mnemonic) {
    return ALL.getOrDefault(mnemonic, ImmutableList.of()).stream()
        .filter(word -> !word.isEmpty())
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * {@return the number of an enumeration value, -1 if there is no such value}
   *
   * @param word the value
   */
  public static int number(Attribute.Word word) {
    return ALL.getOrDefault(word.mnemonic(), ImmutableList.of()).indexOf(word.value());
  }

  /** Returns whether there is an enumeration of a name. */
  static boolean isMnemonic(String mnemonic) {
    return ALL.containsKey(mnemonic);
  }

  /** Reads a word, which has to be a value of the enumeration. */
  static Attribute.Word parse(String dialect, String mnemonic, OpParser parser) {
    int position = parser.position();
    String word = parser.word();
    ImmutableList<String> words = ALL.getOrDefault(mnemonic, ImmutableList.of());
    if (!words.contains(word)) {
      throw parser.wrongAt(
          position, "got " + mnemonic + " " + word + ", want one of " + String.join(", ", words));
    }
    return new Attribute.Word(dialect, mnemonic, word);
  }
}
