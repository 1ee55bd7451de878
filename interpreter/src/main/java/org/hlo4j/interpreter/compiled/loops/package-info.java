/**
 * Element-wise fusions as generated loops. Not exported.
 *
 * <p>The way of a fusion: {@code Inputs} numbers what it reads; {@code Inliner} makes one formula
 * of its instructions, by {@code Positions}, whose arithmetic lowers movement of elements into
 * affine positions ({@code Affine}) over a {@code Domain} of loops, and asks for other loops where
 * that cannot be; so the result falls into {@code Part}s of one formula ({@code Node}s) each. The
 * loops of a part become a {@code Nest} of as few as can be; {@code Stages} cuts the formula where
 * a loop would be too long for the processor. Each stage gets its {@code StageCode}, from which
 * {@code BodyWriter} writes a {@code Body}, once for single elements and once for vectors; {@code
 * Bodies} keeps both as {@code Tiered}. At run time {@code LoopKernel} runs a {@code Piece} for
 * each part, in chunks for the threads, and within them a {@code StageLoop} for each stage.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.loops;

import org.jspecify.annotations.NullMarked;
