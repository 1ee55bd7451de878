package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import java.io.IOException;
import java.io.InputStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;

/**
 * Reads and writes XLA's protocol buffers: HloModuleProto, HloProto, HloSnapshot, LiteralProto.
 *
 * <p>What hlo4j does not interpret is kept in {@link HloModule#unknownFields} and its like, and
 * written again. What XLA keeps in the configuration of a module, such as {@code replica_count}, is
 * written in fields of hlo4j's own, which XLA passes over. Other attributes of HLO text that
 * hlo.proto has no field for are refused. Ids that were read are kept as long as each is there
 * once, for XLA orders by them. A module that is read is not verified: that is {@link
 * org.hlo4j.hlo.ir.Verifier}'s.
 *
 * <p>Every refusal is an {@link HloException} that begins with {@code proto: at byte N in
 * computations[1].instructions[4].shape: …}.
 */
public final class HloProtos {
  private HloProtos() {}

  /**
   * The module of a file: an HloModuleProto, or the HloProto or HloSnapshot around one.
   *
   * @param bytes the whole file
   * @return the module, not verified
   * @throws HloException if the bytes are none of these
   */
  public static HloModule readModule(byte[] bytes) {
    return switch (ProtoForm.of(bytes)) {
      case MODULE -> module(ProtoMessage.of("HloModuleProto", bytes));
      case HLO -> hlo(ProtoMessage.of("HloProto", bytes));
      case SNAPSHOT -> readSnapshot(bytes).module();
      case OTHER -> other(ProtoMessage.of("HloModuleProto", bytes));
    };
  }

  /** Says where a message is wrong that is most likely a module. */
  private static HloModule other(ProtoMessage message) {
    if (message.count("computations") > 0) {
      return module(message);
    }
    throw notModule(message);
  }

  private static HloException notModule(ProtoMessage message) {
    return message.refusal(
        "got a message without whole computations, want an HloModuleProto, HloProto or"
            + " HloSnapshot");
  }

  /**
   * The module of a stream, read to its end.
   *
   * @param stream the stream
   * @return the module, not verified
   * @throws IOException if the stream cannot be read
   * @throws HloException if it is no module, or larger than the heap allows
   */
  public static HloModule readModule(InputStream stream) throws IOException {
    return readModule(readAll(stream));
  }

  /**
   * All bytes of a stream, of a quarter of the heap at most, which leaves room for what is made of
   * them.
   *
   * @param stream the stream
   * @return its bytes
   * @throws IOException if the stream cannot be read
   * @throws HloException if it is larger than the heap allows
   */
  public static byte[] readAll(InputStream stream) throws IOException {
    int most = (int) Math.min(Integer.MAX_VALUE - 16, Runtime.getRuntime().maxMemory() / 4);
    try {
      byte[] bytes = stream.readNBytes(most + 1);
      require(bytes.length <= most, "", "file: got more than %s bytes, want a larger -Xmx", most);
      return bytes;
    } catch (OutOfMemoryError full) {
      throw new HloException("", "file: the heap has no room for its bytes, want a larger -Xmx");
    }
  }

  private static HloModule module(ProtoMessage message) {
    return new ModuleReader(message).read();
  }

  private static HloModule hlo(ProtoMessage message) {
    return module(
        message
            .message("hlo_module")
            .orElseThrow(() -> message.refusal("got no hlo_module, want one")));
  }

  /**
   * A module as an HloModuleProto.
   *
   * @param module the module
   * @return the bytes of the file
   * @throws HloException if it has more than 2^31 bytes
   */
  public static byte[] writeModule(HloModule module) {
    return new ModuleWriter(module).write().toBytes();
  }

  /**
   * A module as an HloProto, which is how XLA dumps one.
   *
   * @param module the module
   * @return the bytes of the file
   * @throws HloException if it has more than 2^31 bytes
   */
  public static byte[] writeHloProto(HloModule module) {
    return hloProto(module).toBytes();
  }

  private static ProtoBuilder hloProto(HloModule module) {
    return ProtoBuilder.of("HloProto").put("hlo_module", new ModuleWriter(module).write());
  }

  /**
   * The snapshot of a file.
   *
   * @param bytes the whole file, an HloSnapshot
   * @return the snapshot, its module not verified
   * @throws HloException if the bytes are no HloSnapshot
   */
  public static HloSnapshot readSnapshot(byte[] bytes) {
    ProtoMessage message = ProtoMessage.of("HloSnapshot", bytes);
    return new HloSnapshot(
        hlo(
            message
                .message("hlo")
                .orElseThrow(() -> message.refusal("got no hlo, want a snapshot with a module"))),
        message.messages("arguments").stream().map(Literals::read).collect(toImmutableList()),
        message.message("result").map(Literals::read),
        message.string("execution_platform"));
  }

  /**
   * A snapshot as an HloSnapshot.
   *
   * @param snapshot the snapshot
   * @return the bytes of the file
   * @throws HloException if it has more than 2^31 bytes
   */
  public static byte[] writeSnapshot(HloSnapshot snapshot) {
    ProtoBuilder message = ProtoBuilder.of("HloSnapshot").put("hlo", hloProto(snapshot.module()));
    snapshot.arguments().forEach(argument -> message.put("arguments", Literals.write(argument)));
    snapshot.result().ifPresent(result -> message.put("result", Literals.write(result)));
    return message.put("execution_platform", snapshot.executionPlatform()).toBytes();
  }

  /**
   * The literal of a LiteralProto.
   *
   * @param bytes the whole message
   * @return the literal, without layout
   * @throws HloException if the bytes are no LiteralProto
   */
  public static Literal readLiteral(byte[] bytes) {
    return Literals.read(ProtoMessage.of("LiteralProto", bytes));
  }

  /**
   * A literal as a LiteralProto, row-major.
   *
   * @param literal the literal
   * @return the bytes of the message
   * @throws HloException if it has more than 2^31 bytes
   */
  public static byte[] writeLiteral(Literal literal) {
    return Literals.write(literal).toBytes();
  }

  /**
   * A proto as text, a field a line, for reading by eye; long fields are cut short.
   *
   * @param bytes the whole file: an HloModuleProto, an HloProto or an HloSnapshot
   * @return the text
   * @throws HloException if the bytes are none of these
   */
  public static String print(byte[] bytes) {
    return switch (ProtoForm.of(bytes)) {
      case MODULE -> ProtoText.print(ProtoMessage.of("HloModuleProto", bytes));
      case HLO -> ProtoText.print(ProtoMessage.of("HloProto", bytes));
      case SNAPSHOT -> ProtoText.print(ProtoMessage.of("HloSnapshot", bytes));
      case OTHER -> throw notModule(ProtoMessage.of("HloModuleProto", bytes));
    };
  }
}
