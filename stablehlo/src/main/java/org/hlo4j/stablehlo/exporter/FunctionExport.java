package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The conversion of a computation to a function. Each leaf of a tuple is an argument or a result.
 */
final class FunctionExport {
  private final List<Map<String, Attribute>> arguments = new ArrayList<>();
  private final List<Map<String, Attribute>> results = new ArrayList<>();

  private FunctionExport(HloComputation computation) {
    computation.parameters().forEach(this::addParameter);
    addAll(computation.root(), results);
  }

  static Operation of(ModuleExport module, HloComputation computation, String name) {
    FunctionExport function = new FunctionExport(computation);
    boolean entry = computation == module.module().entry();
    if (entry) {
      function.addAliases(Aliases.of(module.module()));
    } else {
      function.results.clear();
    }
    BlockExport block = new BlockExport(module, 0);
    List<ImmutableList<Value>> leaves =
        computation.parameters().stream().map(each -> arguments(module, each)).toList();
    List<Value> arguments = leaves.stream().flatMap(List::stream).toList();
    ImmutableList<Value> results = block.run(computation, leaves);
    Map<String, Attribute> attributes = function.attributes(arguments, results);
    attributes.put("sym_name", new Attribute.Str(name));
    attributes.put("sym_visibility", new Attribute.Str(entry ? "public" : "private"));
    return Operation.of(
        "func.func",
        List.of(),
        List.of(),
        Attributes.of(attributes),
        Region.of(block.end("func.return", arguments, results)));
  }

  /** Returns the leaves of a parameter, named after it. */
  private static ImmutableList<Value> arguments(ModuleExport module, HloInstruction parameter) {
    Location known = module.location(parameter);
    Location location = known.name().isEmpty() ? new Location.Name(parameter.name(), known) : known;
    return ShapeTypes.leaves(parameter.shape()).stream()
        .map(type -> new Value(type, parameter.name(), location))
        .collect(toImmutableList());
  }

  private Map<String, Attribute> attributes(List<Value> taken, List<Value> given) {
    Type.Function type = new Type.Function(Value.types(taken), Value.types(given));
    Map<String, Attribute> attributes = new TreeMap<>();
    attributes.put("function_type", new Attribute.OfType(type));
    put("arg_attrs", arguments, attributes);
    put("res_attrs", results, attributes);
    return attributes;
  }

  private static void put(
      String name, List<Map<String, Attribute>> each, Map<String, Attribute> attributes) {
    if (each.stream().anyMatch(own -> !own.isEmpty())) {
      attributes.put(
          name,
          AttributeFactory.array(
              each.stream()
                  .map(own -> new Attribute.Dictionary(ImmutableMap.copyOf(own)))
                  .toList()));
    }
  }

  /** Adds the annotations of a parameter; replication is given for each leaf. */
  private void addParameter(HloInstruction parameter) {
    int first = arguments.size();
    addAll(parameter, arguments);
    List<Attribute> replication = Annotations.replication(parameter);
    ImmutableMap<String, String> frontend = Annotations.frontend(parameter.attributes());
    for (int i = first; i < arguments.size(); i++) {
      if (i - first < replication.size()) {
        arguments
            .get(i)
            .put(
                "mhlo.parameter_replication",
                AttributeFactory.array(List.of(replication.get(i - first))));
      }
      if (!frontend.isEmpty()) {
        arguments.get(i).put("mhlo.frontend_attributes", Annotations.dictionary(frontend));
      }
    }
  }

  /** Adds the annotations of each leaf; the sharding of a tuple has a part for each leaf. */
  private static void addAll(HloInstruction instruction, List<Map<String, Attribute>> all) {
    List<Sharding.Single> shardings =
        instruction.sharding().map(Sharding::singles).orElse(ImmutableList.of());
    int count = ShapeTypes.count(instruction.shape());
    for (int i = 0; i < count; i++) {
      Map<String, Attribute> own = new TreeMap<>();
      if (!shardings.isEmpty()) {
        Sharding sharding = shardings.get(Math.min(i, shardings.size() - 1));
        own.put("mhlo.sharding", new Attribute.Str(sharding.toString()));
      }
      all.add(own);
    }
  }

  /** Adds the aliases of parameters and results as annotations. */
  private void addAliases(Aliases aliases) {
    for (Aliases.Alias alias : aliases.all()) {
      if (!alias.isMustAlias()) {
        arguments
            .get(alias.argument())
            .put("tf.aliasing_output", Attribute.Int.i32(alias.output()));
      }
    }
    aliases
        .donors()
        .forEach(donor -> arguments.get(donor).put("jax.buffer_donor", Attribute.Int.bool(true)));
  }
}
