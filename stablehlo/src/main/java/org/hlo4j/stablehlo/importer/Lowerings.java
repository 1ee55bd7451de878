package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.stablehlo.dialect.OpTable;

/** The table of lowerings, by the names of the ops. */
@CanIgnoreReturnValue
final class Lowerings {
  private static final String CALL = "stablehlo.custom_call ";

  private static final ImmutableMap<String, Lowering> ALL = new Lowerings().all();

  private final Map<String, Lowering> entries = new LinkedHashMap<>();

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
    CustomCalls.addTo(this);
    CollectiveLowerings.addTo(this);
    AsyncLowerings.addTo(this);
    ChloLowerings.addTo(this);
    CheckLowerings.addTo(this);
    ShardyLowerings.addTo(this);
    OpTable.rows().values().stream()
        .filter(row -> !row.opcode().isEmpty() && !entries.containsKey(row.name()))
        .forEach(row ->
            OpSchema.elementwise(row.opcode())
                .ifPresentOrElse(
                    op -> ElementwiseLowerings.add(this, row.name(), op),
                    () -> mirror(row.name())));
    return ImmutableMap.copyOf(entries);
  }

  /** Adds an op that mirrors one of HLO. */
  Lowering mirror(String name) {
    return mirror(name, op -> Map.of());
  }

  /** Adds an op that mirrors a record of HLO, some components of which follow from the whole op. */
  Lowering mirror(String name, Function<OpImport, Map<String, Object>> components) {
    return many(name, op -> op.results(op.emitMirrored(op.operands(), components.apply(op))));
  }

  /** Adds an op that is refused, unless it is only checked. */
  Lowering refused(String name, String reason) {
    return many(
        name,
        op -> {
          throw new HloException(UNSUPPORTED, "got an op %s", reason);
        });
  }

  /** Adds an op with one result. */
  Lowering one(String name, Function<OpImport, HloInstruction> instruction) {
    return many(name, op -> ImmutableList.of(instruction.apply(op)));
  }

  /** Adds an op with any number of results. */
  Lowering many(String name, Function<OpImport, ImmutableList<HloInstruction>> instructions) {
    Lowering lowering = new Lowering(instructions);
    if (name.startsWith("chlo.")) {
      lowering.onlyCheckedIf(OpImport::isSymbolic);
    }
    if (entries.put(name, lowering) != null) {
      throw new IllegalStateException(name + " has two lowerings");
    }
    return lowering;
  }

  /** Returns the name of the row of custom calls of a target, which stand for an op. */
  static String call(String target) {
    return CALL + target;
  }

  /** Returns the targets of custom calls that have a row and begin so. */
  static List<String> targets(String prefix) {
    return ALL.keySet().stream()
        .filter(name -> name.startsWith(CALL + prefix))
        .map(name -> name.substring(CALL.length()))
        .toList();
  }

  static Optional<Lowering> find(String name) {
    return Optional.ofNullable(ALL.get(name));
  }
}
