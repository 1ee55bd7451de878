package org.hlo4j.stablehlo.vhlo;

import static com.google.common.collect.ImmutableListMultimap.toImmutableListMultimap;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import org.hlo4j.stablehlo.dialect.Tables;

/** The table of the operations of portable artifacts, read from {@code vhlo.ops}. */
final class VhloTable {
  private static final ImmutableMap<String, VhloOp> BY_NAME =
      Tables.rows("vhlo.ops").map(VhloOp::parse).collect(toImmutableMap(VhloOp::name, op -> op));

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
}
