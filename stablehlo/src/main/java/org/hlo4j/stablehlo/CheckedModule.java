package org.hlo4j.stablehlo;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A self-checking program: a module whose result is a tuple of the program's own results and, after
 * them, two values for each check: what was got and what was wanted.
 *
 * @param module the module
 * @param results how many results the program has itself
 * @param checks the checks, in the order of their values
 */
public record CheckedModule(HloModule module, int results, ImmutableList<Check> checks) {}
