package org.hlo4j.stablehlo.exporter;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * The aliases of a module's parameters and results, by the numbers of their leaves.
 *
 * @param all the results that share the buffer of a parameter
 * @param donors the parameters whose buffers are donated
 */
record Aliases(ImmutableList<Alias> all, ImmutableList<Integer> donors) {
  private static final String PLACE = "\\((?<number>[0-9]{1,9})(, *\\{(?<index>[0-9, ]*)})?";
  private static final Pattern ALIAS =
      Pattern.compile("\\{(?<output>[0-9, ]*)}: *" + PLACE + "(, *(?<kind>must-alias))?");
  private static final Pattern DONOR = Pattern.compile(PLACE);

  /**
   * A result that is stored in the buffer of a parameter.
   *
   * @param output the number of the result
   * @param argument the number of the parameter
   * @param isMustAlias whether sharing the buffer is required
   */
  record Alias(int output, int argument, boolean isMustAlias) {
    /** Returns the alias as XLA writes it, where arguments are called parameters. */
    private Attribute form(boolean onlyOutput) {
      Attribute none = Attribute.DenseArray.i64(ImmutableList.of());
      Attribute index = Attribute.DenseArray.i64(ImmutableList.of((long) output));
      return new Attribute.Dictionary(
          ImmutableMap.of(
              "alias",
              new Attribute.Dictionary(
                  ImmutableMap.of(
                      "kind",
                      new Attribute.Str("must_alias"),
                      "parameter_index",
                      none,
                      "parameter_number",
                      Attribute.Int.i64(argument))),
              "output_index",
              onlyOutput ? none : index));
    }
  }

  static Aliases of(HloModule module) {
    HloComputation entry = module.entry();
    Leaves results = new Leaves(ImmutableList.of(entry.root().shape()));
    Leaves arguments = new Leaves(entry.programShape().parameters());
    ImmutableList.Builder<Alias> aliases = ImmutableList.builder();
    Matcher alias = ALIAS.matcher(module.attributes().getOrDefault("input_output_alias", ""));
    while (alias.find()) {
      int output = results.number(0, alias.group("output"));
      aliases.add(new Alias(output, argument(arguments, alias), alias.group("kind") != null));
    }
    ImmutableList.Builder<Integer> donors = ImmutableList.builder();
    Matcher donor = DONOR.matcher(module.attributes().getOrDefault("buffer_donor", ""));
    while (donor.find()) {
      donors.add(argument(arguments, donor));
    }
    return new Aliases(aliases.build(), donors.build());
  }

  /** Returns the required aliases as an attribute of a StableHLO module. */
  static Attribute required(HloModule module) {
    boolean onlyOutput = ShapeTypes.count(module.entry().root().shape()) == 1;
    List<Alias> all = of(module).all();
    return AttributeFactory.array(
        all.stream().filter(Alias::isMustAlias).map(alias -> alias.form(onlyOutput)).toList());
  }

  private static int argument(Leaves arguments, Matcher place) {
    String index = place.group("index");
    return arguments.number(Integer.parseInt(place.group("number")), index == null ? "" : index);
  }

  /** The numbers of the leaves of values that follow each other. */
  private static final class Leaves {
    private final ImmutableList<Shape> values;

    /**
     * For the values, and the elements of each tuple asked for: how many leaves are before each.
     */
    private final IdentityHashMap<ImmutableList<Shape>, int[]> before = new IdentityHashMap<>();

    Leaves(ImmutableList<Shape> values) {
      this.values = values;
    }

    /** Returns the number of the leaf of a value at an index such as {@code 0,1}. */
    int number(int value, String index) {
      int number = before(values)[value];
      Shape part = values.get(value);
      for (String step : Splitter.on(',').trimResults().omitEmptyStrings().split(index)) {
        ImmutableList<Shape> elements = ((Shape.Tuple) part).elements();
        int at = Integer.parseInt(step);
        number += before(elements)[at];
        part = elements.get(at);
      }
      return number;
    }

    private int[] before(ImmutableList<Shape> shapes) {
      return before.computeIfAbsent(shapes, ShapeTypes::starts);
    }
  }
}
