package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.Map;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Tuple;
import org.jspecify.annotations.Nullable;

/**
 * A map from each buffer of a module to the instruction that writes it. A buffer that is forwarded
 * through tuples stays the same buffer until it is written.
 */
final class BufferWriters {
  /** The buffers of a value. */
  private sealed interface Part {
    Part element(int index);

    void write(HloInstruction writer);
  }

  /** A value without buffers. */
  private record Plain() implements Part {
    @Override
    public Part element(int index) {
      return this;
    }

    @Override
    public void write(HloInstruction writer) {}
  }

  /** The value of a tuple instruction: the values of its operands. */
  private static final class Elements implements Part {
    private final ImmutableList<Part> parts;
    private @Nullable HloInstruction lastWriter;

    Elements(ImmutableList<Part> parts) {
      this.parts = parts;
    }

    @Override
    public Part element(int index) {
      return parts.get(index);
    }

    @Override
    public void write(HloInstruction writer) {
      if (lastWriter != writer) {
        lastWriter = writer;
        parts.forEach(part -> part.write(writer));
      }
    }
  }

  /**
   * The value of an instruction other than a tuple, or an element of such a value. Elements are
   * created on demand.
   */
  private static final class Given implements Part {
    private final HloInstruction from;
    private final Shape shape;
    private final @Nullable Given whole;
    private final Map<Integer, Given> parts = new HashMap<>();
    private @Nullable HloInstruction writer;

    Given(HloInstruction from, Shape shape, @Nullable Given whole) {
      this.from = from;
      this.shape = shape;
      this.whole = whole;
    }

    @Override
    public Part element(int index) {
      Shape part = ((Shape.Tuple) shape).elements().get(index);
      return part.hasBuffers()
          ? parts.computeIfAbsent(index, i -> new Given(from, part, this))
          : PLAIN;
    }

    @Override
    public void write(HloInstruction next) {
      if (writer != next) {
        for (Given larger = whole; larger != null; larger = larger.whole) {
          larger.requireNoOther(next);
        }
        requireNoOtherWithin(next);
        writer = next;
      }
    }

    private void requireNoOtherWithin(HloInstruction next) {
      requireNoOther(next);
      parts.values().forEach(part -> part.requireNoOtherWithin(next));
    }

    private void requireNoOther(HloInstruction next) {
      require(
          writer == null || writer == next,
          "",
          "%s: buffer of %s got two writers, %s and %s, want one at most",
          next.op().opcode(),
          from.name(),
          writer == null ? "" : writer.name(),
          next.name());
    }
  }

  private static final Part PLAIN = new Plain();

  private final Map<HloInstruction, Part> parts = new HashMap<>();

  /** Takes note of an instruction, after its operands. */
  void add(HloInstruction instruction) {
    if (instruction.shape().hasBuffers()) {
      parts.put(
          instruction,
          switch (instruction.op()) {
            case Tuple op ->
                new Elements(
                    instruction.operands().stream().map(this::part).collect(toImmutableList()));
            case GetTupleElement op -> part(instruction.operands().get(0)).element(op.index());
            default -> new Given(instruction, instruction.shape(), null);
          });
    }
  }

  private Part part(HloInstruction instruction) {
    return parts.getOrDefault(instruction, PLAIN);
  }

  /** Refuses a second writer of a buffer in a value. */
  void write(HloInstruction value, HloInstruction writer) {
    part(value).write(writer);
  }
}
