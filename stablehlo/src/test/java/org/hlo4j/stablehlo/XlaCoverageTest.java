package org.hlo4j.stablehlo;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.schema.KnownAttributes;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.mlir.Operation;
import org.junit.jupiter.api.Test;

/**
 * The cases of {@link XlaReadingTest} have each op and each attribute, so that a new one needs a
 * case.
 */
class XlaCoverageTest {
  private static final Pattern OP = Pattern.compile("(?:^|[ }\\])])([a-z][a-z0-9-]*)\\(");
  private static final Pattern ATTRIBUTE = Pattern.compile("([a-z_-]+)=");

  /** What current XLA does not read, or reads in no form that StableHLO has. */
  private static final ImmutableSet<String> WITHOUT_CASES_IN_HLO =
      ImmutableSet.of(
          "async-start.output_to_operand_aliasing",
          "atan",
          "collective-permute-start.slice_sizes",
          "topk.is_stable",
          // Both sides are in a case; the text has the one that is not the default.
          "triangular-solve.left_side");

  private static final ImmutableSet<String> WITHOUT_CASES_IN_STABLEHLO =
      ImmutableSet.of(
          // Current XLA does not know them.
          "stablehlo.collective_broadcast.has_dynamic_root",
          "stablehlo.collective_reduce.channel_handle",
          "stablehlo.collective_reduce.has_dynamic_root",
          "stablehlo.collective_reduce.use_global_device_ids",
          "stablehlo.custom_call.result_tilings",
          // Current XLA has no lowering.
          "stablehlo.dynamic_conv.lhs_dilation",
          "stablehlo.dynamic_conv.precision_config",
          "stablehlo.dynamic_conv.rhs_dilation",
          "stablehlo.dynamic_conv.window_reversal",
          "stablehlo.uniform_dequantize",
          "stablehlo.uniform_quantize",
          // Hints of MLIR, which no converter reads.
          "builtin.module.sym_visibility",
          "func.call.arg_attrs",
          "func.call.no_inline",
          "func.call.res_attrs",
          "func.func.no_inline");

  @Test
  void everyOpOfHloHasACase() {
    Set<String> wanted = new TreeSet<>(OpSchema.opcodes());
    for (OpSchema schema : OpSchema.all()) {
      schema.attributes().stream()
          .filter(OpAttribute::isNamed)
          .forEach(attribute -> wanted.add(schema.opcode() + "." + attribute.name()));
    }
    Set<String> seen = new TreeSet<>();
    for (XlaCases.Case each : XlaCases.read("to-stablehlo.cases")) {
      each.program().lines().forEach(line -> addOps(line, seen));
    }
    assertThat(Sets.difference(wanted, seen)).isEqualTo(WITHOUT_CASES_IN_HLO);
  }

  private static void addOps(String line, Set<String> seen) {
    Matcher op = OP.matcher(line);
    while (op.find()) {
      seen.add(op.group(1));
      Matcher attribute = ATTRIBUTE.matcher(line.substring(op.end()));
      while (attribute.find()) {
        seen.add(op.group(1) + "." + attribute.group(1));
      }
    }
  }

  @Test
  void everyAttributeOfModulesHasACase() {
    Set<String> seen = new TreeSet<>();
    for (XlaCases.Case each : XlaCases.read("to-stablehlo.cases")) {
      HloModule module = Parser.parse(each.program());
      seen.addAll(module.attributes().keySet());
    }
    assertThat(Sets.difference(KnownAttributes.ofModules(), seen))
        .containsExactly("origin_recovery_table");
  }

  @Test
  void everyOpOfStableHloHasACase() {
    Set<String> wanted = new TreeSet<>();
    OpTable.rows()
        .forEach((name, row) -> {
          if (name.matches("(stablehlo|func|builtin)[.].*")) {
            wanted.add(name);
            row.attributes().keySet().forEach(attribute -> wanted.add(name + "." + attribute));
          }
        });
    Set<String> seen = new TreeSet<>();
    for (XlaCases.Case each : XlaCases.read("to-hlo.cases")) {
      add(StableHlo.parse(each.program()), seen);
    }
    assertThat(Sets.difference(wanted, seen)).isEqualTo(WITHOUT_CASES_IN_STABLEHLO);
  }

  private static void add(Operation operation, Set<String> seen) {
    seen.add(operation.name());
    operation
        .attributes()
        .entries()
        .keySet()
        .forEach(each -> seen.add(operation.name() + "." + each));
    operation.regions().stream()
        .flatMap(region -> region.blocks().stream())
        .flatMap(block -> block.operations().stream())
        .forEach(each -> add(each, seen));
  }
}
