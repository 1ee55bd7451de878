/**
 * Functions that {@code jax.export} saved, as stages of Apache Spark's pipelines: {@link
 * org.hlo4j.spark.HloTransformer} for Java and Scala, {@code hlo4j.spark.HloTransformer} for
 * Python.
 */
@NullMarked
package org.hlo4j.spark;

import org.jspecify.annotations.NullMarked;
