package org.hlo4j.tools.conformance;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Literal;

/**
 * A valid program that differs from a refused one in the refused thing only: a system that refuses
 * both does so for another reason.
 *
 * @param hlo the program
 * @param arguments its arguments
 */
record Twin(String hlo, ImmutableList<Literal> arguments) {}
