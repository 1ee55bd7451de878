package org.hlo4j.interpreter.compiled.passes;

import java.util.function.Predicate;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * The capabilities of the code generators. They are never asked about instructions with dynamic
 * sizes or with effects.
 *
 * @param loop whether an instruction may be part of a loop over elements
 * @param reduction whether a reduction may be fused with the producers of its inputs
 * @param product whether a dot or convolution may be fused with the users of its result
 * @param fusion the final decision: whether there is a kernel for a whole fusion
 */
public record Generators(
    Predicate<HloInstruction> loop,
    Predicate<HloInstruction> reduction,
    Predicate<HloInstruction> product,
    Predicate<HloInstruction> fusion) {}
