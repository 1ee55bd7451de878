package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.io.InputStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;

/**
 * Reads and writes XLA's protocol buffers: HloModuleProto, HloProto, HloSnapshot, LiteralProto.
 *
 * <p>Fields that hlo4j does not interpret are kept in {@link HloModule#unknownFields} and the same
 * methods of computations and instructions, and written again. Settings that XLA keeps in the
 * configuration of a module, such as {@code replica_count}, are written in additional fields of
 * hlo4j, which XLA ignores. Other attributes of HLO text without a field in hlo.proto are refused.
 * Ids are kept as they were read if they are unique, because XLA orders by them. A module that is
 * read is not verified; use {@link org.hlo4j.hlo.ir.Verifier}.
 *
 * <p>Every error is an {@link HloException} whose message begins with {@code proto: at byte N in
 * computations[1].instructions[4].shape: …}.
 */
public final class HloProtos {
  private HloProtos() {}

  /**
   * Reads a module from a file: an HloModuleProto, or the HloProto or HloSnapshot around one.
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

  /**
   * Reports the error in bytes of unknown form: if they have computations, they are read as a
   * module.
   */
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
   * Reads a module from a stream, up to its end.
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
   * Reads all bytes of a stream, at most a quarter of the heap, which leaves room for the objects
   * made from them.
   *
   * @param stream the stream
   * @return its bytes
   * @throws IOException if the stream cannot be read
   * @throws HloException if it is larger than the heap allows
   */
  public static byte[] readAll(InputStream stream) throws IOException {
    requireNonNull(stream, "stream");
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
   * Returns how a program that XLA has partitioned shards its parameters and its result.
   *
   * @param module a module that was read from an HloModuleProto
   * @return the sharding of each parameter, and then that of the result; empty if the proto does
   *     not say
   * @throws HloException if one has no form
   */
  public static ImmutableList<Sharding> spmdShardings(HloModule module) {
    requireNonNull(module, "module");
    ProtoMessage rest = ProtoMessage.of("HloModuleProto", module.unknownFields().toBytes());
    return Stream.concat(
            rest.messages("spmd_parameters_shardings").stream(),
            rest.message("spmd_output_sharding").stream())
        .map(Shardings::read)
        .collect(toImmutableList());
  }

  /**
   * Writes a module as an HloModuleProto.
   *
   * @param module the module
   * @return the bytes of the file
   * @throws HloException if it has more than 2^31 bytes
   */
  public static byte[] writeModule(HloModule module) {
    requireNonNull(module, "module");
    return new ModuleWriter(module).write().toBytes();
  }

  /**
   * Writes a module as an HloProto, the form of XLA's dumps.
   *
   * @param module the module
   * @return the bytes of the file
   * @throws HloException if it has more than 2^31 bytes
   */
  public static byte[] writeHloProto(HloModule module) {
    requireNonNull(module, "module");
    return hloProto(module).toBytes();
  }

  private static ProtoBuilder hloProto(HloModule module) {
    return ProtoBuilder.of("HloProto").put("hlo_module", new ModuleWriter(module).write());
  }

  /**
   * Reads a snapshot from a file.
   *
   * @param bytes the whole file, an HloSnapshot
   * @return the snapshot, its module not verified
   * @throws HloException if the bytes are no HloSnapshot
   */
  public static HloSnapshot readSnapshot(byte[] bytes) {
    requireNonNull(bytes, "bytes");
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
   * Writes a snapshot as an HloSnapshot.
   *
   * @param snapshot the snapshot
   * @return the bytes of the file
   * @throws HloException if it has more than 2^31 bytes
   */
  public static byte[] writeSnapshot(HloSnapshot snapshot) {
    requireNonNull(snapshot, "snapshot");
    ProtoBuilder message = ProtoBuilder.of("HloSnapshot").put("hlo", hloProto(snapshot.module()));
    snapshot.arguments().forEach(argument -> message.put("arguments", Literals.write(argument)));
    snapshot.result().ifPresent(result -> message.put("result", Literals.write(result)));
    return message.put("execution_platform", snapshot.executionPlatform()).toBytes();
  }

  /**
   * Reads a literal from a LiteralProto.
   *
   * @param bytes the whole message
   * @return the literal, without layout
   * @throws HloException if the bytes are no LiteralProto
   */
  public static Literal readLiteral(byte[] bytes) {
    requireNonNull(bytes, "bytes");
    return Literals.read(ProtoMessage.of("LiteralProto", bytes));
  }

  /**
   * Writes a literal as a row-major LiteralProto.
   *
   * @param literal the literal
   * @return the bytes of the message
   * @throws HloException if it has more than 2^31 bytes
   */
  public static byte[] writeLiteral(Literal literal) {
    requireNonNull(literal, "literal");
    return Literals.write(literal).toBytes();
  }

  /**
   * Writes the settings of a compilation as a CompileOptionsProto.
   *
   * @param replicas the number of replicas
   * @param partitions the number of partitions
   * @param deviceIds the id of the device of each partition of each replica; empty for XLA's choice
   * @param isShardy whether Shardy partitions the program, not GSPMD
   * @param flags values of XLA's flags by name, each a String, Boolean, Long or Double
   * @return the bytes of the message
   * @throws HloException if there are more or fewer ids than devices, or a flag has a value of
   *     another type
   */
  public static byte[] writeCompileOptions(
      int replicas,
      int partitions,
      ImmutableList<ImmutableList<Integer>> deviceIds,
      boolean isShardy,
      ImmutableMap<String, Object> flags) {
    requireNonNull(deviceIds, "deviceIds");
    requireNonNull(flags, "flags");
    return CompileOptions.write(replicas, partitions, deviceIds, isShardy, flags).toBytes();
  }

  /**
   * Prints a protocol buffer as text for people, one field per line; long fields are truncated.
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
