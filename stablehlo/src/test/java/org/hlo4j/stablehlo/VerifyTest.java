package org.hlo4j.stablehlo;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.mlir.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Errors of {@link StableHlo#verify}: the rules in which StableHLO is stricter than HLO, and those
 * of ops that HLO lacks. Shape rules are tested with HLO's ops.
 */
class VerifyTest {
  private static final String ADD =
      """
      ({
        ^bb0(%l: tensor<f32>, %r: tensor<f32>):
          %s = stablehlo.add %l, %r : tensor<f32>
          stablehlo.return %s : tensor<f32>
        })\
      """;

  /** A region with the given argument and result types, which differ from the op's. */
  private static String region(String arguments, String returned) {
    return """
    ({
      ^bb0(%s):
        %%v = "stablehlo.custom_call"() {call_target_name = "f"} : () -> %s
        "stablehlo.return"(%%v) : (%s) -> ()
      })\
    """
        .formatted(arguments, returned, returned);
  }

  private static String reduce(String region, String types) {
    return "%0 = \"stablehlo.reduce\"(%a, %b) "
        + region
        + " {dimensions = array<i64: 1>} : "
        + types;
  }

  private static String allReduce(String groups, String more) {
    return "%0 = \"stablehlo.all_reduce\"(%a) "
        + ADD
        + " {replica_groups = "
        + groups
        + more
        + "} : (tensor<2x4xf32>) -> tensor<2x4xf32>";
  }

  private static String scatter(String numbers) {
    return "%0 = \"stablehlo.scatter\"(%a, %b, %c) "
        + ADD
        + " {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
        + numbers
        + ", index_vector_dim = 1>}"
        + " : (tensor<4x4xf32>, tensor<3x2xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>";
  }

  private static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of(
            "%a: tensor<2xf32>, %b: tensor<1xf32>",
            "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>",
            "2:3: stablehlo.add: lhs got f32[2] and rhs got f32[1], want the same shape"),
        Arguments.of(
            "%a: tensor<2xf32>, %b: tensor<2xf16>",
            "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>",
            "2:3: stablehlo.add: lhs got f32[2] and rhs got f16[2], want the same shape"),
        Arguments.of(
            "%a: tensor<2xf32>, %b: tensor<1xf32>",
            "%0 = \"stablehlo.clamp\"(%b, %a, %a) : (tensor<1xf32>, tensor<2xf32>, tensor<2xf32>)"
                + " -> tensor<2xf32>",
            "2:3: stablehlo.clamp: min got f32[1] and operand got f32[2], want the same shape"
                + " [clamp C1]"),
        Arguments.of(
            "%a: tensor<f32>",
            "%0 = \"stablehlo.tanh\"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 2,"
                + " mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<f32>) ->"
                + " tensor<f32>",
            "2:3: stablehlo.tanh: result_accuracy got atol 0.0, rtol 0.0 and ulps 2 in mode"
                + " HIGHEST, want zeros"),
        Arguments.of(
            "%a: tensor<2x4xi32>, %b: tensor<i32>",
            reduce(ADD, "(tensor<2x4xi32>, tensor<i32>) -> tensor<2xi32>"),
            "2:3: stablehlo.reduce: result 0 of the region got tensor<f32>, want tensor<i32> or a"
                + " wider element type [reduce C6]"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %b: tensor<f32>",
            reduce(
                region("%l: tensor<f32>", "tensor<f32>"),
                "(tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>"),
            "2:3: stablehlo.reduce: region takes 1 values, want 2 [reduce C6]"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %b: tensor<f32>",
            reduce(
                region("%l: tensor<i32>, %r: tensor<f32>", "tensor<f32>"),
                "(tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>"),
            "2:3: stablehlo.reduce: argument 0 of the region got tensor<i32>, want tensor<f32> as"
                + " its result [reduce C6]"),
        Arguments.of(
            "%a: tensor<2x4xi32>, %b: tensor<i32>",
            reduce(
                region("%l: tensor<i8>, %r: tensor<i8>", "tensor<i8>"),
                "(tensor<2x4xi32>, tensor<i32>) -> tensor<2xi8>"),
            "2:3: stablehlo.reduce: result 0 of the region got tensor<i8>, want tensor<i32> or a"
                + " wider element type [reduce C6]"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %b: tensor<3xf32>",
            reduce(
                region("%l: tensor<3xf32>, %r: tensor<3xf32>", "tensor<3xf32>"),
                "(tensor<2x4xf32>, tensor<3xf32>) -> tensor<2xf32>"),
            "2:3: stablehlo.reduce: argument 1 of the region got tensor<3xf32>, want a scalar or"
                + " sizes of [2] [reduce C6]"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %b: tensor<f32>",
            "%0 = \"stablehlo.reduce_window\"(%a, %b) "
                + ADD
                + " {window_dimensions = array<i64: 2>} : (tensor<2x4xf32>, tensor<f32>) ->"
                + " tensor<1x4xf32>",
            "2:3: stablehlo.reduce_window: window got 1 dimensions, want 2, as many as f32[2,4]:"
                + " {size=2} [reduce_window C4]"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %b: tensor<1x2xf32>, %c: tensor<f32>",
            "%0 = \"stablehlo.select_and_scatter\"(%a, %b, %c) "
                + (region("%x: tensor<f32>, %y: tensor<f32>", "tensor<1xi1>") + ", " + ADD)
                    .replace("}), ({", "}, {")
                + " {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} :"
                + " (tensor<2x4xf32>, tensor<1x2xf32>, tensor<f32>) -> tensor<2x4xf32>",
            "2:3: stablehlo.select_and_scatter: select returns [tensor<1xi1>], want tensor<i1>"
                + " [select_and_scatter C9]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.sort\"(%a) "
                + region("%x: tensor<f32>, %y: tensor<f32>", "tensor<i1>")
                + " {dimension = -3 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>",
            "2:3: stablehlo.sort: dimension got (-3), want one dimension of f32[2,4] [sort C4]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            allReduce("dense<[[0, 2]]> : tensor<1x2xi64>", ""),
            "2:3: stablehlo.all_reduce: replica_groups got {{0,2}}, want each id from 0 to 1 once"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            allReduce("dense<[[0, 0]]> : tensor<1x2xi64>", ""),
            "2:3: stablehlo.all_reduce: replica_groups got {{0,0}}, want each id once and none"
                + " below 0"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            allReduce("dense<[[-2, 0]]> : tensor<1x2xi64>", ""),
            "2:3: stablehlo.all_reduce: replica_groups got {{-2,0}}, want each id once and none"
                + " below 0"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            allReduce("dense<[0, 1]> : tensor<2xi64>", ""),
            "2:3: stablehlo.all_reduce: replica_groups got tensor<2xi64>, want rank 2"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            allReduce("dense<[[0, 1]]> : tensor<1x2xi32>", ""),
            "2:3: stablehlo.all_reduce: replica_groups got tensor<1x2xi32>, want 64-bit integers"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            allReduce("dense<> : tensor<0x0xi64>", ", use_global_device_ids"),
            "2:3: stablehlo.all_reduce: replica_groups got none with use_global_device_ids, want"
                + " one at least"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            allReduce("dense<[[0, 1]]> : tensor<1x2xi64>", ", use_global_device_ids"),
            "2:3: stablehlo.all_reduce: channel_handle got 0 with use_global_device_ids, want at"
                + " least 1 [all_reduce C4]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            allReduce("#stablehlo.replica_group_mesh_axes<mesh = @none, axes = []>", ""),
            "2:3: stablehlo.all_reduce: replica_groups got mesh @none, want a symbol of the"
                + " module"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 1 : i64, replica_groups ="
                + " dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>} : (tensor<2x4xf32>) ->"
                + " tensor<2x8xf32>",
            "2:3: stablehlo.all_gather: replica_groups got {{0,1},{2,-1}}, want each id once and"
                + " none below 0"),
        Arguments.of(
            "%a: tensor<?x4xf32>",
            "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 1 : i64, replica_groups ="
                + " dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<?x4xf32>) -> tensor<?x9xf32>",
            "2:3: stablehlo.all_gather: got f32[?,4] and f32[?,9], want shapes that differ by a"
                + " factor along dimension 1 [all_gather C6]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.reduce_scatter\"(%a) "
                + ADD
                + " {scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> :"
                + " tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x2xf32>",
            "2:3: stablehlo.reduce_scatter: scatter_dimension got (2), want one dimension of"
                + " f32[2,4] [reduce_scatter C2]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.all_to_all\"(%a) {split_dimension = 1 : i64, concat_dimension = 0 :"
                + " i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}"
                + " : (tensor<2x4xf32>) -> tensor<8x1xf32>",
            "2:3: stablehlo.all_to_all: replica_groups got {{0,1}}, want groups of 4 [all_to_all"
                + " C8]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.all_to_all\"(%a) {split_dimension = 1 : i64, concat_dimension = 0 :"
                + " i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> :"
                + " tensor<1x3xi64>} : (tensor<2x4xf32>) -> tensor<6x1xf32>",
            "2:3: stablehlo.all_to_all: operand got tensor<2x4xf32>, want a multiple of split_count"
                + " 3 in dimension 1 [all_to_all C2]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.all_to_all\"(%a) {split_dimension = 1 : i64, concat_dimension = 0 :"
                + " i64, split_count = 4 : i64, replica_groups ="
                + " #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes ="
                + " [#stablehlo.mesh_axis<name = \"x\", size = 2>]>, axes ="
                + " [#stablehlo.axis_ref<name = \"x\">]>} : (tensor<2x4xf32>) -> tensor<8x1xf32>",
            "2:3: stablehlo.all_to_all: replica_groups got mesh['x'=2] {'x'}, want groups of 4"
                + " [all_to_all C8]"),
        Arguments.of(
            "%a: tensor<2x0xf32>",
            "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 1 : i64, replica_groups ="
                + " dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x0xf32>) -> tensor<2x0xf32>",
            "2:3: stablehlo.all_gather: operand got tensor<2x0xf32>, want a size above 0 in"
                + " dimension 1 [all_gather C6]"),
        Arguments.of(
            "%a: tensor<2x0xf32>",
            "%0 = \"stablehlo.reduce_scatter\"(%a) "
                + ADD
                + " {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> :"
                + " tensor<1x2xi64>} : (tensor<2x0xf32>) -> tensor<2x0xf32>",
            "2:3: stablehlo.reduce_scatter: operand got tensor<2x0xf32>, want a size above 0 in"
                + " dimension 1 [reduce_scatter C8]"),
        Arguments.of(
            "%a: tensor<f32>, %b: tensor<f32>",
            "%0 = \"stablehlo.cross-replica-sum\"(%a, %b) {replica_groups = dense<[[0, 1]]> :"
                + " tensor<1x2xi64>} : (tensor<f32>, tensor<f32>) -> tensor<f32>",
            "2:3: stablehlo.cross-replica-sum: operands got 2, want 1"),
        Arguments.of(
            "%a: tensor<f32>",
            "%0 = \"stablehlo.cross-replica-sum\"(%a) {replica_groups = dense<[[0, 2]]> :"
                + " tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>",
            "2:3: stablehlo.cross-replica-sum: replica_groups got {{0,2}}, want each id from 0 to 1"
                + " once"),
        Arguments.of(
            "%a: tensor<2xf32>, %b: tensor<i32>",
            "%0 = stablehlo.set_dimension_size %a, %b, dim = 3 : (tensor<2xf32>, tensor<i32>) ->"
                + " tensor<2xf32>",
            "2:3: stablehlo.set_dimension_size: dimension got (3), want one dimension of f32[2]"),
        Arguments.of(
            "%a: tensor<2xf32>, %b: tensor<i64>",
            "%0 = stablehlo.set_dimension_size %a, %b, dim = 0 : (tensor<2xf32>, tensor<i64>) ->"
                + " tensor<?xf32, #stablehlo.bounds<2>>",
            "2:3: stablehlo.set_dimension_size: size got s64[], want s32[]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<[[0, 1, 2]]> :"
                + " tensor<1x3xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>",
            "2:3: stablehlo.collective_permute: source_target_pairs got tensor<1x3xi64>, want"
                + " pairs: tensor<Nx2xi64> [collective_permute C1]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<> :"
                + " tensor<0x0xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>",
            "2:3: stablehlo.collective_permute: source_target_pairs got tensor<0x0xi64>, want"
                + " pairs: tensor<Nx2xi64> [collective_permute C1]"),
        Arguments.of(
            "%a: tensor<f32>",
            "%0 = \"stablehlo.reduce_window\"(%a, %a) "
                + ADD
                + " {window_dimensions = array<i64>, padding = dense<> : tensor<0x0xi64>} :"
                + " (tensor<f32>, tensor<f32>) -> tensor<f32>",
            "2:3: stablehlo.reduce_window: padding got tensor<0x0xi64>, want pairs:"
                + " tensor<Nx2xi64>"),
        Arguments.of(
            "%t: !stablehlo.token",
            "%0 = \"stablehlo.send\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1,"
                + " type = 1>, source_target_pairs = dense<0> : tensor<1x3xi64>} :"
                + " (!stablehlo.token) -> !stablehlo.token",
            "2:3: stablehlo.send: source_target_pairs got tensor<1x3xi64>, want pairs:"
                + " tensor<Nx2xi64>"),
        Arguments.of(
            "%a: tensor<?x?xf32, #stablehlo.bounds<2, 3>>",
            "%0 = stablehlo.reshape %a : (tensor<?x?xf32, #stablehlo.bounds<2, 3>>) ->"
                + " tensor<?x?xf32, #stablehlo.bounds<3, 2>>",
            "2:3: stablehlo.reshape: result got tensor<?x?xf32, #stablehlo.bounds<3, 2>>, want"
                + " static sizes, of which one may be bounded instead"),
        Arguments.of(
            "%a: tensor<?xf32>",
            "%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<?xf32>) -> tensor<?x2xf32>",
            "2:3: stablehlo.broadcast_in_dim: result got tensor<?x2xf32>, want static sizes, of"
                + " which one may be bounded instead"),
        Arguments.of(
            "",
            "\"stablehlo.collective_broadcast\"() {replica_groups = dense<[[0, 1]]> :"
                + " tensor<1x2xi64>} : () -> ()",
            "2:3: stablehlo.collective_broadcast: operands got 0, want one at least"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %b: tensor<2xi32>",
            "%0 = \"stablehlo.collective_broadcast\"(%a, %b) {replica_groups = dense<[[0, 1]]> :"
                + " tensor<1x2xi64>, has_dynamic_root} : (tensor<2x4xf32>, tensor<2xi32>) ->"
                + " tensor<2x4xf32>",
            "2:3: stablehlo.collective_broadcast: roots got tensor<2xi32>, want tensor<1xi32>: one"
                + " for each operand before"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.collective_reduce\"(%a) "
                + ADD
                + " {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} :"
                + " (tensor<2x4xf32>) -> tensor<2x4xf32>",
            "2:3: stablehlo.collective_reduce: channel_handle got 0 with use_global_device_ids,"
                + " want at least 1 [collective_reduce C4]"),
        Arguments.of(
            "%t: !stablehlo.token",
            "%0:2 = \"stablehlo.infeed\"(%t) {layout = []} : (!stablehlo.token) -> (tensor<2xf32>,"
                + " !stablehlo.token)",
            "2:3: stablehlo.infeed: layout got 0 lists, want 1, one for each tensor"),
        Arguments.of(
            "%t: !stablehlo.token",
            "%0:2 = \"stablehlo.infeed\"(%t) {layout = [[0 : i64, \"x\"]]} : (!stablehlo.token) ->"
                + " (tensor<2xf32>, !stablehlo.token)",
            "2:3: stablehlo.infeed: layout got [0, \"x\"], want a list of integers"),
        Arguments.of(
            "%t: !stablehlo.token",
            "%0:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> (!stablehlo.token,"
                + " !stablehlo.token)",
            "2:3: stablehlo.infeed: result 0 got !stablehlo.token, want a tensor of known sizes"
                + " [infeed C2]"),
        Arguments.of(
            "%t: !stablehlo.token",
            "%0 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> tensor<2xf32>",
            "2:3: stablehlo.infeed: last result got tensor<2xf32>, want a token [infeed C3]"),
        Arguments.of(
            "%t: !stablehlo.token",
            "\"stablehlo.recv\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type ="
                + " 1>} : (!stablehlo.token) -> ()",
            "2:3: stablehlo.recv: results got none, want a token at least [recv C2]"),
        Arguments.of(
            "%t: !stablehlo.token",
            "%0 = \"stablehlo.recv\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1,"
                + " type = 1>, is_host_transfer = true} : (!stablehlo.token) -> !stablehlo.token",
            "2:3: stablehlo.recv: channel_handle got type 1 and is_host_transfer true, want type 3"
                + " (HOST_TO_DEVICE) [recv C1]"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %t: !stablehlo.token",
            "%0 = \"stablehlo.send\"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle ="
                + " 1, type = 2>} : (tensor<2x4xf32>, !stablehlo.token) -> !stablehlo.token",
            "2:3: stablehlo.send: channel_handle got type 2 and is_host_transfer false, want type 1"
                + " (DEVICE_TO_DEVICE) [send C1]"),
        Arguments.of(
            "%a: tensor<4x4xf32>, %b: tensor<3x2xi32>",
            "%0 = \"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims ="
                + " [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1,"
                + " 4>} : (tensor<4x4xf32>, tensor<3x2xi32>) -> tensor<3x4xf32>",
            "2:3: stablehlo.gather: offset_dims (1), collapsed_slice_dims () and"
                + " operand_batching_dims () got 1 dimensions together, want 2 as f32[4,4] has"
                + " [gather C1]"),
        Arguments.of(
            "%a: tensor<4x4xf32>, %b: tensor<3x2xi32>, %c: tensor<3x4xf32>",
            scatter("inserted_window_dims = [0, 0], scatter_dims_to_operand_dims = [0]"),
            "2:3: stablehlo.scatter: inserted_window_dims got (0, 0), want no dimension"
                + " twice [scatter C9]"),
        Arguments.of(
            "%a: tensor<4x4xf32>, %b: tensor<3x2xi32>, %c: tensor<3x4xf32>",
            scatter("input_batching_dims = [4], scatter_dims_to_operand_dims = [0]"),
            "2:3: stablehlo.scatter: input_batching_dims[0] got 4, want a dimension of"
                + " input f32[4,4] [scatter C13]"),
        Arguments.of(
            "%a: tensor<1x4x4x2xf32>, %b: tensor<2x2x2x2xf32>",
            "%0 = \"stablehlo.convolution\"(%a, %b) {dimension_numbers = #stablehlo.conv<[b, 0, 1,"
                + " 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]>, feature_group_count = 1 : i64,"
                + " batch_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<2x2x2x2xf32>) ->"
                + " tensor<1x3x3x2xf32>",
            "2:3: stablehlo.convolution: input spatial dimensions got 3 of b012f_012io->b012f, want"
                + " 2: rank 4 less batch and feature [convolution C12]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = stablehlo.composite \"f\" %a {decomposition = @g} : (tensor<2x4xf32>) ->"
                + " tensor<2x4xf32>",
            "2:3: stablehlo.composite: name got \"f\", want words with dots between, such as"
                + " my_namespace.my_op [composite C1]"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = stablehlo.composite \"a.b\" %a {decomposition = @g} : (tensor<2x4xf32>) ->"
                + " tensor<2x4xf32>",
            "2:3: stablehlo.composite: results got [tensor<2x4xf32>], want []"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", api_version = 4 : i32,"
                + " backend_config = \"x\"} : (tensor<2x4xf32>) -> tensor<2x4xf32>",
            "2:3: stablehlo.custom_call: backend_config got \"x\", want a dictionary for"
                + " api_version 4"),
        Arguments.of(
            "%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
            "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm ="
                + " <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32,"
                + " lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1,"
                + " allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) ->"
                + " tensor<2x4xf32>",
            "2:3: stablehlo.dot_general: lhs_component_count got 0, want at least 1 [dot_general"
                + " C22]"),
        Arguments.of(
            "%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
            "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH,"
                + " HIGH], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32,"
                + " accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,"
                + " num_primitive_operations = 1, allow_imprecise_accumulation = false> :"
                + " (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
            "2:3: stablehlo.dot_general: precision_config got [high, high] with an algorithm, want"
                + " DEFAULT [dot_general C21]"),
        Arguments.of(
            "%a: tensor<1x4x4x1xf32>, %b: tensor<2x2x1x1xf16>",
            "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1,"
                + " f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :"
                + " (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf16>) -> tensor<1x3x3x1xf32>",
            "2:3: stablehlo.convolution: kernel got f16[2,2,1,1], want the element type of the"
                + " input, f32[1,4,4,1] [convolution C27]"),
        Arguments.of(
            "%a: tensor<f32>",
            "%s = stablehlo.constant dense<[2]> : tensor<1xi64> %0 = \"stablehlo.rng\"(%a, %a, %s)"
                + " {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>,"
                + " tensor<f32>, tensor<1xi64>) -> tensor<3xf32>",
            "2:54: stablehlo.rng: operand 2 got (2), want the sizes of the result, f32[3] [rng"
                + " C3]"),
        Arguments.of(
            "%a: tensor<2x1xf32>, %n: tensor<2xi64>",
            "%0 = \"stablehlo.dynamic_broadcast_in_dim\"(%a, %n) {broadcast_dimensions = array<i64:"
                + " 0, 2>} : (tensor<2x1xf32>, tensor<2xi64>) -> tensor<2x3xf32>",
            "2:3: stablehlo.dynamic_broadcast_in_dim: broadcast_dimensions got (0, 2), want"
                + " different dimensions of f32[2,3] [broadcast_in_dim C3]"),
        Arguments.of(
            "%a: tensor<2x1xf32>, %n: tensor<2xi64>",
            "%0 = \"stablehlo.dynamic_broadcast_in_dim\"(%a, %n) {broadcast_dimensions = array<i64:"
                + " 0, 1>, known_expanding_dimensions = array<i64: 1>,"
                + " known_nonexpanding_dimensions = array<i64: 1>} : (tensor<2x1xf32>,"
                + " tensor<2xi64>) -> tensor<2x3xf32>",
            "2:3: stablehlo.dynamic_broadcast_in_dim: known_expanding_dimensions and"
                + " known_nonexpanding_dimensions got (1, 1), want each once"
                + " [dynamic_broadcast_in_dim C8]"),
        Arguments.of(
            "%n: tensor<1xi64>",
            "%0 = \"stablehlo.dynamic_iota\"(%n) {iota_dimension = 1 : i64} : (tensor<1xi64>) ->"
                + " tensor<4xf32>",
            "2:3: stablehlo.dynamic_iota: iota_dimension got 1, want a dimension of f32[4]"
                + " [dynamic_iota C1]"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %n: tensor<2xi64>",
            "%0 = \"stablehlo.dynamic_reshape\"(%a, %n) : (tensor<2x4xf32>, tensor<2xi64>) ->"
                + " tensor<3x3xf32>",
            "2:3: stablehlo.dynamic_reshape: result got f32[3,3], want as many elements as f32[2,4]"
                + " [dynamic_reshape C2]"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %b: tensor<f32>, %n: tensor<1xi64>",
            "%0 = \"stablehlo.dynamic_pad\"(%a, %b, %n, %n, %n) : (tensor<2x4xf32>, tensor<f32>,"
                + " tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>",
            "2:3: stablehlo.dynamic_pad: operand 2 got s64[1], want 2 integers [dynamic_pad C2]"),
        Arguments.of(
            "%a: tensor<2x4xf32>, %i: tensor<1xi64>, %n: tensor<2xi64>",
            "%0 = \"stablehlo.dynamic_gather\"(%a, %i, %n) {dimension_numbers ="
                + " #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0],"
                + " start_index_map = [2]>} : (tensor<2x4xf32>, tensor<1xi64>, tensor<2xi64>) ->"
                + " tensor<?xf32>",
            "2:3: stablehlo.dynamic_gather: gather: start_index_map[0] got 2, want a dimension of"
                + " operand f32[2,4] [gather C19]"),
        Arguments.of(
            "%a: tensor<4x4xf32>",
            "%0 = \"stablehlo.async_start\"(%a) ({ ^bb0(%x: tensor<4x4xi32>):"
                + " \"stablehlo.return\"(%x) : (tensor<4x4xi32>) -> () }) : (tensor<4x4xf32>) ->"
                + " !stablehlo.future<tensor<4x4xi32>>",
            "2:3: stablehlo.async_start: operands got [tensor<4x4xf32>], want [tensor<4x4xi32>] as"
                + " the region takes"),
        Arguments.of(
            "%a: !stablehlo.future<tensor<2xf32>>",
            "%0 = \"stablehlo.async_done\"(%a) : (!stablehlo.future<tensor<2xf32>>) ->"
                + " tensor<2xi32>",
            "2:3: stablehlo.async_done: result 0 got tensor<2xi32>, want tensor<2xf32>"),
        Arguments.of(
            "%a: !stablehlo.future<f32>",
            "", "1:1: func.func: future got f32, want a tensor with a rank"),
        Arguments.of(
            "%p: tensor<i1>, %a: memref<2xf32>",
            "%0 = \"stablehlo.if\"(%p) ({ \"stablehlo.return\"(%a) : (memref<2xf32>) -> () }, {"
                + " \"stablehlo.return\"(%a) : (memref<2xf32>) -> () }) : (tensor<i1>) ->"
                + " memref<2xf32>",
            "2:3: stablehlo.if: result got memref<2xf32>, want a tensor"),
        Arguments.of(
            "%a: tensor<2x4xf32>",
            "%0 = stablehlo.optimization_barrier %a : tensor<2x4xf32> %1 = call @g(%0, %0) : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()"
                .replace("%1 = ", ""),
            "2:60: func.call: operands got [tensor<2x4xf32>, tensor<2x4xf32>], want"
                + " [tensor<2x4xf32>]"));
  }

  private static Stream<Arguments> wrongCustomCalls() {
    return Stream.of(
        Arguments.of(
            "%a: tensor<2x3xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", operand_layouts ="
                + " [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
            "2:3: stablehlo.custom_call: result_layouts got none, want layouts of operands and"
                + " results, or of neither"),
        Arguments.of(
            "%a: tensor<2x3xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", operand_layouts = [],"
                + " result_layouts = []} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
            "2:3: stablehlo.custom_call: operand_layouts got 0, want one for each of 1 values"),
        Arguments.of(
            "%a: !stablehlo.token",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", operand_layouts ="
                + " [dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>]} :"
                + " (!stablehlo.token) -> !stablehlo.token",
            "2:3: stablehlo.custom_call: operand_layouts got dense<0> : tensor<1xindex> for"
                + " token[], want 0 dimensions"),
        Arguments.of(
            "%a: tuple<tensor<f32>>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", operand_layouts ="
                + " [dense<> : tensor<0xindex>], result_layouts = [dense<> : tensor<0xindex>]} :"
                + " (tuple<tensor<f32>>) -> tensor<f32>",
            "2:3: stablehlo.custom_call: operand_layouts got one for (f32[]), want no tuples"),
        Arguments.of(
            "%a: tensor<2xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", output_operand_aliases ="
                + " [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1,"
                + " operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>",
            "2:3: stablehlo.custom_call: output_operand_aliases {}: (1, {}) got operand 1, want one"
                + " of 1"),
        Arguments.of(
            "%a: tensor<2xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", output_operand_aliases ="
                + " [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0,"
                + " operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>",
            "2:3: stablehlo.custom_call: output_operand_aliases {0}: (0, {}) got index (0), want"
                + " one of f32[2]"),
        Arguments.of(
            "%a: tensor<2xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", output_operand_aliases ="
                + " [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,"
                + " operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<3xf32>",
            "2:3: stablehlo.custom_call: output_operand_aliases {}: (0, {}) got f32[3] and f32[2],"
                + " want the same shape"),
        Arguments.of(
            "%a: tensor<2x!quant.uniform<i8:f32, 0.5>>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", output_operand_aliases ="
                + " [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,"
                + " operand_tuple_indices = []>]} : (tensor<2x!quant.uniform<i8:f32, 0.5>>) ->"
                + " tensor<2x!quant.uniform<i8:f32, 0.25>>",
            "2:3: stablehlo.custom_call: output_operand_aliases {}: (0, {}) got"
                + " tensor<2x!quant.uniform<i8:f32, 2.500000e-01>> and"
                + " tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>, want the same type"),
        Arguments.of(
            "%a: tensor<2xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\", called_computations = [1"
                + " : i64]} : (tensor<2xf32>) -> tensor<2xf32>",
            "2:3: stablehlo.custom_call: attribute called_computations got 1 : i64, want another"
                + " kind of value"),
        Arguments.of(
            "%a: tensor<2xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"CreateBuffer\"} :"
                + " (tensor<2xf32>) -> memref<2xf32>",
            "2:3: stablehlo.custom_call: CreateBuffer of [f32[2]] got result b(f32[2]), want no"
                + " operands and a buffer"),
        Arguments.of(
            "%a: tensor<2xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"Pin\"} : (tensor<2xf32>) ->"
                + " memref<3xf32>",
            "2:3: stablehlo.custom_call: Pin of [f32[2]] got result b(f32[3]), want the buffer of"
                + " one array"),
        Arguments.of(
            "%a: memref<2xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"Unpin\"} : (memref<2xf32>) ->"
                + " tensor<2xi32>",
            "2:3: stablehlo.custom_call: Unpin of [b(f32[2])] got result s32[2], want the array of"
                + " one buffer"),
        Arguments.of(
            "%a: memref<2xf32>",
            "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"g\"} : (memref<2xf32>) ->"
                + " memref<2xf32>",
            "2:3: stablehlo.custom_call: output_operand_aliases got 0 pairs for the buffer {} of"
                + " operand 0, want 1"));
  }

  @ParameterizedTest
  @MethodSource({"wrong", "wrongCustomCalls"})
  void invalidOpsAreRejected(String arguments, String body, String message) {
    String module =
        "func.func @f("
            + arguments
            + ") {\n  "
            + body
            + "\n  return\n}\nfunc.func private @g(tensor<2x4xf32>)\n";
    assertThat(findings(module)).isEqualTo(message);
  }

  /** HLO has no scales: numbers of another one must not share a buffer there. */
  @Test
  void aliasesOfOtherScalesAreNotImported() {
    Operation module =
        StableHlo.parse(
            """
            func.func @main(%a: tensor<!quant.uniform<i8:f32, 0.5>>) {
              %0 = "stablehlo.custom_call"(%a) {call_target_name = "g", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 2.0>>
              return
            }
            """);
    HloException refusal = assertThrows(HloException.class, () -> StableHlo.toHlo(module));
    assertThat(refusal)
        .hasMessageThat()
        .startsWith(
            "2:3: stablehlo.custom_call: output_operand_aliases {}: (0, {}) got"
                + " tensor<!quant.uniform<i8:f32, 2.000000e+00>> and"
                + " tensor<!quant.uniform<i8:f32, 5.000000e-01>>, want the same type");
  }

  /** What HLO has not, or refuses itself, is found when a module is verified. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "%a: tensor<i32> | %0 = stablehlo.compare GT, %a, %a, UNSIGNED : (tensor<i32>, tensor<i32>)"
            + " -> tensor<i1> | 2:3: stablehlo.compare: compare_type got UNSIGNED, want SIGNED"
            + " for s32 [compare C3]",
        "%a: tensor<2xsi32> | %0 = stablehlo.negate %a : tensor<2xsi32>"
            + " | 2:3: stablehlo.negate: element type got si32, want one that HLO has",
        "%a: tensor<4xf32>, %i: tensor<1x1xf80> | %0 = \"stablehlo.gather\"(%a, %i)"
            + " {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map"
            + " = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<4xf32>,"
            + " tensor<1x1xf80>) -> tensor<1xf32> | 2:3: stablehlo.gather: element type got f80,"
            + " want one that HLO has",
        "%a: tensor<*xf32> | %0 = stablehlo.negate %a : tensor<*xf32>"
            + " | 2:3: stablehlo.negate: type got tensor<*xf32>, want a tensor, tuple or token",
      })
  void whatHloHasNotIsFound(String arguments, String body, String message) {
    String module = "func.func @main(" + arguments + ") {\n  " + body + "\n  return\n}\n";
    assertThat(findings(module)).isEqualTo(message);
  }

  /** Returns the summaries of the findings, one per line. */
  private static String findings(String module) {
    return StableHlo.verify(StableHlo.parse(module)).stream()
        .map(finding -> Splitter.on('\n').splitToList(finding.getMessage()).get(0))
        .collect(joining("\n"));
  }

  @Test
  void reportsErrorsOfAllFunctions() {
    assertThat(
            findings(
                """
                func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
                  %0 = stablehlo.slice %a [0:3] : (tensor<2xf32>) -> tensor<3xf32>
                  %1 = stablehlo.iota dim = 1 : tensor<2xf32>
                  return %1 : tensor<2xf32>
                }
                func.func @other(%a: tensor<2xf32>) -> tensor<3xf32> {
                  return %a : tensor<2xf32>
                }
                """))
        .isEqualTo(
            """
            2:3: stablehlo.slice: limit_indices[0] got 3, want at most 2, the size of dimension 0 of f32[2] [slice C3]
            3:3: stablehlo.iota: iota_dimension got 1, want one from 0 to 0 of f32[2] [iota C1]
            6:1: func.func: @other returns [tensor<2xf32>], want [tensor<3xf32>]\
            """);
  }

  /** As MLIR refuses it: the attributes of a module are those of dialects, but for its name. */
  @Test
  void attributesOfModulesHavePrefixes() {
    assertThat(findings("module @m attributes {mhlo.num_replicas = 1 : i32, foo = 3 : i32} {}"))
        .isEqualTo(
            "1:1: builtin.module: attribute got foo, want the prefix of a dialect: mhlo.foo");
  }

  @Test
  void recursionIsRejected() {
    assertThat(
            findings(
                """
                func.func @main() {
                  call @f() : () -> ()
                  return
                }
                func.func @f() {
                  call @g() : () -> ()
                  return
                }
                func.func @g() {
                  stablehlo.composite "a.b" {decomposition = @f} : () -> ()
                  return
                }
                """))
        .isEqualTo("5:1: func.func: function calls itself: @f -> @g -> @f, want no recursion");
  }

  @Test
  void compositesMayHaveLongNames() {
    assertThat(
            findings(
                """
                func.func @f() {
                  return
                }
                func.func @main() {
                  stablehlo.composite "a%s" {decomposition = @f} : () -> ()
                  return
                }
                """
                    .formatted(".b".repeat(20_000))))
        .isEmpty();
  }

  /** An unknown size matches any size; known sizes have to match. */
  @Test
  void unknownSizesMatchAny() {
    assertThat(
            findings(
                """
                func.func @f(%a: tensor<?x3xf32>, %n: tensor<i32>) -> tensor<?x4xf32> {
                  %0 = stablehlo.add %a, %a : tensor<?x3xf32>
                  %w = stablehlo.constant dense<1.0> : tensor<3x4xf32>
                  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
                  %2 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
                  %3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
                  %4 = stablehlo.constant dense<4> : tensor<1xi32>
                  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
                  %6 = stablehlo.dynamic_reshape %1, %5 : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
                  %7 = stablehlo.add %a, %6 : (tensor<?x3xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
                  return %6 : tensor<?x4xf32>
                }
                """))
        .isEqualTo(
            "10:3: stablehlo.add: lhs got f32[?,3] and rhs got f32[?,4], want the same shape");
  }

  /** As upstream, which takes an empty list for the default of a window, and for no pair. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "window_strides = array<i64>",
        "base_dilations = array<i64>, window_dilations = array<i64>",
      })
  void emptyListsOfAWindowAreItsDefaults(String list) {
    assertThat(
            findings(
                """
                func.func @f(%%a: tensor<3xf32>, %%b: tensor<f32>) -> tensor<3xf32> {
                  %%0 = "stablehlo.reduce_window"(%%a, %%b) %s {window_dimensions = array<i64: 1>, %s} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
                  return %%0 : tensor<3xf32>
                }
                """
                    .formatted(ADD, list)))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0", "1x0", "0x0x0", "0x2"})
  void emptyPairsOfTransfersHaveAnyShape(String sizes) {
    Operation module =
        StableHlo.parse(
            """
            func.func @f(%%a: tensor<f32>, %%t: !stablehlo.token) -> !stablehlo.token {
              %%0 = "stablehlo.send"(%%a, %%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<> : tensor<%sxi64>} : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
              return %%0 : !stablehlo.token
            }
            """
                .formatted(sizes));
    assertThat(StableHlo.verify(module)).isEmpty();
    assertThat(StableHlo.print(module)).contains("source_target_pairs = dense<> : tensor<0x2xi64>");
  }

  /** The groups are those of a mesh of another dialect, of which nothing is known. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "all_gather | all_gather_dim = 1 : i64, | 2x12",
        "all_to_all | split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64,"
            + " | 8x1",
        "collective_broadcast | | 2x4",
        "cross-replica-sum | | 2x4",
      })
  void groupsOfUnknownMeshes(String op, @Nullable String attributes, String sizes) {
    assertThat(
            findings(
                """
                func.func private @mesh()
                func.func @f(%%a: tensor<2x4xf32>) {
                  %%0 = "stablehlo.%s"(%%a) {%s replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<2x4xf32>) -> tensor<%sxf32>
                  return
                }
                """
                    .formatted(op, Strings.nullToEmpty(attributes), sizes)))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"all_reduce", "collective_reduce"})
  void groupsOfReductionsOfUnknownMeshes(String op) {
    assertThat(
            findings(
                """
                func.func private @mesh()
                func.func @f(%%a: tensor<f32>) {
                  %%0 = "stablehlo.%s"(%%a) %s {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<f32>) -> tensor<f32>
                  return
                }
                """
                    .formatted(op, ADD)))
        .isEmpty();
  }

  /** As upstream: sizes that one of two types does not say, or says a bound of, may be any. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "?x4xf32 | 2x4xf32",
        "?x4xf32 | 2x?xf32",
        "2x4xf32 | 2x?xf32, #stablehlo.bounds<?, 4>",
        "?x?x4xf32, #stablehlo.bounds<3, ?, ?> | 3x2x?xf32",
      })
  void sizesThatAreSet(String operand, String result) {
    assertThat(
            findings(
                """
                func.func @f(%%a: tensor<%s>, %%n: tensor<i32>) {
                  %%0 = stablehlo.set_dimension_size %%a, %%n, dim = 1 : (tensor<%s>, tensor<i32>) -> tensor<%s>
                  return
                }
                """
                    .formatted(operand, operand, result)))
        .isEmpty();
  }

  /** Futures, groups by mesh axes, and regions that use values from outside are accepted. */
  @Test
  void constructsThatHloLacksAreAccepted() {
    assertThat(
            findings(
                """
                func.func private @mesh()
                func.func private @later() -> !stablehlo.future<tensor<f32>, tensor<i32>>
                func.func @f(%a: tensor<2x4xf32>, %b: tensor<f32>) -> tensor<2x8xf32> {
                  %0 = "stablehlo.async_start"(%a) ({
                  ^bb0(%x: tensor<2x4xf32>):
                    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<2x4xf32>) -> tensor<2x8xf32>
                    "stablehlo.return"(%1) : (tensor<2x8xf32>) -> ()
                  }) : (tensor<2x4xf32>) -> !stablehlo.future<tensor<2x8xf32>>
                  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2x8xf32>>) -> tensor<2x8xf32>
                  %3 = "stablehlo.map"(%2) ({
                  ^bb0(%x: tensor<f32>):
                    %4 = stablehlo.add %x, %b : tensor<f32>
                    stablehlo.return %4 : tensor<f32>
                  }) {dimensions = array<i64: 0, 1>} : (tensor<2x8xf32>) -> tensor<2x8xf32>
                  return %3 : tensor<2x8xf32>
                }
                """))
        .isEmpty();
  }
}
