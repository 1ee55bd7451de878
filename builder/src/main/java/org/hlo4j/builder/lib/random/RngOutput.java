package org.hlo4j.builder.lib.random;

import org.hlo4j.builder.XlaOp;

/**
 * Random values and the next state.
 *
 * @param value the random values
 * @param state the state after them
 */
public record RngOutput(XlaOp value, XlaOp state) {}
