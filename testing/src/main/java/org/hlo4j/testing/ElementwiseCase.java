package org.hlo4j.testing;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * A test case of an element-wise op on vectors, with the results of XLA and, where they exist, the
 * exact results: one line of {@code elementwise.jsonl.gz}.
 *
 * <pre>{@code
 * {"op":"abs","in":["s8"],"out":"s8","n":3,"args":["00fe80"],"xla":"000280"}
 * }</pre>
 *
 * <p>Values are hexadecimal bit patterns of fixed width, most significant digit first: 2 digits for
 * at most 8 bits, otherwise 4, 8 or 16. A complex number is its real part followed by its imaginary
 * part. In {@code exact}, dashes mean that there is no exact result.
 *
 * @param op the opcode
 * @param attributes the attributes of compare and reduce-precision, by their names in HLO text
 * @param arguments the operands, vectors of the same size
 * @param xla the result of XLA's CPU compiler
 * @param exact for each element the bits of the mathematical result, rounded once, or empty if
 *     there is none; an empty list if there are none at all
 */
public record ElementwiseCase(
    String op,
    ImmutableMap<String, String> attributes,
    ImmutableList<Literal> arguments,
    Literal xla,
    ImmutableList<Optional<Long>> exact) {

  /**
   * Reads a file of cases.
   *
   * @param file JSON objects, one per line, compressed by gzip
   * @return the cases in order
   * @throws IOException if the file cannot be read
   */
  public static ImmutableList<ElementwiseCase> read(Path file) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      return reader.lines().map(ElementwiseCase::parse).collect(toImmutableList());
    }
  }

  /**
   * Reads one case.
   *
   * @param line a JSON object
   * @return the case
   * @throws HloException if it is not a case, or names an unknown element type
   */
  public static ElementwiseCase parse(String line) {
    try {
      return read(JsonParser.parseString(line).getAsJsonObject());
    } catch (JsonParseException
        | IllegalStateException
        | UnsupportedOperationException
        | IndexOutOfBoundsException
        | NumberFormatException other) {
      throw new HloException(
          "", "case: got " + Ascii.truncate(line, 80, "…") + ", want a JSON object of a case");
    }
  }

  private static JsonElement field(JsonObject json, String name) {
    return Optional.ofNullable(json.get(name))
        .orElseThrow(() -> new HloException("", "case: got no " + name + ", want one"));
  }

  private static ElementwiseCase read(JsonObject json) {
    int count = field(json, "n").getAsInt();
    ImmutableList<String> types = strings(field(json, "in"));
    ImmutableList<String> texts = strings(field(json, "args"));
    ImmutableList.Builder<Literal> arguments = ImmutableList.builder();
    for (int i = 0; i < types.size(); i++) {
      arguments.add(vector(type(types.get(i)), count, texts.get(i)));
    }
    ElementType out = type(field(json, "out").getAsString());
    return new ElementwiseCase(
        field(json, "op").getAsString(),
        json.has("attrs") ? attributes(json.get("attrs").getAsJsonObject()) : ImmutableMap.of(),
        arguments.build(),
        vector(out, count, field(json, "xla").getAsString()),
        json.has("exact") ? exact(out, field(json, "exact").getAsString()) : ImmutableList.of());
  }

  private static ElementType type(String name) {
    return ElementType.named(name)
        .orElseThrow(() -> new HloException("", "case: got element type " + name + ", want one"));
  }

  private static ImmutableList<String> strings(JsonElement array) {
    return StreamSupport.stream(array.getAsJsonArray().spliterator(), false)
        .map(JsonElement::getAsString)
        .collect(toImmutableList());
  }

  private static ImmutableMap<String, String> attributes(JsonObject json) {
    return json.entrySet().stream()
        .collect(
            ImmutableMap.toImmutableMap(
                entry -> entry.getKey(), entry -> entry.getValue().getAsString()));
  }

  private static int digits(ElementType type) {
    return Math.max(2, type.componentType().bits() / 4);
  }

  private static Literal vector(ElementType type, int count, String text) {
    int digits = digits(type);
    HloException.require(
        count >= 0 && count <= text.length(),
        "",
        "case: got n of %s for %s digits, want one a value",
        count,
        text.length());
    LiteralBuilder literal = new LiteralBuilder(Shape.of(type, count));
    for (int i = 0; i < text.length() / digits; i++) {
      literal.setBits(i, Long.parseUnsignedLong(text, i * digits, (i + 1) * digits, 16));
    }
    return literal.build();
  }

  private static ImmutableList<Optional<Long>> exact(ElementType type, String text) {
    int digits = digits(type);
    ImmutableList.Builder<Optional<Long>> bits = ImmutableList.builder();
    for (int at = 0; at < text.length(); at += digits) {
      bits.add(
          text.charAt(at) == '-'
              ? Optional.empty()
              : Optional.of(Long.parseUnsignedLong(text, at, at + digits, 16)));
    }
    return bits.build();
  }

  /**
   * Returns the element type of the operands; for select, that of the operands that it selects
   * from.
   *
   * @return the element type of the last operand
   */
  public ElementType operandType() {
    return arguments.get(arguments.size() - 1).elementType();
  }

  /** Returns the opcode with its types and attributes, such as {@code convert f32 -> s8}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(op);
    arguments.forEach(argument -> text.append(' ').append(argument.elementType()));
    text.append(" -> ").append(xla.elementType());
    attributes.values().forEach(value -> text.append(' ').append(value));
    return text.toString();
  }
}
