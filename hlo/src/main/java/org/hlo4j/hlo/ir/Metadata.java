package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.schema.AttributeText;

/**
 * The source location and name that an instruction comes from. It has no influence on what is
 * computed.
 *
 * @param opName the name of the operation in the user's program; empty if it has none
 * @param source the line of the user's program that created the instruction
 * @param others the other fields by name, such as {@code source_column} and {@code stack_frame_id},
 *     each as the text after the equals sign
 */
public record Metadata(
    String opName, Optional<SourceLine> source, ImmutableMap<String, String> others) {
  /** What XLA writes, in its order. */
  private static final ImmutableList<String> ORDER =
      ImmutableList.of(
          "op_type",
          "op_name",
          "source_file",
          "source_line",
          "source_end_line",
          "source_column",
          "source_end_column",
          "profile_type",
          "deduplicated_name",
          "scheduling_name",
          "stack_frame_id");

  /** Nothing known. */
  public static final Metadata NONE = new Metadata("", Optional.empty());

  /**
   * Name and line, nothing else.
   *
   * @param opName the name of the operation in the user's program; empty if it has none
   * @param source the line of the user's program that created the instruction
   */
  public Metadata(String opName, Optional<SourceLine> source) {
    this(opName, source, ImmutableMap.of());
  }

  /**
   * Metadata of a line.
   *
   * @param source the line
   * @return the metadata
   */
  public static Metadata at(SourceLine source) {
    requireNonNull(source, "source");
    return new Metadata("", Optional.of(source));
  }

  /**
   * Returns the parts of the name before the last one, such as {@code jit(f)} and {@code layer1} of
   * {@code jit(f)/layer1/add}. Slashes in parentheses do not separate parts.
   *
   * @return the scope; empty if the name has one part or none
   */
  public ImmutableList<String> scope() {
    ImmutableList.Builder<String> parts = ImmutableList.builder();
    int begin = 0;
    int depth = 0;
    for (int i = 0; i < opName.length(); i++) {
      char c = opName.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == '/' && depth <= 0) {
        parts.add(opName.substring(begin, i));
        begin = i + 1;
      }
    }
    return parts.build();
  }

  /** Returns the HLO text: in XLA's order; what XLA does not know comes last. */
  @Override
  public String toString() {
    Map<String, String> parts = new LinkedHashMap<>(others);
    if (!opName.isEmpty()) {
      parts.put("op_name", AttributeText.quoted(opName));
    }
    source.ifPresent(line -> {
      parts.put("source_file", AttributeText.quoted(line.file()));
      parts.put("source_line", Integer.toString(line.line()));
    });
    ImmutableList.Builder<String> texts = ImmutableList.builder();
    for (String name : ORDER) {
      String value = parts.remove(name);
      if (value != null) {
        texts.add(name + "=" + value);
      }
    }
    parts.forEach((name, value) -> texts.add(name + "=" + value));
    return "{" + String.join(" ", texts.build()) + "}";
  }
}
