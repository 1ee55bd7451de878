package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rules for quantized values that regions and functions take and return. A row has an op and the
 * types of its values. R differs from Q in the scale, L has a longer storage type and another
 * scale, M the expressed type f16.
 */
class RegionQuantizationTest {
  private static final String REDUCER =
      """
      ({
        ^bb0(%p: tensor<$E>, %q: tensor<$E>):
        %s = stablehlo.add %p, %q : tensor<$E>
        stablehlo.return %s : tensor<$E>
      })\
      """;

  /** Input, initial value, what the body works on, result. */
  private static final String REDUCE =
      """
      func.func @f(%a: tensor<4x$A>, %i: tensor<$B>) -> tensor<4x$R> {
        %r = "stablehlo.reduce_window"(%a, %i) REDUCER {window_dimensions = array<i64: 1>}
          : (tensor<4x$A>, tensor<$B>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """;

  /** Input, update, what the body works on, result. */
  private static final String SCATTER =
      """
      func.func @f(%a: tensor<4x$A>, %i: tensor<1xi32>, %u: tensor<$B>) -> tensor<4x$R> {
        %r = "stablehlo.scatter"(%a, %i, %u) REDUCER {scatter_dimension_numbers =
          #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}
          : (tensor<4x$A>, tensor<1xi32>, tensor<$B>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """;

  /** Operand, source, what the scatter works on, result; the select works on the operand's type. */
  private static final String SELECT =
      """
      func.func @f(%a: tensor<4x$A>, %b: tensor<2x$B>, %i: tensor<$A>) -> tensor<4x$R> {
        %r = "stablehlo.select_and_scatter"(%a, %b, %i) ({
          ^bb0(%p: tensor<$A>, %q: tensor<$A>):
          %c = stablehlo.compare GE, %p, %q : (tensor<$A>, tensor<$A>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }, REDUCER {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}
          : (tensor<4x$A>, tensor<2x$B>, tensor<$A>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """
          .replace("}, REDUCER", "}, " + REDUCER.substring(1));

  /** Operand, nothing, what the body works on, result. */
  private static final String ALL_REDUCE =
      """
      func.func @f(%a: tensor<4x$A>) -> tensor<4x$R> {
        %r = "stablehlo.all_reduce"(%a) REDUCER {replica_groups = dense<0> : tensor<1x1xi64>}
          : (tensor<4x$A>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """;

  /** Input, nothing, what the body takes and returns, result. */
  private static final String MAP =
      """
      func.func @f(%a: tensor<4x$A>) -> tensor<4x$R> {
        %r = "stablehlo.map"(%a) ({
          ^bb0(%p: tensor<$E>):
          stablehlo.return %p : tensor<$E>
        }) {dimensions = array<i64: 0>} : (tensor<4x$A>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """;

  /** Input, nothing, what the comparator takes, result. */
  private static final String SORT =
      """
      func.func @f(%a: tensor<4x$A>) -> tensor<4x$R> {
        %r = "stablehlo.sort"(%a) ({
          ^bb0(%p: tensor<$E>, %q: tensor<$E>):
          %c = stablehlo.compare LT, %p, %q : (tensor<$E>, tensor<$E>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }) {dimension = 0 : i64} : (tensor<4x$A>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """;

  /** The values of both branches, nothing, the result. */
  private static final String IF =
      """
      func.func @f(%c: tensor<i1>, %a: tensor<4x$A>, %b: tensor<4x$B>) -> tensor<4x$R> {
        %r = "stablehlo.if"(%c) ({
          stablehlo.return %a : tensor<4x$A>
        }, {
          stablehlo.return %b : tensor<4x$B>
        }) : (tensor<i1>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """;

  /** Operand, what the condition takes, what the body takes and returns, result. */
  private static final String WHILE =
      """
      func.func @f(%c: tensor<i1>, %a: tensor<4x$A>) -> tensor<4x$R> {
        %r = "stablehlo.while"(%a) ({
          ^bb0(%p: tensor<4x$B>):
          stablehlo.return %c : tensor<i1>
        }, {
          ^bb0(%p: tensor<4x$E>):
          stablehlo.return %p : tensor<4x$E>
        }) : (tensor<4x$A>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """;

  /** Operand, what the function takes, nothing, result. */
  private static final String CALL =
      """
      func.func private @g(%x: tensor<4x$B>) -> tensor<4x$B> {
        return %x : tensor<4x$B>
      }
      func.func @main(%a: tensor<4x$A>) -> tensor<4x$R> {
        %r = func.call @g(%a) : (tensor<4x$A>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """;

  /** Operand, element of the tuple, nothing, result. */
  private static final String TUPLE =
      """
      func.func @f(%a: tensor<4x$A>) -> tensor<4x$R> {
        %t = stablehlo.tuple %a : tuple<tensor<4x$A>>
        %r = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4x$A>>) -> tensor<4x$R>
        return %r : tensor<4x$R>
      }
      """;

  private static String module(String op) {
    return switch (op) {
      case "reduce_window" -> REDUCE;
      case "scatter" -> SCATTER;
      case "select_and_scatter" -> SELECT;
      case "all_reduce" -> ALL_REDUCE;
      case "map" -> MAP;
      case "sort" -> SORT;
      case "if" -> IF;
      case "while" -> WHILE;
      case "call" -> CALL;
      default -> TUPLE;
    };
  }

  private static String refusal(String row) {
    List<String> parts = Splitter.on(' ').splitToList(row);
    String module =
        module(parts.get(0))
            .replace("REDUCER", REDUCER)
            .replace("$A", typed(parts.get(1)))
            .replace("$B", typed(parts.get(2)))
            .replace("$E", typed(parts.get(3)))
            .replace("$R", typed(parts.get(4)));
    return QuantizationRulesTest.refusal(module).replaceFirst("^[0-9:]+ func.call: ", "");
  }

  private static String typed(String letter) {
    return letter
        .replace("Q", "!quant.uniform<i8:f32, 2.000000e+00:5>")
        .replace("R", "!quant.uniform<i8:f32, 3.000000e+00>")
        .replace("L", "!quant.uniform<i16:f32, 3.000000e+00>")
        .replace("M", "!quant.uniform<i16:f16, 3.000000e+00>");
  }

  @ParameterizedTest
  @CsvSource({
    "reduce_window Q Q Q Q",
    "reduce_window Q Q R R",
    "reduce_window Q Q L L",
    "scatter Q Q R R",
    "select_and_scatter Q Q L L",
    "all_reduce Q - L L",
    "map Q - Q Q",
    "sort Q - Q Q",
    "if Q Q - Q",
    "while Q Q Q Q",
    "call Q Q - Q",
    "get_tuple_element Q - - Q",
  })
  void accepted(String row) {
    assertThat(refusal(row)).isEmpty();
  }

  /** A function need not do anything with what it takes. */
  @Test
  void argumentWithoutEnoughScales() {
    String axis = "!quant.uniform<i8:f32:0, {2.000000e+00,3.000000e+00}>";
    String module =
        "func.func @f(%a: tensor<2x#>, %b: tensor<3x#>) {\n  return\n}".replace("#", axis);
    assertThat(QuantizationRulesTest.refusal(module))
        .isEqualTo(
            "1:1: func.func: argument 1 of @f got tensor<3x"
                + axis
                + ">, want a scale for each"
                + " place of dimension 0");
  }

  /** An axis may be bounded: it has the length of the scales when the program runs. */
  @Test
  void boundedAxis() {
    String type = "tensor<?x2x!quant.uniform<i8:f32:0, {0.5:3,0.25:-5}>, #stablehlo.bounds<2, ?>>";
    String module =
        "func.func @f(%a: #) -> # {\n  %0 = stablehlo.add %a, %a : #\n  return %0 : #\n}"
            .replace("#", type);
    assertThat(QuantizationRulesTest.refusal(module)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reduce_window Q R Q Q | operand 1 got tensor<#R>, want the element type of operand 0,"
            + " tensor<4x#Q>",
        "reduce_window Q Q R Q | result 0 got tensor<4x#Q>, want the element type of argument 0"
            + " of the region, tensor<#R>",
        "reduce_window Q Q M M | result 0 of the region got tensor<#M>, want tensor<#Q> or a wider"
            + " element type [reduce_window C13]",
        "reduce_window L L R R | result 0 of the region got tensor<#R>, want tensor<#L> or a wider"
            + " element type [reduce_window C13]",
        "scatter Q R Q Q | operand 2 got tensor<#R>, want the element type of operand 0,"
            + " tensor<4x#Q>",
        "scatter Q Q R Q | result 0 got tensor<4x#Q>, want the element type of argument 0 of the"
            + " region, tensor<#R>",
        "select_and_scatter Q R Q Q | operand 1 got tensor<2x#R>, want the element type of"
            + " operand 0, tensor<4x#Q>",
        "select_and_scatter Q Q R Q | result 0 got tensor<4x#Q>, want the element type of"
            + " argument 0 of region 1, tensor<#R>",
        "all_reduce Q - R Q | result 0 got tensor<4x#Q>, want the element type of argument 0 of"
            + " the region, tensor<#R>",
        "map Q - R R | argument 0 of the region got tensor<#R>, want the element type of"
            + " operand 0, tensor<4x#Q>",
        "map Q - Q R | result 0 got tensor<4x#R>, want the element type of result 0 of the"
            + " region, tensor<#Q>",
        "sort Q - R Q | argument 0 of the region got tensor<#R>, want the element type of"
            + " operand 0, tensor<4x#Q>",
        "sort Q - Q R | result 0 got tensor<4x#R>, want the element type of operand 0,"
            + " tensor<4x#Q>",
        "if Q R - Q | result 0 of region 1 got tensor<4x#R>, want the element type of result 0,"
            + " tensor<4x#Q>",
        "if Q i8 - Q | result 0 of region 1 got tensor<4xi8>, want the element type of result 0,"
            + " tensor<4x#Q>",
        "while Q R Q Q | argument 0 of region 0 got tensor<4x#R>, want the element type of"
            + " operand 0, tensor<4x#Q>",
        "while Q Q R Q | argument 0 of region 1 got tensor<4x#R>, want the element type of"
            + " operand 0, tensor<4x#Q>",
        "while Q Q Q R | result 0 got tensor<4x#R>, want the element type of operand 0,"
            + " tensor<4x#Q>",
        "call Q R - R | operands got [tensor<4x#Q>], want [tensor<4x#R>]",
        "call Q Q - R | results got [tensor<4x#R>], want [tensor<4x#Q>]",
        "get_tuple_element Q - - i8 | result 0 got tensor<4xi8>, want the element type of"
            + " element 0 of operand 0, tensor<4x#Q>",
      })
  void refused(String row, String message) {
    String want = message;
    for (String letter : List.of("Q", "R", "L", "M")) {
      want = want.replace("#" + letter, typed(letter));
    }
    assertThat(refusal(row)).isEqualTo(want);
  }
}
