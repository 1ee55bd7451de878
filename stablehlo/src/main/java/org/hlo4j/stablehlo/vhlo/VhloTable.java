package org.hlo4j.stablehlo.vhlo;

import static com.google.common.collect.ImmutableListMultimap.toImmutableListMultimap;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The table of the operations of portable artifacts, read from {@code vhlo.ops}. */
final class VhloTable {
  private static final ImmutableMap<String, VhloOp> BY_NAME = read();

  private static final ImmutableListMultimap<String, VhloOp> BY_OPERATION =
      BY_NAME.values().stream()
          .collect(toImmutableListMultimap(op -> op.definition().name(), op -> op));

  private VhloTable() {}

  /** Returns the operation of a name such as {@code vhlo.add_v1}. */
  static Optional<VhloOp> find(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** Returns all versions of an operation of StableHLO. */
  static ImmutableList<VhloOp> versions(String operation) {
    return BY_OPERATION.get(operation);
  }

  static ImmutableMap<String, VhloOp> all() {
    return BY_NAME;
  }

  private static ImmutableMap<String, VhloOp> read() {
    try {
      return Resources.asCharSource(
              requireNonNull(VhloTable.class.getResource("/org/hlo4j/stablehlo/vhlo.ops")),
              StandardCharsets.UTF_8)
          .readLines()
          .stream()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .map(VhloOp::parse)
          .collect(toImmutableMap(VhloOp::name, op -> op));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
