package org.hlo4j.pjrt.ffi;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.pjrt.binding.StructLayout;

/**
 * A call that a plugin makes: an {@code XLA_FFI_CallFrame}.
 *
 * @param address where the struct is
 */
record Frame(long address) {
  private static final StructLayout FRAME = Memory.TABLE.struct("XLA_FFI_CallFrame");
  private static final StructLayout.Field SIZE = FRAME.field("struct_size");
  private static final StructLayout.Field EXTENSIONS = FRAME.field("extension_start");
  private static final StructLayout.Field API = FRAME.field("api");
  private static final StructLayout.Field STAGE = FRAME.field("stage");
  private static final StructLayout.Field OPERANDS = FRAME.field("args");
  private static final StructLayout.Field RESULTS = FRAME.field("rets");
  private static final StructLayout.Field ATTRIBUTES = FRAME.field("attrs");

  /** The size before version 0.3, which added this field. */
  private static final long LEAST = FRAME.field("future").offset();

  private static final int EXECUTE = Memory.constant("XLA_FFI_ExecutionStage", "EXECUTE");
  private static final int METADATA_TYPE = 1; // XLA_FFI_Extension_Metadata
  private static final StructLayout EXTENSION = Memory.TABLE.struct("XLA_FFI_Extension_Base");
  private static final StructLayout.Field METADATA =
      Memory.TABLE.struct("XLA_FFI_Metadata_Extension").field("metadata");
  private static final StructLayout.Field METADATA_VERSION =
      Memory.TABLE.struct("XLA_FFI_Metadata").field("api_version");
  private static final StructLayout.Field API_VERSION =
      Memory.TABLE.struct("XLA_FFI_Api").field("api_version");
  private static final StructLayout VERSION = Memory.TABLE.struct("XLA_FFI_Api_Version");
  private static final StructLayout.Field MAJOR = VERSION.field("major_version");
  private static final StructLayout.Field MINOR = VERSION.field("minor_version");

  /** Args and Rets have the same fields. */
  private static final StructLayout LIST = Memory.TABLE.struct("XLA_FFI_Args");

  private static final StructLayout.Field COUNT = LIST.field("size");
  private static final StructLayout.Field POINTERS = LIST.field("args");

  /** Returns the table of functions that the plugin gives to handlers. */
  long api() {
    return Memory.get(address, API);
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
    long to = Memory.get(next, METADATA) + METADATA_VERSION.offset();
    long from = api() + API_VERSION.offset();
    Memory.setInt(to, MAJOR, Memory.get(from, MAJOR));
    Memory.setInt(to, MINOR, Memory.get(from, MINOR));
    return true;
  }

  /** Returns whether the call is one to be run, not one that prepares a run. */
  boolean isExecute() {
    long major = Memory.get(api() + API_VERSION.offset(), MAJOR);
    long size = Memory.get(address, SIZE);
    HloException.require(
        major == 0 && size >= LEAST,
        Kind.UNSUPPORTED,
        "got a call of %s bytes of major version %s of XLA's FFI, want at least %s of 0",
        size,
        major,
        LEAST);
    return Memory.get(address, STAGE) == EXECUTE;
  }

  ImmutableList<FrameBuffer> operands() {
    return buffers(address + OPERANDS.offset());
  }

  ImmutableList<FrameBuffer> results() {
    return buffers(address + RESULTS.offset());
  }

  private static ImmutableList<FrameBuffer> buffers(long list) {
    return IntStream.range(0, (int) Memory.get(list, COUNT))
        .mapToObj(i -> new FrameBuffer(Memory.longAt(Memory.get(list, POINTERS), i)))
        .collect(toImmutableList());
  }

  FrameAttributes attributes() {
    return new FrameAttributes(address + ATTRIBUTES.offset());
  }
}
