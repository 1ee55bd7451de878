package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.pjrt.PjrtBuffer;
import org.hlo4j.pjrt.PjrtClient;
import org.hlo4j.pjrt.PjrtExecutable;
import org.hlo4j.pjrt.PjrtPlugin;
import org.hlo4j.pjrt.PjrtScope;

/**
 * Fits a line through points on a device of a PJRT plugin. The weights stay on the device from step
 * to step; only the loss comes back, and the weights at the end.
 *
 * <p>The argument is the plugin: {@code cpu}, {@code cuda}, {@code tpu} or a file.
 */
public final class TrainOnXla {
  private static final int POINTS = 64;
  private static final int STEPS = 40;

  private TrainOnXla() {}

  /** One step of gradient descent: (weights, x, y) to (next weights, loss). */
  static HloModule step() {
    XlaBuilder b = new XlaBuilder("step");
    XlaOp weights = b.parameter(0, Shape.of(F32, 3), "weights");
    XlaOp x = b.parameter(1, Shape.of(F32, POINTS, 3), "x");
    XlaOp y = b.parameter(2, Shape.of(F32, POINTS), "y");

    XlaOp error = x.dot(weights).sub(y);
    XlaOp loss = error.dot(error).div(POINTS);
    XlaOp gradient = error.dot(x).mul(2.0 / POINTS);
    return b.build(b.tuple(weights.sub(gradient.mul(0.3)), loss));
  }

  static void main(String[] args) {
    try (PjrtScope scope = new PjrtScope()) {
      PjrtClient client = scope.add(PjrtPlugin.find(args.length > 0 ? args[0] : "cpu").client());
      IO.println("on " + client.devices().get(0));
      PjrtExecutable step = scope.add(client.compile(step()));

      Random random = new Random(1);
      LiteralBuilder points = new LiteralBuilder(Shape.of(F32, POINTS, 3));
      LiteralBuilder values = new LiteralBuilder(Shape.of(F32, POINTS));
      for (int i = 0; i < POINTS; i++) {
        double x0 = random.nextDouble(-1, 1);
        double x1 = random.nextDouble(-1, 1);
        points.setDouble(3 * i, x0);
        points.setDouble(3 * i + 1, x1);
        points.setDouble(3 * i + 2, 1);
        values.setDouble(i, 2 * x0 - x1 + 0.5);
      }
      PjrtBuffer x = scope.add(client.buffer(points.build()));
      PjrtBuffer y = scope.add(client.buffer(values.build()));

      PjrtBuffer weights = client.buffer(Literal.zeros(Shape.of(F32, 3)));
      for (int i = 0; i <= STEPS; i++) {
        List<PjrtBuffer> result = step.execute(List.of(weights, x, y));
        weights.close();
        weights = result.get(0);
        try (PjrtBuffer loss = result.get(1)) {
          if (i % 10 == 0) {
            double value = loss.toLiteral().getDouble();
            IO.println(String.format(Locale.ROOT, "step %2d: loss %.6f", i, value));
          }
        }
      }
      IO.println("weights " + scope.add(weights).toLiteral());
    }
  }
}
