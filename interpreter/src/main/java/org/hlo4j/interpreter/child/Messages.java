package org.hlo4j.interpreter.child;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The messages between two processes, objects of a few classes. One ends with a word: without it,
 * it is not finished, whatever became of the process.
 */
final class Messages {
  private static final int BLOCK_BYTES = 1 << 16;
  private static final String FINISHED = "finished";

  /** The classes that questions, literals and exceptions are made of. */
  private static final ObjectInputFilter FILTER =
      ObjectInputFilter.Config.createFilter(
          "org.hlo4j.**;com.google.common.collect.*;java.lang.*;java.util.*;!*");

  private final ObjectOutputStream out;
  private final InputStream from;
  private @Nullable ObjectInputStream in;

  Messages(InputStream from, OutputStream to) throws IOException {
    this.out = new ObjectOutputStream(new BufferedOutputStream(to, BLOCK_BYTES));
    this.from = new BufferedInputStream(from, BLOCK_BYTES);
    out.flush();
  }

  void write(Object message) throws IOException {
    out.writeObject(message);
    out.writeUTF(FINISHED);
    out.reset();
    out.flush();
  }

  Object read() throws IOException {
    ObjectInputStream open = in;
    if (open == null) {
      open = new ObjectInputStream(from);
      open.setObjectInputFilter(FILTER);
      in = open;
    }
    try {
      Object message = open.readObject();
      String word = open.readUTF();
      if (!word.equals(FINISHED)) {
        throw new IOException("got the word " + word + ", want " + FINISHED);
      }
      return message;
    } catch (ClassNotFoundException unknown) {
      throw new IOException("got an object of a class that is not known: " + unknown);
    }
  }
}
