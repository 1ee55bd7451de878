/**
 * Element-wise fusions as generated loops. Not exported.
 *
 * <p>A fusion goes through these steps. {@code Inputs} numbers the arrays that it reads. {@code
 * IndexLowering} turns its instructions into one expression graph of {@code LoopNode}s. It uses
 * {@code AffineAlgebra}, which lowers movement ops to affine positions ({@code AffineIndex}) over
 * an {@code IterationSpace}, and asks for other loops where that is not possible. So the result is
 * cut into {@code OutputRegion}s with one graph each. The loops over a region become a {@code
 * LoopNest} of as few loops as possible, and {@code FissionStages} cuts the graph where a loop
 * would be too long for the processor. Each stage gets its {@code StageCode}, from which {@code
 * LoopMethodWriter} writes a {@code LoopMethod}, once in scalar form and once for vectors; {@code
 * LoopMethods} caches both as {@code Tiered}. At run time {@code LoopKernel} runs a {@code
 * CompiledLoopNest} for each region, in chunks for the threads, and within a chunk a {@code
 * StageLoop} for each stage.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.loops;

import org.jspecify.annotations.NullMarked;
