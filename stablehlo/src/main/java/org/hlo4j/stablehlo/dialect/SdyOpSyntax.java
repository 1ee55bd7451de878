package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * The custom text forms of Shardy's collectives, and of the ops that guide the propagation of
 * shardings.
 */
final class SdyOpSyntax {
  private static final String OUT = "out_sharding";
  private static final String AXES = "axis_ref_list";
  private static final String LISTS = "list_of_axis_ref_lists";

  /** The directions of a propagation barrier, by their numbers. */
  private static final ImmutableList<String> DIRECTIONS =
      ImmutableList.of("NONE", "FORWARD", "BACKWARD", "BOTH");

  static final ImmutableMap<String, OpSyntax> ALL =
      ImmutableMap.<String, OpSyntax>builder()
          .put("sdy.all_gather", collective("gathering_axes", LISTS))
          .put("sdy.all_reduce", collective("reduction_axes", AXES))
          .put("sdy.all_slice", collective("slicing_axes", LISTS))
          .put("sdy.all_to_all", collective("params", "all_to_all_param_list"))
          .put("sdy.collective_permute", collective("", ""))
          .put("sdy.reduce_scatter", collective("reduce_scatter_axes", LISTS))
          .put("sdy.replicated_to_unreduced", collective("axes", AXES))
          .put("sdy.sharded_to_unreduced", collective("axes", LISTS))
          .put("sdy.data_flow_edge", ProductSyntax.of(SdyOpSyntax::edge, SdyOpSyntax::printEdge))
          .put(
              "sdy.func_data_flow_edge",
              ProductSyntax.of(SdyOpSyntax::edge, SdyOpSyntax::printEdge))
          .put(
              "sdy.propagation_barrier",
              ProductSyntax.of(SdyOpSyntax::barrier, SdyOpSyntax::printBarrier))
          .put("sdy.sharding_group", ProductSyntax.of(SdyOpSyntax::group, SdyOpSyntax::printGroup))
          .put("sdy.named_computation", ProductSyntax.read(SdyOpSyntax::named))
          .buildOrThrow();

  private SdyOpSyntax() {}

  /**
   * Returns the form {@code [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : type}, in which the
   * axes stand first, if there are any.
   */
  private static OpSyntax collective(String axes, String mnemonic) {
    return ProductSyntax.of(
        (parser, state) -> {
          if (!axes.isEmpty()) {
            state.attributes().put(axes, SdySyntax.bare(parser, mnemonic));
          }
          OpParser.Use use = parser.use();
          parser.expect(OUT);
          parser.expect("=");
          state.attributes().put(OUT, SdySyntax.body(parser, "sharding"));
          same(parser, use, state);
        },
        (printer, op) -> printCollective(printer, op, axes, mnemonic));
  }

  private static void same(OpParser parser, OpParser.Use use, OpState state) {
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
    TypeSignatureForm.SAME.parse(parser, List.of(use), state);
  }

  private static boolean printCollective(
      OpPrinter printer, Operation op, String axes, String mnemonic) {
    Optional<String> first = text(op, axes, "<" + mnemonic);
    Optional<String> sharding = text(op, OUT, ".sharding");
    if (sharding.isEmpty() || (first.isEmpty() && !axes.isEmpty())) {
      return false;
    }
    first.ifPresent(each -> printer.text(" " + each.substring(0, each.length() - 1)));
    printer.text(" ").operands(op.operands());
    printer.text(" " + OUT + "=" + sharding.get());
    printEnd(printer, op, List.of(OUT, axes));
    return true;
  }

  private static void printEnd(OpPrinter printer, Operation op, List<String> printed) {
    printer.attributes(op.attributes().without(printed));
    printer.text(" : ");
    TypeSignatureForm.SAME.print(printer, op);
  }

  /** Returns the text of an attribute behind its beginning, if it begins so. */
  private static Optional<String> text(Operation op, String name, String beginning) {
    return op.attributes().get(name) instanceof Attribute.Verbatim kept
            && kept.body().startsWith(beginning)
        ? Optional.of(kept.body().substring(beginning.length()))
        : Optional.empty();
  }

  /** Reads {@code %0 sharding=<@mesh, [{"x"}]> : type}, in which the sharding may be missing. */
  private static void edge(OpParser parser, OpState state) {
    OpParser.Use use = parser.use();
    if (parser.eatWord("sharding")) {
      parser.expect("=");
      state.attributes().put("sharding", SdySyntax.body(parser, "sharding"));
    }
    same(parser, use, state);
  }

  private static boolean printEdge(OpPrinter printer, Operation op) {
    Optional<String> sharding = text(op, "sharding", ".sharding");
    if (sharding.isEmpty() && op.attributes().get("sharding") != null) {
      return false;
    }
    printer.text(" ").operands(op.operands());
    sharding.ifPresent(each -> printer.text(" sharding=" + each));
    printEnd(printer, op, List.of("sharding"));
    return true;
  }

  /** Reads {@code %0 allowed_direction=FORWARD : type}. */
  private static void barrier(OpParser parser, OpState state) {
    OpParser.Use use = parser.use();
    parser.expect("allowed_direction");
    parser.expect("=");
    int position = parser.position();
    int direction = DIRECTIONS.indexOf(parser.word());
    if (direction < 0) {
      throw parser.wrongAt(
          position, "got " + parser.textFrom(position) + ", want one of " + DIRECTIONS);
    }
    state.attributes().put("allowed_direction", Attribute.Int.i32(direction));
    same(parser, use, state);
  }

  private static boolean printBarrier(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("allowed_direction") instanceof Attribute.Int direction)
        || direction.value().signum() < 0
        || direction.value().bitLength() > 2) {
      return false;
    }
    printer.text(" ").operands(op.operands());
    printer.text(" allowed_direction=" + DIRECTIONS.get(direction.value().intValue()));
    printEnd(printer, op, List.of("allowed_direction"));
    return true;
  }

  /** Reads {@code %0 group_id=3 : type}. */
  private static void group(OpParser parser, OpState state) {
    OpParser.Use use = parser.use();
    parser.expect("group_id");
    parser.expect("=");
    state.attributes().put("group_id", Attribute.Int.i64(parser.integer()));
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
    parser.resolve(List.of(use), List.of(parser.type()), state);
  }

  private static boolean printGroup(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("group_id") instanceof Attribute.Int id)
        || !id.type().equals(Types.I64)
        || op.operands().size() != 1) {
      return false;
    }
    printer.text(" ").operands(op.operands());
    printer.text(" group_id=" + id.value());
    printer.attributes(op.attributes().without(List.of("group_id")));
    printer.text(" : " + op.operandTypes().get(0));
    return true;
  }

  /**
   * Reads {@code <"f">(%0) in_shardings=[...] out_shardings=[...] (%arg0: t) {...} : (types) ->
   * types}, in which the shardings may be missing. It is printed in generic form.
   */
  private static void named(OpParser parser, OpState state) {
    parser.expect("<");
    state.attributes().put("name", new Attribute.Str(parser.string()));
    parser.expect(">");
    List<OpParser.Use> uses = parser.usesInParentheses();
    for (String shardings : List.of("in_shardings", "out_shardings")) {
      if (parser.eatWord(shardings)) {
        SdySyntax.perValue(parser, shardings, state);
      }
    }
    SdySyntax.body(parser, uses, state);
  }
}
