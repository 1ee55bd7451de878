/**
 * From a module to one that computes the same bits and runs faster: inlined, cleared up, and cut
 * into fusions that the code generators make a kernel of. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.passes;

import org.jspecify.annotations.NullMarked;
