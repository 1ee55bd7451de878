/**
 * The functions of neural networks, by the definitions of {@code jax.nn} and {@code jax.numpy}.
 *
 * <ul>
 *   <li>{@link org.hlo4j.builder.lib.nn.Activations}: relu, gelu, silu, sigmoid, softmax,
 *       logSoftmax, softplus, …
 *   <li>{@link org.hlo4j.builder.lib.nn.Reductions}: sum, mean, variance, max, min, argMax, argMin,
 *       logSumExp
 *   <li>{@link org.hlo4j.builder.lib.nn.Layers}: dense, layerNorm, rmsNorm, batchNorm, embedding,
 *       oneHot, crossEntropy
 *   <li>{@link org.hlo4j.builder.lib.nn.Attention}: scaled dot-product attention, causal masks
 * </ul>
 *
 * <p>Dimensions may be counted from the end: -1 is the last. Sums of narrower floats than f32 are
 * added up in f32, as in JAX.
 */
@NullMarked
package org.hlo4j.builder.lib.nn;

import org.jspecify.annotations.NullMarked;
