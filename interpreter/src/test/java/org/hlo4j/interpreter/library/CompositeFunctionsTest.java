package org.hlo4j.interpreter.library;

import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.math.XlaMath;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.CompositeFunction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The functions of {@link CompositeFunction} in types of up to 32 bits: both evaluators give the
 * number of the type that is nearest to the value of mpmath at 60 digits, also next to the zeros of
 * lgamma and digamma, and where f32 loses digits or its powers underflow.
 */
class CompositeFunctionsTest {
  /** A function and a type, then operands and result of each element. */
  private static final String TABLE =
      """
      lgamma, F32:
          1.5403149 -0.11856038; -0.11856038 2.2130554; -2.4570248 -1.12878425e-07;
          -3.143581 -1.9605461e-07; 2.9351208 0.634116; 3.4129262 1.106182; 1e-30 69.07755;
          170.5 704.00446; 1e+30 6.8077553e+31; -100.3 -363.76624
      lgamma, BF16:
          1.5390625 -0.11865234375; -0.11865234375 2.21875; -2.453125 0.0059814453125;
          -3.140625 0.023193359375; 2.9375 0.63671875; 3.40625 1.1015625;
          9.98402083170343e-31 69.0; 170.0 700.0;
          1.0002555517425873e+30 6.813621976226733e+31; -100.5 -364.0
      lgamma, F16:
          1.5400390625 -0.11859130859375; -0.1185302734375 2.212890625;
          -3.14453125 -0.007373809814453125; 2.935546875 0.63427734375;
          3.412109375 1.10546875; 170.5 704.0; -100.3125 -363.75
      digamma, F32:
          1.4616321 -1.2036052e-08; -2.6107209 -4.8111076e-08; -102.82593 -0.52242064;
          1e-30 -1e+30; 0.75 -1.0858608; 3.3 1.0348225; 1e+30 69.07755
      digamma, BF16:
          1.4609375 -0.00067138671875; -2.609375 0.01458740234375;
          9.98402083170343e-31 -1.0002555517425873e+30; 0.75 -1.0859375; 3.296875 1.03125;
          1.0002555517425873e+30 69.0
      digamma, F16:
          1.4619140625 0.0002727508544921875; -2.611328125 -0.006591796875;
          -102.8125 -0.06396484375; 0.75 -1.0859375; 3.30078125 1.03515625
      bessel_i1e, F32:
          7.7501817 0.13604969; -7.9996095 -0.13414541; 1e-30 5e-31; 100.5 0.03964591;
          1e+30 3.9894227e-16; 0.3 0.11237756
      bessel_i1e, BF16:
          7.75 0.1357421875; -8.0 -0.1337890625; 9.98402083170343e-31 4.992010415851715e-31;
          100.5 0.03955078125; 1.0002555517425873e+30 3.9898639947466563e-16;
          0.30078125 0.11279296875
      bessel_i1e, F16:
          7.75 0.1361083984375; -8.0 -0.1341552734375; 100.5 0.039642333984375;
          0.300048828125 0.11236572265625
      erf_inv, F32:
          0.99982804 2.6566033; 0.99999994 3.832507; -0.51544696 -0.4942665;
          1e-30 8.862269e-31; -0.999 -2.3267562
      erf_inv, BF16:
          -0.515625 -0.494140625; 9.98402083170343e-31 8.874685183736383e-31
      erf_inv, F16:
          -0.515625 -0.494384765625; -0.9990234375 -2.33203125
      erfc, F32:
          7.245661 1.2218514e-24; -0.3 1.3286268; 0.4 0.57160765; 1.9045361 0.007072294;
          1e-30 1.0
      erfc, BF16:
          9.1875 1.3407982439066717e-38; 7.25 1.1438356907959836e-24; -0.30078125 1.328125;
          0.400390625 0.5703125; 1.90625 0.00701904296875; 9.98402083170343e-31 1.0
      erfc, F16:
          -0.300048828125 1.3291015625; 0.39990234375 0.57177734375;
          1.904296875 0.007080078125
      zeta, F32:
          11.0 254.48439 8.9515634e-26; 16.0 -9.727262 1.06673856e+09;
          5.0 -10.193197 -3712.7646; 1.0001 1.25 9998.568; 38.0 9.5890875 5.043097e-38;
          2.5 0.001 3.1622774e+07
      zeta, BF16:
          11.0 254.0 9.128067306493372e-26; 16.0 -9.75 4294967296.0; 5.0 -10.1875 -4320.0;
          38.0 9.5625 5.620332364869062e-38; 2.5 0.00099945068359375 31719424.0
      zeta, F16:
          5.0 -10.1953125 -3516.0
      polygamma, F32:
          1.0 0.3 12.245363; 2.0 -0.75 -124.587; 25.0 28.464842 4.097472e-13;
          144.0 57.264297 -7.728511e-06; 6.0 -10.177041 1.3207058e+08;
          3.0 100000.0 2.00003e-15; 30.0 0.9 -6.952526e+33; 200.0 90.0 -1.393739e-18
      polygamma, BF16:
          1.0 0.30078125 12.1875; 2.0 -0.75 -124.5; 25.0 28.5 3.979039320256561e-13;
          144.0 57.25 -7.987022399902344e-06; 6.0 -10.1875 88604672.0;
          3.0 99840.0 2.0122792321330962e-15; 30.0 0.8984375 -7.342232276521905e+33;
          200.0 90.0 -1.395910297075087e-18
      polygamma, F16:
          1.0 0.300048828125 12.2421875; 2.0 -0.75 -124.5625
      """;

  private static Stream<String> rows() {
    return Splitter.onPattern("\n(?=\\S)").omitEmptyStrings().splitToStream(TABLE);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void correctlyRounded(String row) {
    List<String> parts = Splitter.onPattern("[:,]\\s+").trimResults().splitToList(row);
    ElementType type = ElementType.valueOf(parts.get(1));
    double[][] elements =
        Splitter.onPattern(";\\s+")
            .splitToStream(parts.get(2))
            .map(each -> Arrays.stream(each.split("\\s+")).mapToDouble(Double::valueOf).toArray())
            .toArray(double[][]::new);
    List<Literal> columns = new ArrayList<>();
    for (int i = 0; i < elements[0].length; i++) {
      int column = i;
      double[] values = Arrays.stream(elements).mapToDouble(each -> each[column]).toArray();
      columns.add(Accuracy.vector(type, values));
    }
    Literal want = columns.remove(columns.size() - 1);
    HloModule module = module(function(parts.get(0)), columns);
    assertWithMessage(parts.get(0))
        .that(CompositeFunction.of(module.entry().root()).map(CompositeFunction::compositeName))
        .hasValue("chlo." + parts.get(0));
    Literal[] in = columns.toArray(Literal[]::new);
    for (Evaluator each : List.of(Interpreter.reference(), Interpreter.compiled())) {
      assertWithMessage("%s", each).that(each.compile(module).run(in)).isEqualTo(want);
    }
  }

  private static HloModule module(Function<List<XlaOp>, XlaOp> program, List<Literal> operands) {
    XlaBuilder b = new XlaBuilder("function");
    List<XlaOp> parameters = new ArrayList<>();
    for (Literal each : operands) {
      parameters.add(b.parameter(parameters.size(), each.shape(), "p" + parameters.size()));
    }
    return b.build(program.apply(parameters));
  }

  private static Function<List<XlaOp>, XlaOp> function(String name) {
    return switch (name) {
      case "bessel_i1e" -> in -> XlaMath.besselI1e(in.get(0));
      case "digamma" -> in -> XlaMath.digamma(in.get(0));
      case "erf_inv" -> in -> XlaMath.erfInv(in.get(0));
      case "erfc" -> in -> XlaMath.erfc(in.get(0));
      case "lgamma" -> in -> XlaMath.lgamma(in.get(0));
      case "polygamma" -> in -> XlaMath.polygamma(in.get(0), in.get(1));
      case "zeta" -> in -> XlaMath.zeta(in.get(0), in.get(1));
      default -> throw new IllegalArgumentException(name);
    };
  }
}
