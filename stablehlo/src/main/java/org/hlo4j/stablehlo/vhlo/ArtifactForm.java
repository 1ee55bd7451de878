package org.hlo4j.stablehlo.vhlo;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.dialect.AttributeDefinition;
import org.hlo4j.stablehlo.dialect.OpDefinition;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.mlir.BuiltinWriter;
import org.hlo4j.stablehlo.mlir.BytecodeForm;
import org.hlo4j.stablehlo.mlir.EntryPool;
import org.hlo4j.stablehlo.mlir.EntryWriter;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The bytecode form of portable artifacts of a given version, in which operations of StableHLO are
 * written.
 */
final class ArtifactForm implements BytecodeForm {
  private final Version target;
  private final BuiltinWriter builtin;
  private final VhloWriter writer;

  ArtifactForm(Version target, boolean hasLocationRanges) {
    this.target = target;
    this.builtin = new BuiltinWriter(new EntryPool(), hasLocationRanges);
    this.writer = new VhloWriter(builtin);
  }

  @Override
  public BuiltinWriter builtin() {
    return builtin;
  }

  /** Returns the newest container version that readers of the target version know. */
  @Override
  public int containerVersion() {
    if (target.major() > 0 || target.minor() >= 15) {
      return 6;
    }
    return switch (target.minor()) {
      case 9 -> 0;
      case 10, 11 -> 1;
      case 12, 13 -> 3;
      default -> 4;
    };
  }

  @Override
  public String producer() {
    return "StableHLO_v" + target;
  }

  /** Returns the name of an operation in the table, which has only one kind of return. */
  static String tableName(Operation operation) {
    return operation.name().equals("func.return") ? "stablehlo.return" : operation.name();
  }

  @Override
  public Stored operation(Operation operation) {
    try {
      return VhloOp.BY_OPERATION.get(tableName(operation)).stream()
          .filter(op -> op.isAvailableIn(target))
          .findFirst()
          .map(version -> versioned(operation, version))
          .orElseGet(() -> plain(operation));
    } catch (HloException refusal) {
      throw operation.located(refusal);
    }
  }

  private Stored versioned(Operation operation, VhloOp version) {
    Map<String, EntryWriter.Entry> inherent = new TreeMap<>(version.write(operation, writer));
    EntryWriter properties = new EntryWriter();
    inherent.values().forEach(properties::entry);
    ImmutableSet<String> known = version.definition().attributes().keySet();
    Map<String, EntryWriter.Entry> discardable =
        new TreeMap<>(
            Maps.transformValues(
                operation.attributes().without(known).entries(), writer::attribute));
    boolean isolated = operation.name().equals("func.func");
    return new Stored(version.name(), true, isolated, properties, inherent, discardable);
  }

  /** Encodes an operation that is not versioned: the module, and operations of other dialects. */
  private Stored plain(Operation operation) {
    Map<String, EntryWriter.Entry> inherent = new TreeMap<>();
    Map<String, EntryWriter.Entry> discardable = new TreeMap<>();
    OpDefinition row = OpTable.find(operation.name()).orElseThrow();
    operation
        .attributes()
        .entries()
        .forEach((name, value) ->
            (row.attributes().containsKey(name) ? inherent : discardable)
                .put(name, builtin.attribute(value)));
    EntryWriter properties = new EntryWriter();
    for (AttributeDefinition attribute : new TreeMap<>(row.attributes()).values()) {
      Optional<EntryWriter.Entry> value = Optional.ofNullable(inherent.get(attribute.name()));
      if (attribute.isOptional() || attribute.defaultValue().isPresent()) {
        properties.optional(value);
      } else {
        properties.entry(value.orElseThrow(() -> missing(attribute)));
      }
    }
    boolean module = operation.name().equals("builtin.module");
    return new Stored(operation.name(), module, module, properties, inherent, discardable);
  }

  private static HloException missing(AttributeDefinition attribute) {
    return new HloException(ARGUMENT, "attribute %s is missing", attribute.name());
  }

  @Override
  public EntryWriter.Entry type(Type type) {
    return writer.type(type);
  }
}
