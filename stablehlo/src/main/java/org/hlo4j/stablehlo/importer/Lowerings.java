package org.hlo4j.stablehlo.importer;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/** The table of lowerings, by the names of the ops. */
final class Lowerings {
  private static final ImmutableMap<String, Lowering> ALL = new Lowerings().all();

  private final ImmutableMap.Builder<String, Lowering> entries = ImmutableMap.builder();

  private Lowerings() {}

  private ImmutableMap<String, Lowering> all() {
    ElementwiseLowerings.addTo(this);
    MovementLowerings.addTo(this);
    DynamicLowerings.addTo(this);
    ArithLowerings.addTo(this);
    SizeLowerings.addTo(this);
    ReductionLowerings.addTo(this);
    ProductLowerings.addTo(this);
    ControlFlowLowerings.addTo(this);
    CollectiveLowerings.addTo(this);
    AsyncLowerings.addTo(this);
    ChloLowerings.addTo(this);
    CheckLowerings.addTo(this);
    ShardyLowerings.addTo(this);
    return entries.buildOrThrow();
  }

  /** Adds an op with one result. */
  void one(String name, Lowering.Single lowering) {
    entries.put(name, op -> ImmutableList.of(lowering.lower(op)));
  }

  /** Adds an op with any number of results. */
  void many(String name, Lowering lowering) {
    entries.put(name, lowering);
  }

  static Optional<Lowering> find(String name) {
    return Optional.ofNullable(ALL.get(name));
  }

  static ImmutableSet<String> names() {
    return ALL.keySet();
  }
}
