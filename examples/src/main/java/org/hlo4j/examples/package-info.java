/**
 * Examples, one runnable main a file. Shortest first: {@link org.hlo4j.examples.BiasAdd}, {@link
 * org.hlo4j.examples.OuterOperation}, {@link org.hlo4j.examples.Composition}, {@link
 * org.hlo4j.examples.Softmax}, {@link org.hlo4j.examples.LayerNorm}, {@link
 * org.hlo4j.examples.DumpModule}, {@link org.hlo4j.examples.DocumentedBroadcasts}, {@link
 * org.hlo4j.examples.IllegalBroadcasts}, {@link org.hlo4j.examples.Digits}. {@link
 * org.hlo4j.examples.Tour} runs them all.
 */
@NullMarked
package org.hlo4j.examples;

import org.jspecify.annotations.NullMarked;
