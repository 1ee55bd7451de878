package org.hlo4j.interpreter.compiled.codegen;

/**
 * A local variable of the generated method that holds a single element or a vector.
 *
 * @param lane the lane of the elements
 * @param local the number of the local variable
 */
public record Value(Lane lane, int local) {}
