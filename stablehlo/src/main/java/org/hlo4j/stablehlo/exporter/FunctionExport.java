package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Place;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/** A computation that becomes a function; each leaf of a tuple is an argument or a result. */
final class FunctionExport {
  private static final String PLACE = "\\((?<number>[0-9]{1,9})(, *\\{(?<index>[0-9, ]*)})?";
  private static final Pattern ALIAS = Pattern.compile("\\{(?<output>[0-9, ]*)}: *" + PLACE);
  private static final Pattern DONOR = Pattern.compile(PLACE);

  private final HloComputation computation;
  private final List<Map<String, Attribute>> arguments = new ArrayList<>();
  private final List<Map<String, Attribute>> results = new ArrayList<>();

  private FunctionExport(HloComputation computation) {
    this.computation = computation;
    computation.parameters().forEach(parameter -> addAll(parameter, arguments));
    addAll(computation.root(), results);
  }

  static Operation of(ModuleExport module, HloComputation computation, String name) {
    FunctionExport function = new FunctionExport(computation);
    boolean entry = computation == module.module().entry();
    if (entry) {
      function.addAliases(module.module());
    } else {
      function.results.clear();
    }
    BlockExport block = new BlockExport(module, 0);
    List<ImmutableList<Value>> leaves =
        computation.parameters().stream().map(FunctionExport::arguments).toList();
    List<Value> arguments = leaves.stream().flatMap(List::stream).toList();
    ImmutableList<Value> results = block.run(computation, leaves);
    Map<String, Attribute> attributes = function.attributes(arguments, results);
    attributes.put("sym_name", new Attribute.Str(name));
    attributes.put("sym_visibility", new Attribute.Str(entry ? "public" : "private"));
    return new Operation(
        "func.func",
        List.of(),
        List.of(),
        Attributes.of(attributes),
        List.of(Region.of(block.end("func.return", arguments, results))),
        Location.unknown(),
        Place.NONE);
  }

  /** The leaves of a parameter, under its name. */
  private static ImmutableList<Value> arguments(HloInstruction parameter) {
    Location known = Annotations.location(parameter.metadata());
    Location location = known.name().isEmpty() ? new Location.Name(parameter.name(), known) : known;
    return ShapeTypes.leaves(parameter.shape()).stream()
        .map(type -> new Value(type, parameter.name(), location))
        .collect(toImmutableList());
  }

  private Map<String, Attribute> attributes(List<Value> taken, List<Value> given) {
    Type.Function type =
        new Type.Function(
            taken.stream().map(Value::type).collect(toImmutableList()),
            given.stream().map(Value::type).collect(toImmutableList()));
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
          Forms.array(
              each.stream()
                  .map(own -> new Attribute.Dictionary(ImmutableMap.copyOf(own)))
                  .toList()));
    }
  }

  /** What is said of each leaf; the sharding of a tuple has a part for each. */
  private static void addAll(HloInstruction instruction, List<Map<String, Attribute>> all) {
    List<Sharding> shardings =
        instruction.sharding().map(FunctionExport::parts).orElse(ImmutableList.of());
    for (int i = 0; i < ShapeTypes.count(instruction.shape()); i++) {
      Map<String, Attribute> own = new TreeMap<>();
      if (!shardings.isEmpty()) {
        Sharding sharding = shardings.get(Math.min(i, shardings.size() - 1));
        own.put("mhlo.sharding", new Attribute.Str(sharding.toString()));
      }
      all.add(own);
    }
  }

  private static List<Sharding> parts(Sharding sharding) {
    return sharding instanceof Sharding.Tuple tuple
        ? ImmutableList.copyOf(tuple.parts())
        : ImmutableList.of(sharding);
  }

  /** What the module says of the buffers of parameters and results. */
  private void addAliases(HloModule module) {
    Matcher alias = ALIAS.matcher(module.attributes().getOrDefault("input_output_alias", ""));
    while (alias.find()) {
      int output = leaf(computation.root().shape(), alias.group("output"));
      arguments.get(argument(alias)).put("tf.aliasing_output", Attribute.Int.i32(output));
    }
    Matcher donor = DONOR.matcher(module.attributes().getOrDefault("buffer_donor", ""));
    while (donor.find()) {
      arguments.get(argument(donor)).put("jax.buffer_donor", Attribute.Int.bool(true));
    }
  }

  private int argument(Matcher place) {
    int number = Integer.parseInt(place.group("number"));
    int before =
        computation.parameters().subList(0, number).stream()
            .mapToInt(parameter -> ShapeTypes.count(parameter.shape()))
            .sum();
    String index = place.group("index");
    Shape shape = computation.parameters().get(number).shape();
    return before + leaf(shape, index == null ? "" : index);
  }

  /** Which leaf stands at an index such as {@code 0,1}. */
  private static int leaf(Shape shape, String index) {
    int before = 0;
    Shape part = shape;
    for (String step : Splitter.on(',').trimResults().omitEmptyStrings().split(index)) {
      ImmutableList<Shape> elements = ((Shape.Tuple) part).elements();
      int at = Integer.parseInt(step);
      before += elements.subList(0, at).stream().mapToInt(ShapeTypes::count).sum();
      part = elements.get(at);
    }
    return before;
  }
}
