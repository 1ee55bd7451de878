package org.hlo4j.builder.lib.random;

import org.hlo4j.builder.XlaOp;

/**
 * Random values and the state to make the next ones from.
 *
 * @param value the random values
 * @param state the state after
 */
public record RngOutput(XlaOp value, XlaOp state) {}
