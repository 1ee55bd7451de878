package org.hlo4j.stablehlo.importer;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.ir.HloInstruction;

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
  void one(String name, Function<OpImport, HloInstruction> instruction) {
    put(name, single(instruction));
  }

  static Lowering single(Function<OpImport, HloInstruction> instruction) {
    return Lowering.of(op -> ImmutableList.of(instruction.apply(op)));
  }

  /** Adds an op with any number of results. */
  void many(String name, Function<OpImport, ImmutableList<HloInstruction>> instructions) {
    put(name, Lowering.of(instructions));
  }

  void put(String name, Lowering lowering) {
    boolean isOfClient = name.startsWith("chlo.");
    entries.put(name, isOfClient ? lowering.onlyCheckedIf(OpImport::isSymbolic) : lowering);
  }

  static Optional<Lowering> find(String name) {
    return Optional.ofNullable(ALL.get(name));
  }

  static ImmutableSet<String> names() {
    return ALL.keySet();
  }
}
