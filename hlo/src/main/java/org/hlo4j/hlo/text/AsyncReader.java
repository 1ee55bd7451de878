package org.hlo4j.hlo.text;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.ir.AsyncChain;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.source.ParseException;

/**
 * A reader of asynchronous instructions, including those in the short form of {@link
 * AsyncShortForm}.
 */
final class AsyncReader {
  private static final Shape UNBOUND = new Shape.Tuple(ImmutableList.of());
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
    HloComputation wrapped = wrapped(name, opcode, result, position, metadata, thread);
    Op start = new AsyncStart(shape.withoutLayout(), thread, aliases());
    checkBody(wrapped);
    definitions.computations().define(wrapped.name(), wrapped);
    return new OpReader.Result(start, ImmutableList.of(wrapped), shape);
  }

  /** Returns the aliases of a start whose op has none of its own. */
  private ImmutableList<Aliasing> aliases() {
    return reader
        .attributes()
        .take(AsyncShortForm.ALIASES, AsyncReader::aliases)
        .orElse(ImmutableList.of());
  }

  private static ImmutableList<Aliasing> aliases(Lexer text) {
    return Codec.parseList(text, StructureParser::aliasing);
  }

  private HloComputation wrapped(
      String name,
      String opcode,
      Shape result,
      SourcePosition position,
      Metadata metadata,
      String thread) {
    Optional<ProgramShape> called = opcode.equals("call") ? signature() : Optional.empty();
    boolean isLate = result.equals(UNBOUND) && !opcode.equals("custom-call");
    ImmutableList<HloInstruction> parameters =
        AsyncShortForm.parameters(
            name, called.map(this::taken).orElseGet(this::given), definitions::unique);
    OpReader.Result read =
        new OpReader(
                opcode,
                reader.at(),
                isLate ? called.map(ProgramShape::result) : Optional.of(result),
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

  /** Returns the signature of what a call calls, if that is named. */
  private Optional<ProgramShape> signature() {
    AtomicReference<ProgramShape> signature = new AtomicReference<>();
    reader
        .attributes()
        .check(
            "to_apply",
            (value, _) -> {
              if (value.peek() != '{') {
                signature.set(definitions.callee(value).programShape());
              }
            });
    return Optional.ofNullable(signature.get());
  }

  private ImmutableList<Shape> given() {
    return reader.operands().stream().map(HloInstruction::shape).collect(toImmutableList());
  }

  /** Returns the shapes of all that a call takes: what is not given is bound later. */
  private ImmutableList<Shape> taken(ProgramShape signature) {
    List<Shape> late = signature.parameters();
    return ImmutableList.<Shape>builder()
        .addAll(given())
        .addAll(late.subList(Math.min(reader.operands().size(), late.size()), late.size()))
        .build();
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
    return new OpReader(
            isDone ? "async-done" : "async-update",
            reader.at(),
            reader.declared(),
            reader.operands(),
            reader.attributes(),
            definitions)
        .read();
  }

  private HloInstruction startOf() {
    return reader.operands().stream()
        .findFirst()
        .filter(first -> !(first.op() instanceof AsyncDone))
        .flatMap(AsyncChain::start)
        .orElseThrow(() ->
            refused("got " + reader.opcode() + " of something else, want a start or an update"));
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
