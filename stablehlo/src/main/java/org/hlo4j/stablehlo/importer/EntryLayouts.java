package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Map;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * The layouts of the arrays that a module takes and gives, from XLA's attributes of StableHLO
 * modules: {@code mhlo.xla_entry_computation_parameter_layouts} and the like.
 *
 * @param module the attributes of the module
 */
record EntryLayouts(Fields module) {
  private static final String PREFIX = "mhlo.xla_entry_computation_";

  /** Adds them to the header of the HLO module, if there are any. */
  void put(ProgramShape entry, Map<String, String> header) {
    boolean ofParameters = module.has(PREFIX + "parameter_layouts");
    boolean ofResult = module.has(PREFIX + "result_layout");
    if (!ofParameters && !ofResult) {
      return;
    }
    ImmutableList<Shape> results =
        entry.result() instanceof Shape.Tuple tuple
            ? tuple.elements()
            : ImmutableList.of(entry.result());
    String taken = join(laidOut("parameter_layouts", "parameter_tiles", entry.parameters()));
    ImmutableList<Shape> given = laidOut("result_layout", "result_tiles", results);
    String result = entry.result() instanceof Shape.Tuple ? join(given) : given.get(0).toString();
    header.put("entry_computation_layout", "{" + taken + "->" + result + "}");
  }

  private static String join(ImmutableList<Shape> shapes) {
    return shapes.stream().map(Shape::toString).collect(Collectors.joining(", ", "(", ")"));
  }

  private ImmutableList<Shape> laidOut(String orders, String tiles, ImmutableList<Shape> shapes) {
    ImmutableList<Attribute> order = list(orders);
    ImmutableList<Attribute> tile = list(tiles);
    require(
        order.isEmpty() || order.size() == shapes.size(),
        PARSE,
        "%s got %s layouts, want one for each of %s arrays",
        PREFIX + orders,
        order.size(),
        shapes.size());
    ImmutableList.Builder<Shape> all = ImmutableList.builder();
    for (int i = 0; i < shapes.size(); i++) {
      all.add(
          shapes.get(i) instanceof Shape.Array array
              ? laidOut(
                  array,
                  i < order.size() ? dims(order.get(i)) : rowMajor(array),
                  i < tile.size() ? details(tile.get(i)) : "")
              : shapes.get(i));
    }
    return all.build();
  }

  /** Returns a list of layouts or tiles; a single result may have its own without a list. */
  private ImmutableList<Attribute> list(String name) {
    Attribute value = module.entries().get(PREFIX + name);
    return switch (value) {
      case null -> ImmutableList.of();
      case Attribute.Array array -> array.elements();
      case Attribute other -> ImmutableList.of(other);
    };
  }

  private static Dims rowMajor(Shape.Array array) {
    return Layout.rowMajor(array.rank()).minorToMajor();
  }

  private static Shape laidOut(Shape.Array array, Dims order, String details) {
    return ((Shape.Array) CustomCalls.withLayout(array, order))
        .withLayout(new Layout(order, details));
  }

  private static Dims dims(Attribute attribute) {
    if (!(attribute instanceof Attribute.Dense dense)
        || dense.type().rank() != 1
        || !dense.elements().elementType().isIntegral()) {
      throw new HloException(
          PARSE, "%s… got %s, want dense<[…]> : tensor<…xindex>", PREFIX, attribute);
    }
    return Dims.of(Fields.numbers("layout", dense));
  }

  private static String details(Attribute tiles) {
    if (!(tiles instanceof Attribute.Array all) || all.elements().isEmpty()) {
      return "";
    }
    return all.elements().stream()
        .map(tile ->
            dims(tile).stream().mapToObj(Long::toString).collect(Collectors.joining(",", "(", ")")))
        .collect(Collectors.joining("", "T", ""));
  }
}
