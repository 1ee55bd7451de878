package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ir.CompositeFunction;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Functions of CHLO are calls with their names, in each form that a program may be written in. */
class CompositeFunctionsTest {
  private static HloModule imported(String op, String type) {
    String text =
        """
        func.func @main(%x: TYPE) -> TYPE {
          %0 = OP : IN -> TYPE
          return %0 : TYPE
        }
        """
            .replace("OP", op)
            .replace("IN", op.contains(",") ? "TYPE, TYPE" : "TYPE")
            .replace("TYPE", type);
    return StableHlo.toHlo(StableHlo.parse(text));
  }

  private static ImmutableList<CompositeFunction> functions(HloModule module) {
    Verifier.strict().verify(module);
    ImmutableList<HloInstruction> calls =
        module.entry().instructions().stream()
            .filter(each -> !(each.op() instanceof Parameter))
            .collect(toImmutableList());
    assertThat(calls.stream().allMatch(each -> each.op() instanceof Call)).isTrue();
    return calls.stream()
        .flatMap(each -> CompositeFunction.of(each).stream())
        .collect(toImmutableList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chlo.bessel_i1e %x | tensor<2xf32> | BESSEL_I1E",
        "chlo.digamma %x | tensor<2xf64> | DIGAMMA",
        "chlo.erfc %x | tensor<f16> | ERFC",
        "chlo.erf_inv %x | tensor<2xbf16> | ERF_INV",
        "chlo.lgamma %x | tensor<0xf32> | LGAMMA",
        "chlo.polygamma %x, %x | tensor<2x3xf32> | POLYGAMMA",
        "chlo.zeta %x, %x | tensor<2xf32> | ZETA",
        "chlo.broadcast_zeta %x, %x | tensor<2xf32> | ZETA",
      })
  void survive(String op, String type, CompositeFunction want) {
    HloModule module = imported(op, type);
    assertThat(functions(module)).containsExactly(want);
    assertThat(functions(Parser.parse(Printer.print(module)))).containsExactly(want);
    assertThat(functions(HloProtos.readModule(HloProtos.writeModule(module))))
        .containsExactly(want);
    String exported = StableHlo.print(StableHlo.fromHlo(module));
    assertThat(functions(StableHlo.toHlo(StableHlo.parse(exported)))).containsExactly(want);
  }
}
