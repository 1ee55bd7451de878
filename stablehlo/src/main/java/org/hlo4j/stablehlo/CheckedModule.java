package org.hlo4j.stablehlo;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A self-checking program: a module whose result is a tuple. The tuple holds the program's own
 * results, followed by two values for each check: the actual and the expected one.
 *
 * @param module the module
 * @param results the number of the program's own results
 * @param checks the checks, in the order of their values
 */
public record CheckedModule(HloModule module, int results, ImmutableList<Check> checks) {}
