package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.dialect.RecordBinding;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The conversion of ops whose result does not depend on the operands alone, such as infeeds and
 * random numbers.
 */
final class ExternalExports {
  private ExternalExports() {}

  static ImmutableList<Value> values(OpExport op, External external) {
    return switch (external) {
      case CustomCall call -> CustomCallExport.values(op, call);
      case Recv recv -> recv(op, recv);
      case Rng rng -> rng(op, rng);
      default -> op.mirrored();
    };
  }

  /** Converts a recv, whose results are those of its {@link org.hlo4j.hlo.op.RecvDone}. */
  private static ImmutableList<Value> recv(OpExport op, Recv recv) {
    List<Type> types =
        ImmutableList.<Type>builder()
            .addAll(ShapeTypes.leaves(recv.shape()))
            .add(Type.TOKEN)
            .build();
    return op.newOperation("stablehlo.recv")
        .withResultTypes(types)
        .with(
            "channel_handle",
            RecordBinding.channel(recv.channelId().orElse(0L), recv.isHostTransfer() ? 3 : 1))
        .with("is_host_transfer", recv.isHostTransfer())
        .emit();
  }

  /** Converts a random number op, which in StableHLO also takes the sizes as an operand. */
  private static ImmutableList<Value> rng(OpExport op, Rng rng) {
    Value sizes = op.constant(AttributeFactory.vector(rng.shape().sizes()));
    return op.mirror(rng).withOperands(op.value(0), op.value(1), sizes).emit();
  }
}
