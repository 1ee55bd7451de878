package org.hlo4j.tools.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a rule of a conformance suite stands on.
 *
 * @param words the words of a specification
 * @param source the address of their section, or of the file that checks the rule
 */
record Basis(String words, String source) {
  private static final String STABLEHLO = "https://openxla.org/stablehlo/spec#";
  private static final String CHLO = "https://openxla.org/stablehlo/generated/chlo#chlo";
  private static final Pattern LABEL = Pattern.compile("\\[(?<op>[a-z_]+) (?<rule>C\\d+)\\]");

  /** The sections of ops that StableHLO has by another name. */
  private static final ImmutableMap<String, String> SECTIONS =
      ImmutableMap.of(
          "broadcast", "broadcast_in_dim",
          "conditional", "case",
          "dot", "dot_general",
          "opt-barrier", "optimization_barrier");

  /** The words by section, or by section and label. */
  private static final ImmutableMap<String, String> WORDS = read();

  private static ImmutableMap<String, String> read() {
    ImmutableMap.Builder<String, String> words = ImmutableMap.builder();
    try {
      Resources.toString(requireNonNull(Basis.class.getResource("specification.txt")), UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" \\| ", 2))
          .forEach(parts -> words.put(parts[0], parts[1]));
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
    return words.buildOrThrow();
  }

  /** Returns the constraint of the specification whose label is in a text: {@code [add C1]}. */
  static Optional<Basis> ofLabel(String text) {
    Matcher label = LABEL.matcher(text);
    return label.find() ? of(label.group("op"), " " + label.group("rule")) : Optional.empty();
  }

  /** Returns how the semantics of an op begin; empty if StableHLO has no such op. */
  static Optional<Basis> ofOp(String opcode) {
    return of(section(opcode), "");
  }

  /** Returns which types the first operand of an op has; empty if StableHLO has no such op. */
  static Optional<Basis> ofTypes(String opcode) {
    return of(section(opcode), " I1");
  }

  /** Returns what is said of complex numbers; empty if that is the same as of other numbers. */
  static Optional<Basis> ofComplex(String opcode) {
    String section = section(opcode);
    return of(section, " complex")
        .map(basis ->
            WORDS.containsKey(section)
                ? basis
                : new Basis(basis.words(), CHLO + section + "_chlo" + section + "op"));
  }

  private static String section(String opcode) {
    return SECTIONS.getOrDefault(opcode, opcode.replace('-', '_'));
  }

  private static Optional<Basis> of(String section, String label) {
    return Optional.ofNullable(WORDS.get(section + label))
        .map(words -> new Basis(words, STABLEHLO + section));
  }
}
