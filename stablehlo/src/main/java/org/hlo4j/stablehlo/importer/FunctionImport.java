package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/** A function that becomes a computation. */
final class FunctionImport {
  private FunctionImport() {}

  static String name(Operation function) {
    return new Fields(function.attributes().entries()).string("sym_name");
  }

  static HloComputation computation(ModuleImport module, Operation function) {
    try {
      require(
          function.regions().size() == 1 && function.region(0).blocks().size() == 1,
          HloException.Kind.PARSE,
          "@%s got no body, want one block",
          name(function));
      return of(module, function, function.region(0).block());
    } catch (HloException refusal) {
      throw refusal.position().isPresent() || refusal.instruction().isPresent()
          ? refusal
          : function.located(refusal.withKind(HloException.Kind.VERIFY));
    }
  }

  private static HloComputation of(ModuleImport module, Operation function, Block block) {
    ComputationImport target = module.target(function);
    for (int i = 0; i < block.arguments().size(); i++) {
      target.define(block.arguments().get(i), parameter(target, function, block, i));
    }
    ImmutableList<HloInstruction> results = target.lower(block);
    checkResults(function, results);
    return module.finish(target, function, results);
  }

  private static HloInstruction parameter(
      ComputationImport target, Operation function, Block block, int number) {
    Value argument = block.arguments().get(number);
    String known = argument.location().name();
    HloInstruction parameter =
        target.parameter(
            number,
            Shapes.of(argument.type()),
            known.isEmpty() ? argument.name() : known,
            target.module().metadata(argument.location()));
    Attributes attributes = attributes(function, "arg_attrs", number);
    HloInstruction annotated = Annotations.of(parameter, attributes, parameter.shape());
    return annotated == parameter ? parameter : target.replaceLast(annotated);
  }

  /** The attributes of an argument or result. */
  static Attributes attributes(Operation function, String list, int number) {
    ImmutableList<Attribute> all = new Fields(function.attributes().entries()).array(list);
    return number < all.size() && all.get(number) instanceof Attribute.Dictionary dictionary
        ? Attributes.of(dictionary.entries())
        : Attributes.NONE;
  }

  private static void checkResults(Operation function, ImmutableList<HloInstruction> results) {
    Attribute type = function.attributes().get("function_type");
    if (type instanceof Attribute.OfType of && of.type() instanceof Type.Function signature) {
      require(
          signature.results().size() == results.size(),
          HloException.Kind.VERIFY,
          "@%s returns %s values, want %s",
          name(function),
          results.size(),
          signature.results().size());
    }
  }
}
