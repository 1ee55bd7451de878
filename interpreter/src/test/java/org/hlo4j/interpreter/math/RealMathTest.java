package org.hlo4j.interpreter.math;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * A row is arguments, then the result.
 *
 * <p>The results in the text blocks are the real ones, of 400 bits, rounded once.
 */
final class RealMathTest {
  private static final double NAN = Double.NaN;
  private static final double INF = Double.POSITIVE_INFINITY;
  private static final double MIN = Double.MIN_VALUE;
  private static final double MAX = Double.MAX_VALUE;

  @Test
  void edges() {
    exactly("erf", RealMath::erf, 0, 0, -0.0, -0.0, MIN, MIN, 6, 1, -6, -1, INF, 1, -INF, -1);
    exactly("sinh", RealMath::sinh, 0, 0, -0.0, -0.0, MIN, MIN, -MIN, -MIN, 711, INF, -INF, -INF);
    exactly(
        "cosh", RealMath::cosh, 0, 1, -0.0, 1, MIN, 1, 711, INF, -711, INF, INF, INF, -INF, INF);
    exactly("tanh", RealMath::tanh, 0, 0, -0.0, -0.0, MIN, MIN, 23, 1, -23, -1, INF, 1, -INF, -1);
    exactly("asinh", RealMath::asinh, 0, 0, -0.0, -0.0, MIN, MIN, INF, INF, -INF, -INF);
    exactly("acosh", RealMath::acosh, 1, 0, INF, INF, 0, NAN, 0.99, NAN, -1, NAN, -INF, NAN);
    exactly("atanh", RealMath::atanh, 0, 0, -0.0, -0.0, -MIN, -MIN, 1, INF, -1, -INF, 1.01, NAN);
    exactly("atanh", RealMath::atanh, INF, NAN, -INF, NAN, -1.01, NAN);
    exactly("logistic", RealMath::logistic, 0, 0.5, -0.0, 0.5, INF, 1, -INF, 0, 800, 1, -800, 0);
    exactly(
        "rsqrt", RealMath::rsqrt, 0, INF, -0.0, -INF, INF, 0, -1, NAN, -INF, NAN, 0.25, 2, 1, 1);
  }

  @Test
  void nanStays() {
    exactly("erf", RealMath::erf, NAN, NAN);
    exactly("sinh", RealMath::sinh, NAN, NAN);
    exactly("cosh", RealMath::cosh, NAN, NAN);
    exactly("tanh", RealMath::tanh, NAN, NAN);
    exactly("asinh", RealMath::asinh, NAN, NAN);
    exactly("acosh", RealMath::acosh, NAN, NAN);
    exactly("atanh", RealMath::atanh, NAN, NAN);
    exactly("logistic", RealMath::logistic, NAN, NAN);
    exactly("rsqrt", RealMath::rsqrt, NAN, NAN);
  }

  @Test
  void sign() {
    exactly("sign", RealMath::sign, 3, 1, -MIN, -1, 0, 0, -0.0, -0.0, INF, 1, -INF, -1, NAN, NAN);
  }

  @Test
  void roundNearestAfz() {
    exactly("afz", RealMath::roundNearestAfz, 0.5, 1, -0.5, -1, 1.5, 2, 2.5, 3, -2.5, -3, 2.4, 2);
    exactly("afz", RealMath::roundNearestAfz, 0, 0, -0.0, -0.0, 0.3, 0, -0.3, -0.0, 0x1p52, 0x1p52);
    exactly("afz", RealMath::roundNearestAfz, 0.49999997f, 0, 0x1.fffffffffffffp-2, 0);
    exactly("afz", RealMath::roundNearestAfz, 0x1.fffffffffffffp51, 0x1p52, MAX, MAX, -MAX, -MAX);
    exactly("afz", RealMath::roundNearestAfz, 0x1.0000000000001p52, 0x1.0000000000001p52);
    exactly("afz", RealMath::roundNearestAfz, INF, INF, -INF, -INF, NAN, NAN);
  }

  @Test
  void roundNearestEven() {
    exactly("even", RealMath::roundNearestEven, 0.5, 0, -0.5, -0.0, 1.5, 2, 2.5, 2, -2.5, -2);
    exactly("even", RealMath::roundNearestEven, 0, 0, -0.0, -0.0, MAX, MAX, INF, INF, NAN, NAN);
  }

  @Test
  void remainder() {
    exactly(
        "remainder", RealMath::remainder, 7, 3, 1, -7, 3, -1, 7, -3, 1, -7, -3, -1, -6, 3, -0.0);
    exactly("remainder", RealMath::remainder, 1, 0, NAN, INF, 1, NAN, 5, INF, 5, -0.0, 1, -0.0);
  }

  @Test
  void maximumAndMinimum() {
    exactly(
        "maximum", RealMath::maximum, 1, 2, 2, -0.0, 0, 0, 0, -0.0, 0, 1, NAN, NAN, NAN, 1, NAN);
    exactly("minimum", RealMath::minimum, 1, 2, 1, -0.0, 0, -0.0, 0, -0.0, -0.0, 1, NAN, NAN);
    exactly("minimum", RealMath::minimum, NAN, -INF, NAN);
  }

  @Test
  void pow() {
    exactly("pow", RealMath::pow, 0, 0, 1, NAN, 0, 1, INF, 0, 1, 1, NAN, 1, 1, INF, 1, NAN, 1, NAN);
    exactly("pow", RealMath::pow, -1, INF, 1, -1, -INF, 1, -1, NAN, NAN, -8, 1.0 / 3, NAN, 2, 3, 8);
    exactly(
        "pow", RealMath::pow, -0.0, -3, -INF, -0.0, 3, -0.0, 0, -2, INF, -2, 3, -8, 2, -1074, MIN);
    exactly("pow", RealMath::pow, 0.5, INF, 0, 0.5, -INF, INF, -INF, 3, -INF, -INF, -3, -0.0);
  }

  @Test
  void totalOrder() {
    double negativeNaN = Double.longBitsToDouble(0xfff8000000000000L);
    double[] ascending = {negativeNaN, -INF, -MAX, -1, -MIN, -0.0, 0, MIN, 1, MAX, INF, NAN};
    for (int i = 0; i < ascending.length; i++) {
      for (int j = 0; j < ascending.length; j++) {
        assertWithMessage("%s and %s", ascending[i], ascending[j])
            .that(RealMath.totalOrderCompare(ascending[i], ascending[j]))
            .isEqualTo(Integer.compare(i, j));
      }
    }
  }

  @Test
  void expTimesIsFiniteWhereTheProductIs() {
    exactly("expTimes", RealMath::expTimes, 0, 3, 3, INF, 0, 0, INF, -0.0, -0.0, -INF, 5, 0);
    exactly("expTimes", RealMath::expTimes, INF, -1, -INF, 800, 1, INF, -800, 1, 0, NAN, 1, NAN);
    within2Ulp(
        "expTimes",
        x -> RealMath.expTimes(x, 1e-300),
        """
        600.0 3.77302030092994e-40    699.9 9177.151136957067
        700.0 10142.320547350046    750.5 8.669791802357053e+25
        1000.0 1.970071114017047e+134    1399.0 3.784253163459234e+307
        """);
    within2Ulp(
        "expTimes",
        x -> RealMath.expTimes(x, 1e300),
        """
        -600.0 2.650396553004311e+39    -699.9 0.00010896627777796163
        -700.0 9.859676543759771e-05    -750.5 1.153430235462091e-26
        -1000.0 5.075958897549457e-135    -1399.0 2.6425293361871366e-308
        """);
  }

  @Test
  void erf() {
    within2Ulp(
        "erf",
        RealMath::erf,
        """
        5e-324 5e-324    1e-310 1.1283791670955e-310
        1e-300 1.1283791670955126e-300    1e-08 1.1283791670955126e-08
        0.0625 0.07043197772238707    0.12499999999999999 0.1403162048013338
        0.125 0.1403162048013338    0.1250001 0.1403163158898594
        0.2215997040144977 0.2460150927316578    0.34 0.3693645293446587
        0.5 0.5204998778130465    -0.7 -0.6778011938374184
        0.84375 0.7672256612323416    1.0 0.8427007929497149
        1.9 0.9927904292352575    2.0 0.9953222650189527
        3.3 0.9999969422902035    4.7 0.9999999999700474
        5.5 0.9999999999999927    5.9 0.9999999999999999
        """);
  }

  @Test
  void sinh() {
    within2Ulp(
        "sinh",
        RealMath::sinh,
        """
        1e-310 1e-310    1e-09 1e-09
        4e-09 4e-09    1e-05 1.0000000000166668e-05
        0.01 0.010000166667500003    0.1 0.10016675001984403
        0.25 0.2526123168081683    -0.47228144937158234 -0.4900353417701064
        0.5 0.5210953054937474    0.78 0.8615331270964888
        1.0 1.1752011936438014    1.7 2.6456319338372323
        3.0 10.017874927409903    10.0 11013.232874703393
        21.9 1621881641.7888238    22.1 1980970710.6902199
        -50.0 -2.592352764293536e+21    700.5 8.360929810337492e+303
        709.9 1.010701028059782e+308    710.47 1.7871893267684048e+308
        """);
  }

  @Test
  void cosh() {
    within2Ulp(
        "cosh",
        RealMath::cosh,
        """
        1e-09 1.0    4e-09 1.0
        1e-05 1.00000000005    0.01 1.0000500004166681
        0.1 1.0050041680558035    0.25 1.0314130998795732
        0.35 1.0618778191559852    0.5 1.1276259652063807
        0.78 1.3199391384017123    1.0 1.5430806348152437
        1.7 2.828315457889967    -2.471600469699709 5.962916530540076
        3.0 10.067661995777765    10.0 11013.232920103323
        21.9 1621881641.7888238    22.1 1980970710.6902199
        50.0 2.592352764293536e+21    700.5 8.360929810337492e+303
        709.9 1.010701028059782e+308    710.47 1.7871893267684048e+308
        """);
  }

  @Test
  void tanh() {
    within2Ulp(
        "tanh",
        RealMath::tanh,
        """
        1e-310 1e-310    1e-09 1e-09
        4e-09 4e-09    1e-05 9.999999999666668e-06
        0.01 0.00999966667999946    -0.12230281165518658 -0.12169663734239786
        0.25 0.24491866240370913    0.34 0.32747739480870536
        0.5357297618061088 0.48974875551824765    0.55 0.5005202111902353
        0.78 0.65270670596199    1.0 0.7615941559557649
        1.7 0.935409070603099    3.0 0.9950547536867305
        5.0 0.9999092042625951    10.0 0.9999999958776927
        15.0 0.9999999999998128    19.0 0.9999999999999999
        21.9 1.0    -22.1 -1.0
        """);
  }

  @Test
  void asinh() {
    within2Ulp(
        "asinh",
        RealMath::asinh,
        """
        1e-310 1e-310    1e-09 1e-09
        3.7e-09 3.7e-09    4e-09 4e-09
        1e-05 9.999999999833334e-06    0.01 0.009999833340832888
        0.25 0.24746646154726346    0.34304108612672124 0.33664623210111017
        0.5 0.48121182505960347    -0.75 -0.6931471805599453
        1.0 0.881373587019543    2.0 1.4436354751788103
        10.0 2.99822295029797    10000.0 9.903487555036127
        268000000.0 20.099644719035076    269000000.0 20.103369118126057
        1e+20 46.74484904044086    -1e+154 -355.291251501643
        1e+200 461.2101657793691    1.7976931348623157e+308 710.475860073944
        """);
  }

  @Test
  void acosh() {
    within2Ulp(
        "acosh",
        RealMath::acosh,
        """
        1.0000000000000002 2.1073424255447014e-08    1.000000000001 1.4142764231805424e-06
        1.0000001 0.0004472135919037347    1.001 0.04471763360830685
        1.0304085649299146 0.24599060581265175    1.058704861759374 0.34099651145910237
        1.25 0.6931471805599453    1.5 0.9624236501192069
        2.0 1.3169578969248168    2.5 1.566799236972411
        3.0 1.762747174039086    10.0 2.993222846126381
        1000.0 7.600902209541989    1000000.0 14.508657738523969
        268000000.0 20.099644719035076    269000000.0 20.103369118126057
        1e+20 46.74484904044086    1e+155 357.593836594637
        1e+308 709.889355822726    1.7976931348623157e+308 710.475860073944
        """);
  }

  @Test
  void atanh() {
    within2Ulp(
        "atanh",
        RealMath::atanh,
        """
        1e-310 1e-310    1e-09 1e-09
        3.7e-09 3.7e-09    4e-09 4e-09
        1e-05 1.0000000000333334e-05    0.01 0.010000333353334763
        0.1 0.10033534773107558    -0.23154260544740962 -0.23581884582707607
        0.25 0.25541281188299536    0.33 0.3428282544153939
        0.5 0.5493061443340549    0.66 0.7928136318701909
        0.75 0.9729550745276566    0.9 1.4722194895832204
        0.99 2.6466524123622457    0.999 3.8002011672501994
        0.99999 6.1030338227611125    0.9999999999 11.859499013855018
        0.999999999999999 17.616361586450413    0.9999999999999999 18.714973875118524
        """);
  }

  @Test
  void logistic() {
    within2Ulp(
        "logistic",
        RealMath::logistic,
        """
        -745.0 5e-324    -740.0 4.2e-322
        -709.0 1.216780750623423e-308    -700.0 9.85967654375977e-305
        -100.0 3.720075976020836e-44    -50.0 1.9287498479639178e-22
        -37.0 8.533047625744065e-17    -20.0 2.0611536181902037e-09
        -2.723024136917343 0.06162834751491693    -1.0 0.2689414213699951
        -1e-10 0.499999999975    1e-300 0.5
        0.5 0.6224593312018546    1.0 0.7310585786300049
        3.0 0.9525741268224333    10.0 0.9999546021312976
        30.0 0.9999999999999064    36.0 0.9999999999999998
        37.0 0.9999999999999999    40.0 1.0
        """);
  }

  @Test
  void rsqrt() {
    within2Ulp(
        "rsqrt",
        RealMath::rsqrt,
        """
        5e-324 4.4989137945431964e+161    1e-320 1.0000055664551363e+160
        2.2250738585072014e-308 6.703903964971299e+153    1e-300 1e+150
        1e-271 3.162277660168379e+135    1e-100 1e+50
        1e-10 100000.0    0.1 3.162277660168379
        0.3 1.8257418583505538    0.9999999999999999 1.0
        1.0000000000000002 0.9999999999999999    2.0 0.7071067811865476
        3.0 0.5773502691896257    5.0 0.4472135954999579
        7.0 0.37796447300922725    10.0 0.31622776601683794
        10000000000.0 1e-05    1e+100 1e-50
        1e+300 1e-150    1.7976931348623157e+308 7.458340731200207e-155
        """);
  }

  private static void exactly(String name, DoubleUnaryOperator function, double... rows) {
    for (int i = 0; i < rows.length; i += 2) {
      assertWithMessage("%s(%s)", name, rows[i])
          .that(function.applyAsDouble(rows[i]))
          .isEqualTo(rows[i + 1]);
    }
  }

  private static void exactly(String name, DoubleBinaryOperator function, double... rows) {
    for (int i = 0; i < rows.length; i += 3) {
      assertWithMessage("%s(%s, %s)", name, rows[i], rows[i + 1])
          .that(function.applyAsDouble(rows[i], rows[i + 1]))
          .isEqualTo(rows[i + 2]);
    }
  }

  private static void within2Ulp(String name, DoubleUnaryOperator function, String pairs) {
    double[] numbers =
        Arrays.stream(pairs.split("\\s+")).mapToDouble(Double::parseDouble).toArray();
    for (int i = 0; i < numbers.length; i += 2) {
      assertWithMessage("%s(%s)", name, numbers[i])
          .that(function.applyAsDouble(numbers[i]))
          .isWithin(2 * Math.ulp(numbers[i + 1]))
          .of(numbers[i + 1]);
    }
  }
}
