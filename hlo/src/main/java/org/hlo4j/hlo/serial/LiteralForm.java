package org.hlo4j.hlo.serial;

import static org.hlo4j.hlo.HloException.require;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.source.RawElements;
import org.jspecify.annotations.Nullable;

/**
 * The serial form of a literal: for an array its shape and the bits of its elements, little-endian;
 * for a tuple its elements. What occurs in it several times is written once.
 */
public final class LiteralForm extends SerialForm<Literal> {
  private static final long serialVersionUID = 1L;

  private static final int ARRAY = 0;
  private static final int TUPLE = 1;
  private static final int TOKEN = 2;
  private static final int ELIDED = 3;
  private static final int AGAIN = 4;

  /**
   * Creates the form of a literal.
   *
   * @param literal the literal
   */
  public LiteralForm(Literal literal) {
    super(literal);
  }

  @Override
  protected String what() {
    return "literal";
  }

  @Override
  protected void write(ObjectOutputStream out, Literal literal) throws IOException {
    write(out, literal, new IdentityHashMap<>());
  }

  private static void write(ObjectOutputStream out, Literal literal, Map<Literal, Integer> done)
      throws IOException {
    @Nullable Integer known = done.get(literal);
    if (known != null) {
      out.writeByte(AGAIN);
      out.writeInt(known);
      return;
    }
    if (!(literal.shape() instanceof Shape.Array array)) {
      boolean isToken = literal.shape() instanceof Shape.Token;
      out.writeByte(isToken ? TOKEN : TUPLE);
      if (!isToken) {
        writeElements(out, literal, done);
      }
    } else {
      out.writeByte(literal.isElided() ? ELIDED : ARRAY);
      ShapeForm.writeArray(out, array);
      if (!literal.isElided()) {
        RawElements.write(out, literal);
      }
    }
    done.put(literal, done.size());
  }

  private static void writeElements(
      ObjectOutputStream out, Literal tuple, Map<Literal, Integer> done) throws IOException {
    out.writeInt(tuple.elements().size());
    for (Literal element : tuple.elements()) {
      write(out, element, done);
    }
  }

  @Override
  protected Literal read(ObjectInputStream in) throws IOException {
    return read(in, new ArrayList<>(), 0);
  }

  private static Literal read(ObjectInputStream in, List<Literal> done, int depth)
      throws IOException {
    require(
        depth <= ShapeForm.MAX_DEPTH,
        "",
        "got tuples more than %s deep, want fewer",
        ShapeForm.MAX_DEPTH);
    int kind = in.readUnsignedByte();
    if (kind == AGAIN) {
      int number = in.readInt();
      require(
          number >= 0 && number < done.size(),
          "",
          "got value %s again, want one of the %s before",
          number,
          done.size());
      return done.get(number);
    }
    Literal literal =
        switch (kind) {
          case ARRAY -> readArray(in);
          case TUPLE -> readTuple(in, done, depth);
          case TOKEN -> Literal.token();
          case ELIDED -> Literal.elided(ShapeForm.readArray(in));
          default ->
              throw new HloException("", "got kind " + kind + ", want one below " + (AGAIN + 1));
        };
    done.add(literal);
    return literal;
  }

  private static Literal readTuple(ObjectInputStream in, List<Literal> done, int depth)
      throws IOException {
    int count = ShapeForm.readCount(in, "elements of a tuple", ShapeForm.MAX_ELEMENTS);
    List<Literal> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(read(in, done, depth + 1));
    }
    return Literal.tuple(elements);
  }

  private static Literal readArray(ObjectInputStream in) throws IOException {
    Shape.Array shape = ShapeForm.readArray(in);
    return RawElements.read(RawElements.announced(in, shape), shape, ByteOrder.LITTLE_ENDIAN);
  }
}
