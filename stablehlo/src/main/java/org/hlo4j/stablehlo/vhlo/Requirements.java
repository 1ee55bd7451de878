package org.hlo4j.stablehlo.vhlo;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/** The version of StableHLO that a module requires, and the operations that require it. */
final class Requirements {
  private static final Version PROMOTING_REDUCTIONS = new Version(0, 17, 0);
  private static final Version CONFIGURATION_DICTIONARIES = new Version(1, 3, 0);
  private static final Version OTHER_DIALECTS = new Version(1, 11, 0);

  private static final ImmutableSet<String> REDUCTIONS =
      ImmutableSet.of(
          "stablehlo.reduce",
          "stablehlo.reduce_window",
          "stablehlo.reduce_scatter",
          "stablehlo.all_reduce",
          "stablehlo.scatter",
          "stablehlo.select_and_scatter");

  /** Operations that took one operand in their first version. */
  private static final ImmutableSet<String> ONCE_UNARY =
      ImmutableSet.of(
          "stablehlo.all_gather",
          "stablehlo.all_reduce",
          "stablehlo.all_to_all",
          "stablehlo.collective_broadcast");

  private final Map<String, Version> byOperation = new TreeMap<>();
  private final TreeSet<String> unknown = new TreeSet<>();
  private Version least = Version.STABLE;

  /** Whether the readers may be newer than the artifact. */
  private final boolean isConverted;

  private Requirements(Operation module, boolean isConverted) {
    this.isConverted = isConverted;
    collect(module, false);
  }

  /** Returns the requirements of a module; refuses an operation that no version has. */
  static Requirements of(Operation module) {
    return known(new Requirements(module, true));
  }

  /** Returns those for readers of the version of the artifact, which convert nothing. */
  static Requirements ofReader(Operation module) {
    return known(new Requirements(module, false));
  }

  private static Requirements known(Requirements requirements) {
    require(
        requirements.unknown.isEmpty(),
        UNSUPPORTED,
        "portable artifacts have no operation %s",
        String.join(", ", requirements.unknown));
    return requirements;
  }

  /** Returns the first version from 1.0.0 on that has everything. */
  Version least() {
    return least;
  }

  /** Returns the first version of all that has everything, and what earlier ones lack. */
  LeastVersion leastOfAll() {
    Version version = byOperation.values().stream().max(Version::compareTo).orElse(Version.OLDEST);
    ImmutableList<String> forcing =
        byOperation.entrySet().stream()
            .filter(entry -> Version.OLDEST.isBefore(version) && entry.getValue().equals(version))
            .map(Map.Entry::getKey)
            .collect(toImmutableList());
    ImmutableList<String> own =
        forcing.stream().filter(name -> !name.startsWith("func.")).collect(toImmutableList());
    return new LeastVersion(version, own.isEmpty() ? forcing : own);
  }

  /** Refuses a version that lacks something. */
  void check(Version target) {
    List<String> lacking = new ArrayList<>();
    byOperation.forEach((operation, since) -> {
      if (target.isBefore(since)) {
        lacking.add(operation + " as it is used here (since " + since + ")");
      }
    });
    require(
        lacking.isEmpty(),
        UNSUPPORTED,
        "StableHLO %s has no %s",
        target,
        String.join(", no ", lacking));
  }

  private void collect(Operation operation, boolean isNested) {
    since(operation, isNested)
        .ifPresentOrElse(
            since -> {
              least = VhloWriter.later(least, since);
              byOperation.merge(operation.name(), since, VhloWriter::later);
            },
            () -> unknown.add(operation.name()));
    boolean isInner = isConverted && (isNested || operation.dialect().equals("stablehlo"));
    for (Block block : operation.blocks()) {
      block.operations().forEach(each -> collect(each, isInner));
    }
  }

  /**
   * Returns the first version that has an operation. One that is nested in another is wanted in its
   * newest form: upstream's reader does not convert older ones there.
   */
  private static Optional<Version> since(Operation operation, boolean isNested) {
    if (operation.name().equals("builtin.module")) {
      return Optional.of(Version.OLDEST);
    }
    if (operation.dialect().equals("sdy")) {
      return Optional.of(OTHER_DIALECTS);
    }
    Version parts =
        Stream.of(
                operation.attributes().entries().values(),
                operation.operandTypes(),
                operation.resultTypes())
            .map(VhloWriter::since)
            .reduce(Version.OLDEST, VhloWriter::later);
    Version all = VhloWriter.later(parts, sinceByUse(operation));
    return VhloOp.BY_OPERATION.get(ArtifactForm.tableName(operation)).stream()
        .filter(op -> op.until().isEmpty() || (!isNested && canExpress(op, operation)))
        .map(VhloOp::since)
        .min(Version::compareTo)
        .map(since -> VhloWriter.later(since, all));
  }

  /**
   * Returns the version that a use of an operation requires: some uses were permitted later,
   * without a new version of the operation.
   */
  private static Version sinceByUse(Operation operation) {
    if (operation.attributes().get("backend_config") instanceof Attribute.Dictionary) {
      return CONFIGURATION_DICTIONARIES;
    }
    return REDUCTIONS.contains(operation.name()) && promotes(operation)
        ? PROMOTING_REDUCTIONS
        : Version.OLDEST;
  }

  private static boolean promotes(Operation operation) {
    return operation.regions().stream()
        .filter(region -> !region.isEmpty())
        .flatMap(region -> region.block().arguments().stream().limit(1))
        .anyMatch(
            argument -> !element(argument.type()).equals(element(operation.operand(0).type())));
  }

  private static Type element(Type type) {
    return type instanceof Type.Tensor tensor ? tensor.element() : type;
  }

  /** Returns whether an old version of an operation can express this one. */
  private static boolean canExpress(VhloOp old, Operation operation) {
    if (ONCE_UNARY.contains(operation.name()) && operation.operands().size() != 1) {
      return false;
    }
    if (operation.name().equals("stablehlo.composite") && !operation.regions().isEmpty()) {
      return false;
    }
    return old.canExpress(operation);
  }
}
