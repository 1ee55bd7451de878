package org.hlo4j.pjrt.ffi;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Shape;
import org.hlo4j.pjrt.binding.StructLayout;

/** A call that a plugin makes: an {@code XLA_FFI_CallFrame}. */
final class Frame {
  private static final StructLayout FRAME = Memory.TABLE.struct("XLA_FFI_CallFrame");
  private static final StructLayout.Field SIZE = FRAME.field("struct_size");
  private static final StructLayout.Field EXTENSIONS = FRAME.field("extension_start");
  private static final StructLayout.Field API = FRAME.field("api");
  private static final StructLayout.Field STAGE = FRAME.field("stage");
  private static final long ARGUMENTS = FRAME.field("args").offset();
  private static final long RESULTS = FRAME.field("rets").offset();
  private static final long ATTRIBUTES = FRAME.field("attrs").offset();

  /** The last version of the interface without further fields has this size. */
  private static final long LEAST = FRAME.field("future").offset();

  private static final int EXECUTE =
      Memory.TABLE.constant("XLA_FFI_ExecutionStage", "EXECUTE").orElseThrow().value();

  private static final StructLayout EXTENSION = Memory.TABLE.struct("XLA_FFI_Extension_Base");
  private static final StructLayout METADATA_EXTENSION =
      Memory.TABLE.struct("XLA_FFI_Metadata_Extension");

  /** XLA_FFI_Extension_Metadata. */
  private static final int METADATA_TYPE = 1;

  private static final StructLayout.Field METADATA_VERSION =
      Memory.TABLE.struct("XLA_FFI_Metadata").field("api_version");
  private static final StructLayout.Field API_VERSION =
      Memory.TABLE.struct("XLA_FFI_Api").field("api_version");
  private static final StructLayout VERSION = Memory.TABLE.struct("XLA_FFI_Api_Version");
  private static final StructLayout.Field MAJOR = VERSION.field("major_version");
  private static final StructLayout.Field MINOR = VERSION.field("minor_version");

  /** Args and Rets have the same fields. */
  private static final StructLayout ARGS = Memory.TABLE.struct("XLA_FFI_Args");

  private static final StructLayout.Field COUNT = ARGS.field("size");
  private static final StructLayout.Field KINDS = ARGS.field("types");
  private static final StructLayout.Field POINTERS = ARGS.field("args");
  private static final int BUFFER =
      Memory.TABLE.constant("XLA_FFI_ArgType", "BUFFER").orElseThrow().value();

  private final long address;

  Frame(long address) {
    this.address = address;
  }

  /** Returns the table of functions that the plugin gives to handlers. */
  long api() {
    return Memory.get(address, API);
  }

  /** Returns whether the call is one to be run, not one that prepares a run. */
  boolean isExecute() {
    return Memory.get(address, STAGE) == EXECUTE;
  }

  /**
   * Answers the question which version of the interface the handler is for, which a plugin asks
   * once: its own.
   *
   * @return whether that is what the call is for
   */
  boolean answersVersion() {
    long next = Memory.get(address, EXTENSIONS);
    while (next != 0 && Memory.get(next, EXTENSION.field("type")) != METADATA_TYPE) {
      next = Memory.get(next, EXTENSION.field("next"));
    }
    if (next == 0) {
      return false;
    }
    long to = Memory.get(next, METADATA_EXTENSION.field("metadata")) + METADATA_VERSION.offset();
    long from = api() + API_VERSION.offset();
    Memory.setInt(to, MAJOR, Memory.get(from, MAJOR));
    Memory.setInt(to, MINOR, Memory.get(from, MINOR));
    return true;
  }

  /** Refuses a frame of an interface that is not known. */
  void requireKnown() {
    long from = api() + API_VERSION.offset();
    long size = Memory.get(address, SIZE);
    HloException.require(
        Memory.get(from, MAJOR) == 0 && size >= LEAST,
        Kind.UNSUPPORTED,
        "pjrt: got a call of %s bytes by version %s.%s of XLA's FFI, want at least %s of major"
            + " version 0",
        size,
        Memory.get(from, MAJOR),
        Memory.get(from, MINOR),
        LEAST);
  }

  int argumentCount() {
    return (int) Memory.get(address + ARGUMENTS, COUNT);
  }

  int resultCount() {
    return (int) Memory.get(address + RESULTS, COUNT);
  }

  FrameBuffer argument(int number) {
    return buffer(address + ARGUMENTS, number);
  }

  FrameBuffer result(int number) {
    return buffer(address + RESULTS, number);
  }

  private static FrameBuffer buffer(long list, int number) {
    int kind = Memory.intAt(Memory.get(list, KINDS), number);
    HloException.require(
        kind == BUFFER,
        Kind.UNSUPPORTED,
        "pjrt: got an argument of kind %s of XLA's FFI, want a buffer, %s",
        kind,
        BUFFER);
    return new FrameBuffer(Memory.longAt(Memory.get(list, POINTERS), number));
  }

  ImmutableList<Shape> argumentShapes() {
    ImmutableList.Builder<Shape> all = ImmutableList.builder();
    for (int i = 0; i < argumentCount(); i++) {
      all.add(argument(i).shape());
    }
    return all.build();
  }

  ImmutableList<Shape> resultShapes() {
    ImmutableList.Builder<Shape> all = ImmutableList.builder();
    for (int i = 0; i < resultCount(); i++) {
      all.add(result(i).shape());
    }
    return all.build();
  }

  FrameAttributes attributes() {
    return new FrameAttributes(address + ATTRIBUTES);
  }
}
