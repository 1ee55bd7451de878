package org.hlo4j.pjrt.form;

import static java.util.stream.Collectors.joining;

import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * A program as it goes to a plugin: a portable artifact of StableHLO, which every plugin reads, or
 * else, where StableHLO lacks something, an HloModuleProto.
 *
 * @param format the name of the format: {@link #MLIR} or {@link #HLO}
 * @param code the bytes
 * @param reason why it has this form, for people
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record ProgramForm(String format, byte[] code, String reason) {
  /** The format of StableHLO. */
  public static final String MLIR = "mlir";

  /** The format of an HloModuleProto. */
  public static final String HLO = "hlo";

  /**
   * Returns the form of a module for a plugin. The program takes the arrays in the module's
   * arguments, and gives those in its result. That of one partition, which partitioners have to
   * leave as it is, goes as HLO, since StableHLO drops the shardings of tuples, and XLA then ends
   * the process.
   *
   * @param module a module with static shapes
   * @param reader what the plugin reads
   * @param isOfPartition whether it is the program of one of several partitions
   * @return the form
   * @throws HloException if the module is not valid; of kind {@code UNSUPPORTED} if no format
   *     carries it, with what StableHLO lacks
   */
  public static ProgramForm of(HloModule module, ProgramReader reader, boolean isOfPartition) {
    Verifier.lenient().verify(module);
    refuseQueues(module);
    HloModule known = OlderForm.of(FlatEntry.of(module), reader.written());
    if (isOfPartition) {
      String reason = "the program of one partition, in which StableHLO drops shardings of tuples";
      return hlo(DeviceProgram.asManual(plain(known)), reader, reason);
    }
    Optional<String> smallest =
        module
            .instructions()
            .filter(ProgramForm::takesSmallest)
            .map(ProgramForm::named)
            .findFirst();
    if (smallest.isPresent()) {
      return hlo(known, reader, "StableHLO takes only the largest, not " + smallest.get());
    }
    try {
      Operation exported = StableHlo.fromHlo(known);
      byte[] code =
          reader.stableHlo().isPresent()
              ? StableHlo.toArtifactFor(exported, reader.written())
              : StableHlo.toArtifact(exported, Optional.of(reader.written()));
      return new ProgramForm(MLIR, code, reader.describe());
    } catch (HloException lacking) {
      requireLacking(lacking);
      return hlo(known, reader, lacking.summary());
    }
  }

  /**
   * Returns a module as an HloModuleProto, whatever it is, so that the plugin judges it.
   *
   * @param module the module, which may be invalid
   * @return the form
   * @throws HloException if the proto has no place for some of it
   */
  public static ProgramForm unverified(HloModule module) {
    return new ProgramForm(HLO, HloProtos.writeModule(module), "not verified");
  }

  /**
   * Reads the program back, for the shapes that a plugin does not tell.
   *
   * @return the program
   * @throws HloException if hlo4j does not read it; of kind {@code UNSUPPORTED} for another format
   */
  public HloModule read() {
    return switch (format) {
      case MLIR -> StableHlo.toHlo(StableHlo.readAll(code).get(0));
      case HLO -> HloProtos.readModule(code);
      default -> untold();
    };
  }

  /**
   * Reads what a plugin made of a program.
   *
   * @param format {@code hlo}, or {@code hlo_with_config}, which has the module in its first field,
   *     as an HloProto has
   * @param code the bytes
   * @return the module, not verified
   * @throws HloException if it has another format, or cannot be read
   */
  public static HloModule optimized(String format, byte[] code) {
    HloException.require(
        format.matches("hlo(_with_config)?"),
        Kind.UNSUPPORTED,
        "pjrt: the optimized program has the format %s, want hlo or hlo_with_config",
        format);
    return HloProtos.readModule(code);
  }

  /**
   * Refuses a program of which nothing tells the shapes, neither the plugin nor its form.
   *
   * @return never
   * @throws HloException of kind {@code UNSUPPORTED}
   */
  @SuppressWarnings("DoNotCallSuggester") // stands where a module is wanted
  public static HloModule untold() {
    throw new HloException(
        Kind.UNSUPPORTED,
        "pjrt: the plugin does not give its optimized programs, want one that does: nothing else"
            + " tells what arguments this one takes");
  }

  private static ProgramForm hlo(HloModule module, ProgramReader reader, String reason) {
    if (!reader.readsHlo()) {
      throw new HloException(Kind.UNSUPPORTED, "pjrt: the plugin takes StableHLO only; " + reason);
    }
    try {
      return new ProgramForm(HLO, HloProtos.writeModule(InputForm.of(module)), reason);
    } catch (HloException lacking) {
      throw new HloException(
          Kind.UNSUPPORTED, "pjrt: " + reason + "; as HLO: " + lacking.summary());
    }
  }

  /**
   * Returns a module as StableHLO has it, without fusions, layouts, and the bitcasts that go by
   * them; itself if StableHLO lacks something.
   */
  private static HloModule plain(HloModule module) {
    try {
      return StableHlo.toHlo(StableHlo.fromHlo(module));
    } catch (HloException lacking) {
      requireLacking(lacking);
      return module;
    }
  }

  private static void requireLacking(HloException refusal) {
    if (refusal.kind() != Kind.UNSUPPORTED) {
      throw refusal;
    }
  }

  /** Refuses what waits for the host, to which PJRT's interface has no queues: it never ends. */
  private static void refuseQueues(HloModule module) {
    String waiting =
        module
            .instructions()
            .filter(ProgramForm::waitsForHost)
            .map(ProgramForm::named)
            .collect(joining(", "));
    HloException.require(
        waiting.isEmpty(),
        Kind.UNSUPPORTED,
        "pjrt: got %s, want a program without queues to the host, which plugins do not have",
        waiting);
  }

  private static String named(HloInstruction instruction) {
    return instruction.op().opcode() + " %" + instruction.name();
  }

  private static boolean takesSmallest(HloInstruction instruction) {
    return instruction.op() instanceof Topk topk && !topk.largest();
  }

  private static boolean waitsForHost(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Infeed _, Outfeed _ -> true;
      case Send send -> send.isHostTransfer();
      case Recv recv -> recv.isHostTransfer();
      default -> false;
    };
  }

  /** Returns the format and the reason. */
  @Override
  public String toString() {
    return format + ": " + reason;
  }
}
