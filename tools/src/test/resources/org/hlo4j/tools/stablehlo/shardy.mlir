// Ops that only say how an array is distributed, on meshes of one device and of several.
sdy.mesh @one = <["x"=1, "y"=1]>
sdy.mesh @four = <["x"=2, "y"=2]>

func.func @identities() {
  %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@four, [{}, {}]> : tensor<2x2xf32>
  %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@four, [{}, {"y"}]> : tensor<2x2xf32>
  %3 = sdy.all_to_all [{"y"}: 1->0] %2 out_sharding=<@four, [{"y"}, {}]> : tensor<2x2xf32>
  %4 = sdy.collective_permute %3 out_sharding=<@four, [{"x"}, {}]> : tensor<2x2xf32>
  %5 = sdy.reshard %4 <@four, [{}, {"x", "y"}]> : tensor<2x2xf32>
  %6 = sdy.propagation_barrier %5 allowed_direction=BACKWARD : tensor<2x2xf32>
  sdy.sharding_group %6 group_id=3 : tensor<2x2xf32>
  %7 = sdy.sharding_constraint %6 <@four, [{"x", ?}, {?}]> : tensor<2x2xf32>
  check.expect_eq %7, %0 : tensor<2x2xf32>
  return
}

// -----

// A reduction over axes of one device.
sdy.mesh @one = <["x"=1, "y"=1]>

func.func @reductions() {
  %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@one, [{}, {}]> : tensor<2x2xf32>
  %2 = sdy.reduce_scatter [{"x"}, {}] %1 out_sharding=<@one, [{"x"}, {}]> : tensor<2x2xf32>
  %3 = sdy.sharded_to_unreduced [{"x"}, {}] %2 out_sharding=<@one, [{}, {}], unreduced={"x"}> : tensor<2x2xf32>
  %4 = sdy.replicated_to_unreduced {"y"} %3 out_sharding=<@one, [{}, {}], unreduced={"x", "y"}> : tensor<2x2xf32>
  check.expect_eq %4, %0 : tensor<2x2xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

func.func @computations() {
  %0 = sdy.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1:2 = sdy.named_computation<"f">(%0, %0) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] (%a: tensor<2xf32>, %b: tensor<2xf32>) {
    %s = stablehlo.add %a, %b : tensor<2xf32>
    sdy.return %s, %a : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %2 = sdy.data_flow_edge %1#0 sharding=<@mesh, [{"x"}]> : tensor<2xf32>
  %3 = "sdy.named_computation"(%1#1) <{name = "f"}> ({
  ^bb0(%c: tensor<2xf32>):
    %n = stablehlo.negate %c : tensor<2xf32>
    "sdy.return"(%n) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %4 = "sdy.data_flow_edge"(%3) : (tensor<2xf32>) -> tensor<2xf32>
  %5 = stablehlo.add %2, %4 : tensor<2xf32>
  check.expect_eq_const %5, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

// -----

// Forms of text that jaxlib reads.
func.func @forms() {
  %0 = arith.constant dense<1.0> : tensor<1x4x4x1xf32>
  %1 = stablehlo.constant() <{value = dense<2.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [4, 4], pad = [[0, 0], [0, 0]],} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  check.expect_eq %2, %1 : tensor<1x1x1x1xf32>
  %3 = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32, #stablehlo.bounds<>>
  check.expect_eq_const %3, dense<1> : tensor<i32, #stablehlo.bounds<>>
  return
}
