package org.hlo4j.pjrt.ffi;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.pjrt.binding.Table;
import org.hlo4j.pjrt.binding.View;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * A call that a plugin makes: an {@code XLA_FFI_CallFrame}.
 *
 * @param call the struct
 */
record Frame(View call) {
  private static final int METADATA = 1; // XLA_FFI_Extension_Metadata
  private static final int EXECUTE = Table.FFI.number("XLA_FFI_ExecutionStage_EXECUTE");

  static Frame at(long address) {
    return new Frame(Table.FFI.view("XLA_FFI_CallFrame", address));
  }

  /** Returns the table of functions that the plugin gives to handlers. */
  View api() {
    return Table.FFI.view("XLA_FFI_Api", call.get("api"));
  }

  private View version() {
    return Table.FFI.view("XLA_FFI_Api_Version", api().address("api_version"));
  }

  /**
   * Answers the question which version of the interface the handler is for, which a plugin asks
   * once: its own.
   *
   * @return whether that is what the call is for
   */
  boolean answersVersion() {
    View next = extension(call.get("extension_start"));
    while (next.memory().address() != 0 && next.get("type") != METADATA) {
      next = extension(next.get("next"));
    }
    boolean isAsked = next.memory().address() != 0;
    if (isAsked) {
      View asked = Table.FFI.view("XLA_FFI_Metadata_Extension", next.memory().address());
      View metadata = Table.FFI.view("XLA_FFI_Metadata", asked.get("metadata"));
      Table.FFI
          .view("XLA_FFI_Api_Version", metadata.address("api_version"))
          .set("major_version", version().get("major_version"))
          .set("minor_version", version().get("minor_version"));
    }
    return isAsked;
  }

  private static View extension(long address) {
    return Table.FFI.view("XLA_FFI_Extension_Base", address);
  }

  /** Returns whether the call is one to be run, not one that prepares a run. */
  boolean isExecute() {
    long least = call.field("future").offset(); // which version 0.3 added
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
    return Table.FFI.view("XLA_FFI_Args", call.address(list)).pointers("args", "size").stream()
        .map(each -> new FrameBuffer(Table.FFI.view("XLA_FFI_Buffer", each.address())))
        .collect(toImmutableList());
  }

  Attribute.Dictionary attributes() {
    return FrameAttributes.decode(Table.FFI.view("XLA_FFI_Attrs", call.address("attrs")));
  }
}
