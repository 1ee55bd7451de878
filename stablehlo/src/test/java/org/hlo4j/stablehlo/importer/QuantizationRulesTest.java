package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rules for quantized types, which {@link StableHlo#verify} and {@link StableHlo#toHlo} report
 * alike. R differs from Q in the scale, L has a longer storage type, U one without sign, N a zero
 * point other than 0, W a shorter range, M the expressed type f16, A a scale per row, B one per
 * column, D other scales per row, and T a scale for one row too many.
 */
class QuantizationRulesTest {
  private static String typed(String text) {
    return text.replace("Q", "!quant.uniform<i8:f32, 2.0>")
        .replace("R", "!quant.uniform<i8:f32, 3.0>")
        .replace("L", "!quant.uniform<i16:f32, 2.0>")
        .replace("N", "!quant.uniform<i8:f32, 2.0:5>")
        .replace("M", "!quant.uniform<i8:f16, 2.0>")
        .replace("U", "!quant.uniform<u8:f32, 2.0>")
        .replace("W", "!quant.uniform<i8<-127:127>:f32, 2.0>")
        .replace("A", "!quant.uniform<i8:f32:0, {2.0, 3.0}>")
        .replace("D", "!quant.uniform<i8:f32:0, {2.0, 4.0}>")
        .replace("B", "!quant.uniform<i8:f32:1, {2.0, 3.0}>")
        .replace("T", "!quant.uniform<i8:f32:0, {2.0, 3.0, 4.0}>");
  }

  private static String findings(String row) {
    List<String> parts = Splitter.on(' ').limit(4).splitToList(row);
    List<String> operands = Splitter.on(',').splitToList(parts.get(1));
    String attributes = parts.size() > 3 ? parts.get(3) : "";
    String arguments = numbered(operands.size(), i -> "%a" + i + ": " + tensor(operands.get(i)));
    String names = numbered(operands.size(), i -> "%a" + i);
    String types = operands.stream().map(QuantizationRulesTest::tensor).collect(joining(", "));
    String module =
        "func.func @f(%s) {\n  %%0 = \"stablehlo.%s\"(%s) {%s} : (%s) -> %s\n  return\n}"
            .formatted(arguments, parts.get(0), names, attributes, types, tensor(parts.get(2)));
    return refusal(module);
  }

  /** Returns what is wrong with a module; verifying and converting it have to say the same. */
  static String refusal(String text) {
    Operation module = StableHlo.parse(text);
    String verified =
        StableHlo.verify(module).stream().map(Throwable::getMessage).collect(joining("\n"));
    String converted = "";
    try {
      StableHlo.toHlo(module);
    } catch (HloException refusal) {
      converted = refusal.getMessage();
    }
    assertThat(converted).isEqualTo(verified);
    return verified.replaceFirst("^[0-9:]+ stablehlo[.][a-z_]*: ", "");
  }

  private static String numbered(int count, IntFunction<String> each) {
    return IntStream.range(0, count).mapToObj(each).collect(joining(", "));
  }

  private static String tensor(String element) {
    return "tensor<2x2x" + typed(element) + ">";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "abs Q R",
        "add Q,R Q",
        "add A,A A",
        "compare Q,R i1 comparison_direction = #stablehlo<comparison_direction EQ>",
        "select i1,Q,Q R",
        "transpose A B permutation = array<i64: 1, 0>",
        "uniform_quantize f32 A",
        "uniform_quantize Q R",
        "uniform_dequantize A f32",
        "bitcast_convert Q A",
        "bitcast_convert U Q",
        // One scale for all beside scales along a dimension; the right operand may have any range.
        "add A,Q D",
        "add Q,W R",
        "transpose A A permutation = array<i64: 0, 1>",
        "broadcast_in_dim A B broadcast_dimensions = array<i64: 1, 0>",
        "reshape A A",
        // The specification does not have these; upstream's verifier compares no types.
        "dot Q,N Q",
        "einsum Q,N R einsum_config = \"ab,bc->ac\"",
        "convolution Q,B B dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>,"
            + " feature_group_count = 1 : i64, batch_group_count = 1 : i64",
        "convolution Q,N Q dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>,"
            + " feature_group_count = 1 : i64, batch_group_count = 1 : i64",
      })
  void accepted(String row) {
    assertThat(findings(row)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "abs Q f32 | result 0 got tensor<2x2xf32>, want it quantized as operand 0 is,"
            + " tensor<2x2xQ>, but for scales",
        "add Q,f32 Q | operand 1 got tensor<2x2xf32>, want it quantized as operand 0 is,"
            + " tensor<2x2xQ>, but for scales",
        "add Q,L Q | operand 1 got tensor<2x2xL>, want it quantized as operand 0 is,"
            + " tensor<2x2xQ>, but for scales",
        "add Q,A Q | operand 1 got tensor<2x2xA>, want scales along the same dimension as"
            + " result 0, tensor<2x2xQ>",
        "uniform_dequantize T f32 | operand 0 got tensor<2x2xT>, want a scale for each place of"
            + " dimension 0",
        "abs A A | operand 0 got tensor<2x2xA>, want one scale for all",
        "reverse Q R dimensions = array<i64: 0> | result 0 got tensor<2x2xR>, want the element"
            + " type of operand 0, tensor<2x2xQ>",
        "concatenate Q,R Q dimension = 0 : i64 | operand 1 got tensor<2x2xR>, want the element"
            + " type of operand 0, tensor<2x2xQ>",
        "reshape Q R | result 0 got tensor<2x2xR>, want the scales and zero points of operand 0,"
            + " tensor<2x2xQ>",
        "select i1,Q,R Q | operand 2 got tensor<2x2xR>, want the element type of operand 1,"
            + " tensor<2x2xQ>",
        "reverse Q i8 dimensions = array<i64: 0> | result 0 got tensor<2x2xi8>, want the element"
            + " type of operand 0, tensor<2x2xQ>",
        "reverse A A dimensions = array<i64: 0> | operand 0 got tensor<2x2xA>, want one scale for"
            + " all",
        "abs Q W | result 0 got tensor<2x2xW>, want it quantized as operand 0 is,"
            + " tensor<2x2xQ>, but for scales",
        "abs Q U | result 0 got tensor<2x2xU>, want it quantized as operand 0 is,"
            + " tensor<2x2xQ>, but for scales",
        "add A,B A | operand 1 got tensor<2x2xB>, want scales along the same dimension as"
            + " result 0, tensor<2x2xA>",
        "add A,A B | operand 1 got tensor<2x2xA>, want scales along the same dimension as"
            + " result 0, tensor<2x2xB>",
        "add Q,Q A | result 0 got tensor<2x2xA>, want it quantized as operand 0 is,"
            + " tensor<2x2xQ>, but for scales",
        "add Q,A A | result 0 got tensor<2x2xA>, want it quantized as operand 0 is,"
            + " tensor<2x2xQ>, but for scales",
        "add Q,Q W | result 0 got tensor<2x2xW>, want it quantized as operand 0 is,"
            + " tensor<2x2xQ>, but for scales",
        "select i1,Q,Q W | result 0 got tensor<2x2xW>, want it quantized as operand 1 is,"
            + " tensor<2x2xQ>, but for scales",
        "transpose A A permutation = array<i64: 1, 0> | result 0 got tensor<2x2xA>, want scales"
            + " along dimension 1, where dimension 0 of the operand is",
        "transpose A Q permutation = array<i64: 0, 1> | result 0 got tensor<2x2xQ>, want it"
            + " quantized as operand 0 is, tensor<2x2xA>, but for scales",
        "transpose A D permutation = array<i64: 0, 1> | result 0 got tensor<2x2xD>, want the"
            + " scales and zero points of operand 0, tensor<2x2xA>",
        "broadcast_in_dim A A broadcast_dimensions = array<i64: 1, 0> | result 0 got"
            + " tensor<2x2xA>, want scales along dimension 1, where dimension 0 of the operand is",
        "broadcast_in_dim Q R broadcast_dimensions = array<i64: 0, 1> | result 0 got"
            + " tensor<2x2xR>, want the element type of operand 0, tensor<2x2xQ>",
        "reshape A B | result 0 got tensor<2x2xB>, want as many elements before and after"
            + " dimension 1 as operand 0, tensor<2x2xA>, has around dimension 0",
        "convolution Q,A Q dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>,"
            + " feature_group_count = 1 : i64, batch_group_count = 1 : i64 | operand 1 got"
            + " tensor<2x2xA>, want scales along dimension 1, output features of the kernel",
        "convolution Q,B A dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>,"
            + " feature_group_count = 1 : i64, batch_group_count = 1 : i64 | result 0 got"
            + " tensor<2x2xA>, want scales along dimension 1, output features",
        "dot f32,Q M | result 0 got tensor<2x2xM>, want f32 numbers as operand 1, tensor<2x2xQ>",
        "dynamic_iota Q Q iota_dimension = 0 : i64 | operand 0 got tensor<2x2xQ>, want numbers that"
            + " are not quantized",
        "and Q,Q Q | operand 0 got tensor<2x2xQ>, want numbers that are not quantized",
        "triangular_solve Q,Q Q left_side = true, lower = true, unit_diagonal = true, transpose_a ="
            + " #stablehlo<transpose NO_TRANSPOSE> | operand 0 got tensor<2x2xQ>, want numbers that"
            + " are not quantized",
        "custom_call Q Q call_target_name = \"mhlo.erf\" | operand 0 got tensor<2x2xQ>, want"
            + " numbers that are not quantized",
        "convert Q f32 | operand 0 got tensor<2x2xQ>, want numbers that are not quantized",
        "uniform_quantize f16 Q | result 0 got tensor<2x2xQ>, want f16 numbers as operand 0,"
            + " tensor<2x2xf16>",
        "uniform_quantize f32 i8 | result 0 got tensor<2x2xi8>, want quantized numbers",
        "uniform_dequantize i8 f32 | operand 0 got tensor<2x2xi8>, want quantized numbers",
        "uniform_dequantize Q R | result 0 got tensor<2x2xR>, want numbers that are not quantized",
      })
  void refused(String row, String message) {
    String quantized = message.replaceAll("x([A-Z])>", "x#$1>");
    assertThat(findings(row)).isEqualTo(expanded(quantized));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32,Q f32 | ``",
        "Q,B B | ``",
        "Q,N Q | operand 1 got tensor<2x2x#N>, want zero points of 0",
        "Q,f32 Q | operand 1 got tensor<2x2xf32>, want quantized numbers",
        "Q,Q f32 | operand 0 got tensor<2x2x#Q> and result 0 tensor<2x2xf32>, want both quantized"
            + " or neither",
        "A,Q Q | operand 0 got tensor<2x2x#A>, want one scale for all",
        "Q,A A | operand 1 got tensor<2x2x#A>, want scales along another dimension than the"
            + " contracted, (0)",
        "Q,Q B | result 0 got tensor<2x2x#B>, want one scale for all as operand 1, tensor<2x2x#Q>",
        "Q,L Q | operand 1 got tensor<2x2x#L>, want the storage type of operand 0, tensor<2x2x#Q>",
        "Q,M Q | operand 1 got tensor<2x2x#M>, want f32 numbers as operand 0, tensor<2x2x#Q>",
        "Q,Q M | result 0 got tensor<2x2x#M>, want f32 numbers as operand 1, tensor<2x2x#Q>",
      })
  void products(String types, String message) {
    String row =
        "dot_general "
            + types
            + " dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1],"
            + " rhs_contracting_dimensions = [0]>";
    assertThat(findings(row)).isEqualTo(expanded(message.replace("``", "")));
  }

  /** Replaces the letters by the types as they are printed. */
  private static String expanded(String message) {
    return message
        .replace("#Q", "!quant.uniform<i8:f32, 2.000000e+00>")
        .replace("#R", "!quant.uniform<i8:f32, 3.000000e+00>")
        .replace("#L", "!quant.uniform<i16:f32, 2.000000e+00>")
        .replace("#N", "!quant.uniform<i8:f32, 2.000000e+00:5>")
        .replace("#M", "!quant.uniform<i8:f16, 2.000000e+00>")
        .replace("#U", "!quant.uniform<u8:f32, 2.000000e+00>")
        .replace("#W", "!quant.uniform<i8<-127:127>:f32, 2.000000e+00>")
        .replace("#A", "!quant.uniform<i8:f32:0, {2.000000e+00,3.000000e+00}>")
        .replace("#D", "!quant.uniform<i8:f32:0, {2.000000e+00,4.000000e+00}>")
        .replace("#B", "!quant.uniform<i8:f32:1, {2.000000e+00,3.000000e+00}>")
        .replace("#T", "!quant.uniform<i8:f32:0, {2.000000e+00,3.000000e+00,4.000000e+00}>");
  }
}
