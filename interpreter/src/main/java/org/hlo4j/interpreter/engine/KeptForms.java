package org.hlo4j.interpreter.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The forms in which kernels keep an operand that is the same in each run, such as a packed matrix.
 * Kernels that want the same form share it.
 */
public final class KeptForms {
  /** A form of an operand. */
  public interface Form {
    /** Returns the number of bytes that the form takes once it is made. */
    long bytes();

    /**
     * Returns whether the form is made and {@link #restore} gives the operand back.
     *
     * @param elements the number of elements of the operand, some of which no product may read
     */
    boolean isComplete(long elements);

    /** Writes all elements of the operand to an array. */
    void restore(Object storage);
  }

  private final AtomicLong room;
  private final Map<Object, Form> forms = new HashMap<>();
  private final Map<Object, KeptForms> converted = new HashMap<>();

  /**
   * Creates the forms of an operand; none yet.
   *
   * @param room the number of bytes that forms may still take, of all operands together
   */
  public KeptForms(AtomicLong room) {
    this.room = room;
  }

  /**
   * Returns the form with a key.
   *
   * @param key equal for equal forms
   * @param type the class of the form
   * @param created creates the form, which is filled later
   * @return the form, which others may have asked for before; null if there is no room for it
   */
  public synchronized <F extends Form> @Nullable F form(
      Object key, Class<F> type, Supplier<F> created) {
    Form known = forms.get(key);
    if (known != null) {
      return type.cast(known);
    }
    F form = created.get();
    if (room.addAndGet(-form.bytes()) < 0) {
      room.addAndGet(form.bytes());
      return null;
    }
    forms.put(key, form);
    return form;
  }

  /**
   * Returns the forms of what a kernel makes of the operand before it reads it, such as an array of
   * another type. They do not give the operand back.
   *
   * @param how equal for equal conversions
   */
  public synchronized KeptForms converted(Object how) {
    return converted.computeIfAbsent(how, any -> new KeptForms(room));
  }

  /** Returns whether there are forms of the operand itself. */
  synchronized boolean areAny() {
    return !forms.isEmpty();
  }

  /** Returns a form that gives the operand back, all of whose elements are counted. */
  synchronized Optional<Form> complete(long elements) {
    return forms.values().stream().filter(form -> form.isComplete(elements)).findFirst();
  }
}
