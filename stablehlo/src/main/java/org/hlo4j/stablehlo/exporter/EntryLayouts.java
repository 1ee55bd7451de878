package org.hlo4j.stablehlo.exporter;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * The layouts of the arrays that a module takes and gives, in XLA's attributes of StableHLO
 * modules: an order of dimensions for each array, and its tiles. They are written if one of them is
 * not row-major. StableHLO has no form for other details of layouts, such as memory spaces.
 */
final class EntryLayouts {
  private static final Pattern TILE = Pattern.compile("\\(([0-9, ]*)\\)");
  private static final Pattern TILES = Pattern.compile("T((?:\\([0-9, ]*+\\))++).*");

  private EntryLayouts() {}

  static void put(HloModule module, Map<String, Attribute> all) {
    String declared = module.attributes().get("entry_computation_layout");
    Shape taken = Shape.tuple(module.entry().programShape().parameters().toArray(Shape[]::new));
    Shape given = module.entry().programShape().result();
    if (declared != null) {
      int arrow = declared.lastIndexOf("->");
      taken = Parser.parseShape(declared.substring(1, arrow));
      given = Parser.parseShape(declared.substring(arrow + 2, declared.lastIndexOf('}')));
    }
    put("parameter_layouts", "parameter_tiles", taken, all);
    put("result_layout", "result_tiles", given, all);
  }

  private static void put(String orders, String tiles, Shape shape, Map<String, Attribute> all) {
    ImmutableList<Shape> leaves = Sharding.leaves(shape);
    if (leaves.stream().allMatch(EntryLayouts::isPlain)) {
      return;
    }
    all.put(
        "mhlo.xla_entry_computation_" + orders,
        AttributeFactory.array(
            leaves.stream()
                .map(leaf -> AttributeFactory.indices(ShapeTypes.layout(leaf).minorToMajor()))
                .toList()));
    all.put(
        "mhlo.xla_entry_computation_" + tiles,
        AttributeFactory.array(leaves.stream().map(EntryLayouts::tiles).toList()));
  }

  private static boolean isPlain(Shape leaf) {
    return ShapeTypes.isRowMajor(leaf)
        && !TILES.matcher(ShapeTypes.layout(leaf).details()).matches();
  }

  private static Attribute tiles(Shape leaf) {
    Matcher details = TILES.matcher(ShapeTypes.layout(leaf).details());
    List<Attribute> all =
        !details.matches()
            ? List.of()
            : TILE.matcher(details.group(1))
                .results()
                .map(tile -> (Attribute) AttributeFactory.indices(sizes(tile.group(1))))
                .toList();
    return AttributeFactory.array(all);
  }

  private static Dims sizes(String text) {
    return Dims.copyOf(
        Splitter.on(',')
            .trimResults()
            .omitEmptyStrings()
            .splitToStream(text)
            .map(Long::parseLong)
            .toList());
  }
}
