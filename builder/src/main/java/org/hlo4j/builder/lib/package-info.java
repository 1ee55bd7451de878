/**
 * The client libraries of XLA: functions composed of several ops, which use only the public methods
 * of the builder.
 *
 * <table>
 *   <caption>What is where</caption>
 *   <tr><th>class or package</th><th>what it has</th></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.nn}</td><td>softmax, gelu, mean, argMax, layerNorm,
 *   attention and others, by the definitions of {@code jax.nn}</td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.math}</td><td>erfInv, lgamma, igamma, Bessel functions
 *   </td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.linalg}</td><td>einsum, triangles, QR, LU, SVD,
 *   eigenvalues</td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.random}</td><td>random bits and distributions</td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.Constants}</td><td>zero, one, the largest and
 *   smallest of a type</td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.Arithmetic}, {@link
 *   org.hlo4j.builder.lib.Comparators}</td><td>computations for reduce and sort</td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.Loops}</td><td>loops of several values, and over
 *   indices</td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.Slicing}, {@link org.hlo4j.builder.lib.TorchIndexing},
 *   {@link org.hlo4j.builder.lib.Tiling}</td><td>slices, indexing, repeating</td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.Sorting}, {@link
 *   org.hlo4j.builder.lib.ApproxTopK}</td><td>the largest k elements</td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.Pooling}, {@link
 *   org.hlo4j.builder.lib.ConvGradSize}</td><td>pooling, gradients of convolutions</td></tr>
 *   <tr><td>{@link org.hlo4j.builder.lib.Quantize}, {@link
 *   org.hlo4j.builder.lib.DynamicShapes}, {@link org.hlo4j.builder.lib.Tuples}</td><td>packed
 *   integers, sizes known at run time, nested tuples</td></tr>
 * </table>
 */
@NullMarked
package org.hlo4j.builder.lib;

import org.jspecify.annotations.NullMarked;
