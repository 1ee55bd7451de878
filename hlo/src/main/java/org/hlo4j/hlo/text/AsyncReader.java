package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.source.ParseException;

/**
 * A reader of asynchronous instructions, including those in the short form of {@link
 * AsyncShortForm}.
 */
final class AsyncReader {
  private static final String THREAD = "async_execution_thread";

  private final OpReader reader;
  private final Definitions definitions;

  private AsyncReader(OpReader reader) {
    this.reader = reader;
    this.definitions = reader.definitions();
  }

  /** Reads an instruction; empty if it is not asynchronous. */
  static Optional<OpReader.Result> read(
      OpReader reader, String name, SourcePosition position, Metadata metadata) {
    String opcode = reader.opcode();
    Optional<String> wrapped = AsyncShortForm.wrappedOpcode(opcode);
    AsyncReader async = new AsyncReader(reader);
    if (wrapped.isPresent() && opcode.endsWith("-start")) {
      return Optional.of(async.start(name, wrapped.get(), position, metadata));
    }
    boolean follows = opcode.equals("async-update") || opcode.equals("async-done");
    return wrapped.isPresent() || follows ? Optional.of(async.follower(wrapped)) : Optional.empty();
  }

  // The start of a chain.

  private OpReader.Result start(
      String name, String opcode, SourcePosition position, Metadata metadata) {
    Shape shape =
        reader
            .declared()
            .orElseThrow(() -> refused("got no shape, want ((operands), result, contexts)"));
    Shape result =
        AsyncShortForm.resultOf(shape)
            .orElseThrow(() -> refused("got " + shape + ", want ((operands), result, contexts)"));
    String thread = reader.attributes().take(THREAD, AsyncReader::string).orElse("");
    Op start = new AsyncStart(shape.withoutLayout(), thread);
    HloComputation wrapped = wrapped(name, opcode, result, position, metadata, thread);
    checkBody(wrapped);
    definitions.computations().define(wrapped.name(), wrapped);
    return new OpReader.Result(start, ImmutableList.of(wrapped), shape);
  }

  private HloComputation wrapped(
      String name,
      String opcode,
      Shape result,
      SourcePosition position,
      Metadata metadata,
      String thread) {
    ImmutableList<HloInstruction> parameters =
        AsyncShortForm.parameters(name, reader.operands(), definitions::unique);
    OpReader.Result read =
        new OpReader(
                opcode,
                reader.at(),
                Optional.of(result),
                parameters,
                reader.attributes(),
                definitions)
            .read();
    HloInstruction root =
        HloInstruction.create(
                definitions.unique(name + ".root"),
                read.op(),
                parameters,
                read.called(),
                read.shape(),
                metadata)
            .withPosition(position);
    return HloComputation.create(
            definitions.computations().unique(name + ".wrapped"),
            ImmutableList.<HloInstruction>builder().addAll(parameters).add(root).build(),
            root,
            thread)
        .withPosition(position);
  }

  /** Checks the body, which the canonical form also writes, against the computation. */
  private void checkBody(HloComputation wrapped) {
    Optional<HloComputation> body = reader.attributes().take("calls", definitions::compared);
    if (body.isPresent() && !definitions.areAlike(body.get(), wrapped)) {
      throw refused("got another computation as calls, want one of just " + wrapped.root());
    }
  }

  // The updates and the done of a chain.

  private OpReader.Result follower(Optional<String> wrapped) {
    boolean isDone = reader.opcode().endsWith("-done");
    HloInstruction start = startOf();
    HloComputation computation = start.called().get(0);
    String opcode = computation.root().op().opcode();
    if (wrapped.isPresent() && !opcode.equals(wrapped.get())) {
      throw refused("got " + wrapped.get() + ", want " + opcode + " as at " + start.name());
    }
    checkCalls(start, computation);
    checkThread(start);
    Op op = isDone ? new AsyncDone() : new AsyncUpdate();
    return new OpReader(
            op.opcode(),
            reader.at(),
            reader.declared(),
            reader.operands(),
            reader.attributes(),
            definitions)
        .of(op);
  }

  private HloInstruction startOf() {
    HloInstruction start = reader.operands().size() == 1 ? reader.operands().get(0) : null;
    while (start != null && start.op() instanceof AsyncUpdate && start.operands().size() == 1) {
      start = start.operands().get(0);
    }
    if (start == null || !(start.op() instanceof AsyncStart) || start.called().isEmpty()) {
      throw refused(
          "got " + reader.opcode() + " of something else, want one operand, a start or an update");
    }
    return start;
  }

  private void checkCalls(HloInstruction start, HloComputation want) {
    Optional<HloComputation> got = reader.attributes().take("calls", definitions::callee);
    if (got.isPresent() && got.get() != want) {
      throw refused(
          "got calls=" + got.get().name() + ", want " + want.name() + " as at " + start.name());
    }
  }

  private void checkThread(HloInstruction start) {
    String want = ((AsyncStart) start.op()).asyncExecutionThread();
    Optional<String> got = reader.attributes().take(THREAD, AsyncReader::string);
    if (got.isPresent() && !got.get().equals(want)) {
      throw refused(
          "got "
              + THREAD
              + "=\""
              + got.get()
              + "\", want "
              + (want.isEmpty() ? "none" : "\"" + want + "\"")
              + " as at "
              + start.name());
    }
  }

  private static String string(Lexer text) {
    return text.string("the name of a thread in quotes");
  }

  private ParseException refused(String summary) {
    return new ParseException(reader.at(), summary);
  }
}
