package org.hlo4j.interpreter.compiled.codegen;

/**
 * A local variable of the generated method: a single element, or a vector of them.
 *
 * @param lane what the elements are
 * @param local the number of the variable
 */
public record Value(Lane lane, int local) {}
