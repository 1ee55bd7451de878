package org.hlo4j.stablehlo.importer;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * The shardings of a function's results, as XLA writes them: each becomes a part of the sharding of
 * the root. One of Shardy, which says more than HLO's, also becomes a custom call on the result.
 *
 * @param module the import
 * @param function the function
 */
record ResultShardings(ModuleImport module, Operation function) {
  private static final String TARGET = "xla.sdy.FuncResultSharding";

  HloComputation finish(
      ComputationImport target, String name, ImmutableList<HloInstruction> results) {
    if (!function.attributes().has("res_attrs")) {
      return target.finish(name, results);
    }
    ImmutableList.Builder<HloInstruction> marked = ImmutableList.builder();
    for (int i = 0; i < results.size(); i++) {
      HloInstruction result = results.get(i);
      marked.add(
          attributes(i).find("sdy.sharding").map(by -> mark(target, result, by)).orElse(result));
    }
    return target.finish(name, marked.build(), whole(results));
  }

  private Attributes attributes(int result) {
    return FunctionImport.attributes(function, "res_attrs", result);
  }

  private HloInstruction mark(ComputationImport target, HloInstruction result, Attribute sharding) {
    CustomCall call = ShardyLowerings.withSideEffect(result.shape(), TARGET);
    HloInstruction marked =
        target.add(
            HloInstruction.create(
                module.instructionName(call.opcode()),
                call,
                List.of(result),
                List.of(),
                result.shape(),
                Metadata.NONE,
                ShardyLowerings.perValue(sharding)));
    module.known().put(marked, module.known().of(result));
    return marked;
  }

  /** Returns the sharding of the root; results without one are replicated if others have one. */
  private Optional<Sharding> whole(List<HloInstruction> results) {
    ImmutableList.Builder<Sharding.Single> parts = ImmutableList.builder();
    boolean any = false;
    for (int i = 0; i < results.size(); i++) {
      Optional<Sharding> own = Annotations.sharding(attributes(i), module.meshes());
      any |= own.isPresent();
      parts.addAll(Annotations.parts(own.orElse(Annotations.REPLICATED), results.get(i).shape()));
    }
    return any ? Optional.of(Annotations.joined(parts.build())) : Optional.empty();
  }
}
