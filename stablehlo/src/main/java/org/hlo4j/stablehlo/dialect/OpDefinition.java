package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;

/**
 * The definition of an op of a dialect: its name and its inherent attributes.
 *
 * @param name the full name, such as {@code stablehlo.add}
 * @param attributes the inherent attributes by name, in the order of the dialect's definition
 * @param opcode the opcode of the op of HLO that it mirrors; empty if there is none
 * @param operands how many operands it takes; negative if the op of HLO says it
 * @param sizes how many of the last ones are sizes
 * @param quantization the rule for quantized numbers; empty if it takes none
 */
public record OpDefinition(
    String name,
    ImmutableMap<String, AttributeDefinition> attributes,
    String opcode,
    int operands,
    int sizes,
    String quantization) {
  /**
   * Returns attributes in their canonical form, which all readers produce. Each attribute has the
   * form of its kind, attributes that equal their default are left out, and discardable attributes
   * are unchanged.
   *
   * @param given the attributes as they were read
   * @return the canonical attributes
   * @throws HloException if one is missing or of another kind
   */
  public Attributes canonical(Map<String, Attribute> given) {
    Map<String, Attribute> canonical = new TreeMap<>(given);
    for (AttributeDefinition row : attributes.values()) {
      Attribute value = given.get(row.name());
      if (value == null) {
        require(
            row.isOptional() || row.defaultValue().isPresent(),
            PARSE,
            "%s: attribute %s is missing",
            name,
            row.name());
        continue;
      }
      Attribute converted = inDialect(row.canonical(value));
      if (row.defaultValue().map(converted::equals).orElse(false)) {
        canonical.remove(row.name());
      } else {
        canonical.put(row.name(), converted);
      }
    }
    return Attributes.of(canonical);
  }

  /**
   * Requires as many operands as the op takes.
   *
   * @param count how many there are
   * @throws HloException if it takes more or fewer
   */
  public void requireOperands(int count) {
    require(operands < 0 || operands == count, VERIFY, "operands got %s, want %s", count, operands);
  }

  /** Returns words of this op's dialect: MHLO's ops and words are read as those of two dialects. */
  private Attribute inDialect(Attribute value) {
    return switch (value) {
      case Attribute.Word word ->
          new Attribute.Word(name.substring(0, name.indexOf('.')), word.mnemonic(), word.value());
      case Attribute.Array words ->
          new Attribute.Array(
              words.elements().stream().map(this::inDialect).collect(toImmutableList()));
      default -> value;
    };
  }

  /** Returns the definition of an attribute, which has to exist. */
  AttributeDefinition attribute(String attribute) {
    AttributeDefinition row = attributes.get(attribute);
    if (row == null) {
      throw new IllegalArgumentException(name + " has no attribute " + attribute);
    }
    return row;
  }

  /**
   * Reads {@code name =opcode/operands+sizes ~rule attribute ...}; element-wise ops have HLO's
   * names.
   */
  static OpDefinition parse(List<String> row) {
    String name = row.get(0);
    List<String> attributes = new ArrayList<>(row.subList(1, row.size()));
    List<String> mirrored = Splitter.on('/').splitToList(take(attributes, '='));
    String quantization = take(attributes, '~');
    List<Integer> operands =
        mirrored.size() > 1
            ? Splitter.on('+').splitToStream(mirrored.get(1)).map(Integer::valueOf).toList()
            : List.of(-1);
    int sizes = operands.size() > 1 ? operands.get(1) : 0;
    String opcode = name.substring(name.indexOf('.') + 1).replace('_', '-');
    boolean isElementwise =
        (name.startsWith("stablehlo.") || name.startsWith("chlo."))
            && OpSchema.elementwise(opcode).isPresent();
    return new OpDefinition(
        name,
        AttributeDefinition.parseAll(attributes),
        isElementwise && mirrored.get(0).isEmpty() ? opcode : mirrored.get(0),
        operands.get(0) + sizes,
        sizes,
        quantization);
  }

  /** Takes the first word from a row if it begins with a mark, and returns what follows that. */
  private static String take(List<String> words, char mark) {
    boolean isHere = !words.isEmpty() && words.get(0).charAt(0) == mark;
    return isHere ? words.remove(0).substring(1) : "";
  }
}
