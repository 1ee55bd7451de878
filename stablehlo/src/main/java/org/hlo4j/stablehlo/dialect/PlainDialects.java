package org.hlo4j.stablehlo.dialect;

import static org.hlo4j.hlo.HloException.Kind.PARSE;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.BytecodeDialects;
import org.hlo4j.stablehlo.mlir.DialectEncoding;
import org.hlo4j.stablehlo.mlir.Dialects;
import org.hlo4j.stablehlo.mlir.EntryReader;

/** The dialects of plain MLIR bytecode, whose operations are stored under their own names. */
public class PlainDialects implements BytecodeDialects {
  private static final ImmutableMap<String, DialectEncoding> ENCODINGS =
      ImmutableMap.of(
          "stablehlo", StablehloEncoding.STABLEHLO,
          "chlo", StablehloEncoding.CHLO,
          "quant", StablehloEncoding.QUANT,
          "sdy", SdyEncoding.INSTANCE);

  /** Attributes that were added to operations later; older files have fewer properties. */
  private static final ImmutableSetMultimap<String, String> NEWER =
      ImmutableSetMultimap.of(
          "func.call", "arg_attrs",
          "func.call", "res_attrs",
          "stablehlo.collective_broadcast", "has_dynamic_root",
          "stablehlo.custom_call", "result_tilings");

  /** Called by subclasses, which know further dialects. */
  protected PlainDialects() {}

  @Override
  public Dialects text() {
    return StandardDialects.INSTANCE;
  }

  @Override
  public void checkProducer(String producer) {}

  @Override
  public Optional<DialectEncoding> encoding(String dialect) {
    return Optional.ofNullable(ENCODINGS.get(dialect));
  }

  private static OpDefinition row(String operation) {
    return OpTable.find(operation)
        .orElseThrow(() -> new HloException(PARSE, "operation %s is not known", operation));
  }

  @Override
  public String operationName(String stored, String parent) {
    return row(stored).name();
  }

  /**
   * Reads the properties, which are sorted by name. An optional property has a flag that says
   * whether it is present.
   */
  @Override
  public Map<String, Attribute> properties(String stored, EntryReader in) {
    Map<String, AttributeDefinition> rows = new TreeMap<>(row(stored).attributes());
    if (in.numbers() < rows.size()) {
      rows.keySet().removeAll(NEWER.get(stored));
    }
    Map<String, Attribute> properties = new HashMap<>();
    for (AttributeDefinition attribute : rows.values()) {
      if (attribute.isOptional() || attribute.defaultValue().isPresent()) {
        in.optionalAttribute().ifPresent(value -> properties.put(attribute.name(), value));
      } else {
        properties.put(attribute.name(), in.attribute());
      }
    }
    return properties;
  }

  @Override
  public Attributes attributes(String stored, Map<String, Attribute> given) {
    return row(stored).canonical(given);
  }
}
