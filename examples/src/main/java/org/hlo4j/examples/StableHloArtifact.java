package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import java.util.Optional;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.vhlo.Version;

/**
 * A program built in Java, written as StableHLO text and as a portable artifact, which JAX, IREE
 * and other consumers of StableHLO read.
 */
public final class StableHloArtifact {
  private StableHloArtifact() {}

  /** The exact form of GELU: x / 2 * (1 + erf(x / sqrt(2))). */
  static HloModule gelu() {
    XlaBuilder b = new XlaBuilder("gelu");
    XlaOp x = b.parameter(0, Shape.of(F32, 4), "x");
    XlaOp inner = x.mul(b.constant((float) Math.sqrt(0.5))).erf().add(b.constant(1f));
    return b.build(x.mul(b.constant(0.5f)).mul(inner));
  }

  static void main() {
    Operation module = StableHlo.fromHlo(gelu());
    IO.print(StableHlo.print(module));
    byte[] artifact = StableHlo.toArtifact(module, Optional.of(Version.parse("1.0.0")));
    IO.println("an artifact of " + artifact.length + " bytes; it computes");
    HloModule again = StableHlo.toHlo(StableHlo.readAll(artifact).get(0));
    Literal x = Literal.of(new float[] {-1, 0, 1, 2});
    IO.println(Interpreter.reference().run(again, x));
  }
}
