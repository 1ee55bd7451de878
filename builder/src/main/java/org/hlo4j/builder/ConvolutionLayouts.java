package org.hlo4j.builder;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;

/** Adds to the error of a convolution the assumed dimension order, and one that would be valid. */
final class ConvolutionLayouts {
  private static final int MAX_SPATIAL = 10;

  private ConvolutionLayouts() {}

  static HloException told(HloException refusal, Convolution convolution, Shape lhs, Shape kernel) {
    HloException told = refusal.with("layout", "layout " + convolution.dimLabels());
    int spatial = convolution.window().rank();
    Optional<String> fit =
        spatial > MAX_SPATIAL
            ? Optional.empty()
            : usual("0123456789".substring(0, spatial))
                .filter(labels -> fits(convolution, labels, lhs, kernel))
                .findFirst();
    return fit.map(labels -> told.with("fits", "fits: conv(kernel, window, \"" + labels + "\")"))
        .orElse(told);
  }

  /** NHWC first. */
  private static Stream<String> usual(String spatial) {
    return Stream.of("b" + spatial + "f", "bf" + spatial)
        .flatMap(image ->
            List.of(spatial + "io", "oi" + spatial, "o" + spatial + "i").stream()
                .map(kernel -> image + "_" + kernel + "->" + image));
  }

  private static boolean fits(Convolution convolution, String labels, Shape lhs, Shape kernel) {
    try {
      Shape _ =
          convolution
              .withDimensionNumbers(ConvolutionDimensionNumbers.parse(labels))
              .infer(lhs, kernel);
      return true;
    } catch (HloException refused) {
      return false;
    }
  }
}
