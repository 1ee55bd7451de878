package org.hlo4j.pjrt.ffi;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.stream.LongStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * A call that a plugin makes: an {@code XLA_FFI_CallFrame}.
 *
 * @param call the struct
 */
record Frame(View call) {
  private static final String VERSION = "XLA_FFI_Api_Version";
  private static final String EXTENSION = "XLA_FFI_Extension_Base";
  private static final int METADATA = 1; // XLA_FFI_Extension_Metadata
  private static final int EXECUTE = View.constant("XLA_FFI_ExecutionStage", "EXECUTE");

  static Frame at(long address) {
    return new Frame(View.of("XLA_FFI_CallFrame", address));
  }

  /** Returns the table of functions that the plugin gives to handlers. */
  View api() {
    return call.to("api", "XLA_FFI_Api");
  }

  private View version() {
    return api().in("api_version", VERSION);
  }

  /**
   * Answers the question which version of the interface the handler is for, which a plugin asks
   * once: its own.
   *
   * @return whether that is what the call is for
   */
  boolean answersVersion() {
    View next = call.to("extension_start", EXTENSION);
    while (next.memory().address() != 0 && next.get("type") != METADATA) {
      next = next.to("next", EXTENSION);
    }
    if (next.memory().address() == 0) {
      return false;
    }
    View.of("XLA_FFI_Metadata_Extension", next.memory().address())
        .to("metadata", "XLA_FFI_Metadata")
        .in("api_version", VERSION)
        .copy(version(), "major_version", "minor_version");
    return true;
  }

  /** Returns whether the call is one to be run, not one that prepares a run. */
  boolean isExecute() {
    long least = call.layout().field("future").offset(); // which version 0.3 added
    HloException.require(
        version().get("major_version") == 0 && call.get("struct_size") >= least,
        Kind.UNSUPPORTED,
        "got a call of %s bytes of major version %s of XLA's FFI, want at least %s of 0",
        call.get("struct_size"),
        version().get("major_version"),
        least);
    return call.get("stage") == EXECUTE;
  }

  ImmutableList<FrameBuffer> operands() {
    return buffers("args");
  }

  ImmutableList<FrameBuffer> results() {
    return buffers("rets");
  }

  /** Args and Rets have the same fields. */
  private ImmutableList<FrameBuffer> buffers(String list) {
    return LongStream.of(call.in(list, "XLA_FFI_Args").longs("args", "size"))
        .mapToObj(address -> new FrameBuffer(View.of("XLA_FFI_Buffer", address)))
        .collect(toImmutableList());
  }

  Attribute.Dictionary attributes() {
    return FrameAttributes.decode(call.in("attrs", "XLA_FFI_Attrs"));
  }
}
