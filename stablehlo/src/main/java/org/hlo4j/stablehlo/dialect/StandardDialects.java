package org.hlo4j.stablehlo.dialect;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
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

  private final ImmutableMap<String, OpSyntax> syntaxes;

  private StandardDialects() {
    ImmutableMap.Builder<String, OpSyntax> all = ImmutableMap.builder();
    readFormats(all);
    all.putAll(ProductSyntax.ALL);
    all.putAll(RegionSyntax.ALL);
    all.putAll(CallSyntax.ALL);
    all.putAll(FunctionSyntax.ALL);
    all.putAll(ConstantSyntax.ALL);
    all.putAll(SdySyntax.ALL);
    all.putAll(SizeSyntax.ALL);
    syntaxes = all.buildOrThrow();
  }

  private static void readFormats(ImmutableMap.Builder<String, OpSyntax> all) {
    try {
      for (String line :
          Resources.asCharSource(
                  requireNonNull(
                      StandardDialects.class.getResource("/org/hlo4j/stablehlo/stablehlo.formats")),
                  StandardCharsets.UTF_8)
              .readLines()) {
        int blank = line.indexOf(' ');
        if (blank > 0 && !line.startsWith("#")) {
          all.put(line.substring(0, blank), KeywordSyntax.of(line.substring(blank + 1)));
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
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
