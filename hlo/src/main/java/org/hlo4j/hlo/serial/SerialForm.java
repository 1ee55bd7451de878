package org.hlo4j.hlo.serial;

import static org.hlo4j.hlo.HloException.require;

import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * What Java serialization writes in place of a value: a version, and the value as a subclass writes
 * it. It is read by the factories that check all values, and no more memory is taken than there are
 * bytes, so that a damaged or forged stream ends with an {@link HloException} of kind {@code
 * PARSE}.
 *
 * @param <T> the type of the value
 * @serial exclude
 */
public abstract class SerialForm<T> implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The version of all forms. Whoever changes what one of them writes adds 1. */
  private static final int VERSION = 1;

  /** What was written or read. */
  private transient @Nullable T value;

  /**
   * Creates the form of a value.
   *
   * @param value the value
   */
  protected SerialForm(T value) {
    this.value = value;
  }

  /** {@return what such values are, for messages} */
  protected abstract String what();

  /**
   * Writes a value.
   *
   * @param out where to
   * @param written the value
   * @throws IOException if it cannot be written
   */
  protected abstract void write(ObjectOutputStream out, T written) throws IOException;

  /**
   * Reads what {@link #write} has written.
   *
   * @param in where it is
   * @return the value
   * @throws IOException if it cannot be read
   * @throws ClassNotFoundException if it has an object of an unknown class
   */
  protected abstract T read(ObjectInputStream in) throws IOException, ClassNotFoundException;

  /** {@return the value, which is what the reader of the stream gets} */
  protected final Object readResolve() {
    return known();
  }

  private T known() {
    if (value == null) {
      throw new HloException(Kind.PARSE, "serialized " + what() + ": got none, want one");
    }
    return value;
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    out.writeByte(VERSION);
    write(out, known());
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    try {
      int version = in.readUnsignedByte();
      require(
          version == VERSION,
          "",
          "got version %s of this form, want %s: use one version of hlo4j on both sides",
          version,
          VERSION);
      value = read(in);
    } catch (EOFException end) {
      throw new HloException(
          Kind.PARSE, "serialized " + what() + ": got data that are cut short, want the whole");
    } catch (HloException refusal) {
      throw refusal.prefixed("serialized " + what() + ": ").withKind(Kind.PARSE);
    }
  }

  /**
   * Writes bytes after their number.
   *
   * @param out where to
   * @param bytes the bytes
   * @throws IOException if they cannot be written
   */
  protected static void writeBytes(ObjectOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /**
   * Reads bytes after their number, which may be wrong: no more memory is taken than there are.
   *
   * @param in where they are
   * @return the bytes
   * @throws IOException if they cannot be read
   */
  protected static byte[] readBytes(ObjectInputStream in) throws IOException {
    int count = in.readInt();
    require(count >= 0, "", "got %s bytes, want at least 0", count);
    byte[] bytes = in.readNBytes(count);
    require(bytes.length == count, "", "got %s bytes, want %s", bytes.length, count);
    return bytes;
  }
}
