package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Dialects;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/** The text forms of StableHLO, CHLO, func and related dialects. */
public final class StandardDialects implements Dialects {
  /** The only instance. */
  public static final StandardDialects INSTANCE = new StandardDialects();

  private final ImmutableSortedMap<String, OpSyntax> syntaxes;

  private StandardDialects() {
    ImmutableMap.Builder<String, OpSyntax> all = ImmutableMap.builder();
    OpTable.rows().values().stream()
        .filter(op -> OpSchema.elementwise(op.opcode()).isPresent())
        .forEach(op -> all.put(op.name(), AssemblyFormat.elementwise(op)));
    Tables.rows("stablehlo.formats").forEach(row -> all.put(row.get(0), AssemblyFormat.of(row)));
    all.putAll(RegionSyntax.ALL);
    all.put("func.func", FunctionSyntax.FUNCTION);
    all.putAll(ConstantSyntax.ALL);
    // Of names that are equally near to a wrong one, the first is suggested.
    Comparator<String> order = Comparator.comparing(name -> !name.startsWith("stablehlo."));
    syntaxes =
        ImmutableSortedMap.copyOf(
            all.buildKeepingLast(), order.thenComparing(Comparator.naturalOrder()));
  }

  @Override
  public Optional<OpSyntax> syntax(String operation) {
    return Optional.ofNullable(syntaxes.get(operation));
  }

  @Override
  public String fullName(String name) {
    return switch (name) {
      case "module" -> "builtin.module";
      case "return", "call", "func" -> "func." + name;
      default -> Mhlo.renamed(name);
    };
  }

  @Override
  public Attributes canonical(String operation, Map<String, Attribute> attributes) {
    return OpTable.find(operation)
        .map(row -> row.canonical(attributes))
        .orElseGet(() -> Attributes.of(attributes));
  }

  @Override
  public Optional<Attribute> attribute(String dialect, String mnemonic, OpParser parser) {
    return StructSyntax.attribute(Mhlo.successor(dialect, mnemonic), mnemonic, parser);
  }

  @Override
  public boolean isIsolated(String operation) {
    return operation.equals("func.func") || operation.equals("builtin.module");
  }

  @Override
  public boolean isType(String dialect, String mnemonic) {
    return switch (dialect) {
      case "stablehlo" -> mnemonic.equals("token") || mnemonic.equals("future");
      case "chlo", "func", "check", "builtin" -> false;
      default -> true;
    };
  }

  @Override
  public boolean isKnown(String operation) {
    return OpTable.find(operation).isPresent();
  }

  @Override
  public ImmutableSet<String> names() {
    return syntaxes.keySet();
  }

  @Override
  public boolean isInherent(String operation, String attribute) {
    return OpTable.find(operation)
        .map(row -> row.attributes().containsKey(attribute))
        .orElse(false);
  }

  @Override
  public ImmutableList<String> resultNames(Operation operation) {
    return switch (operation.name()) {
      case "stablehlo.constant" -> ImmutableList.of(isOfIntegers(operation) ? "c" : "cst");
      case "stablehlo.rng_bit_generator" -> ImmutableList.of("output_state", "output");
      case "chlo.top_k" -> ImmutableList.of("values", "indices");
      default -> ImmutableList.of();
    };
  }

  private static boolean isOfIntegers(Operation constant) {
    return constant.results().get(0).type() instanceof Type.Tensor tensor
        && tensor.element() instanceof Type.Int;
  }
}
