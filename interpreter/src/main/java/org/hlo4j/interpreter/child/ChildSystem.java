package org.hlo4j.interpreter.child;

import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.HloException;
import org.hlo4j.interpreter.Evaluator;

/**
 * What runs programs in a child process. Its class is the main class of that: its main method calls
 * {@link ChildMain#serve}.
 */
public interface ChildSystem extends AutoCloseable {
  /**
   * Makes the evaluator, once.
   *
   * @param options the options by name: texts, numbers, or arrays of numbers
   * @return the evaluator, which one thread uses
   * @throws HloException if it cannot be made
   */
  Evaluator evaluator(ImmutableMap<String, Object> options);

  /**
   * Answers a question that is not about a program.
   *
   * @param question the question
   * @param data what it is about, such as a program in a form that no other question has
   * @return the answer
   * @throws HloException if it has none
   */
  default String answer(String question, byte[] data) {
    throw new HloException(
        HloException.Kind.UNSUPPORTED, "child: got the question " + question + ", has no answer");
  }

  @Override
  default void close() {}
}
