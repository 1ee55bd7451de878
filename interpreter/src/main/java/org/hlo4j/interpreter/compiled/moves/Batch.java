package org.hlo4j.interpreter.compiled.moves;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.compiled.tiers.Practice;
import org.hlo4j.interpreter.compiled.tiers.Tiered;

/**
 * A {@link Transform} of some lines side by side: number k of line i lies at {@code k * WIDTH + i},
 * so that each step computes with vectors of as many lines. The arithmetic is that of one line.
 */
final class Batch {
  /** How many lines: as many doubles as fill a line of the cache. */
  static final int WIDTH = 8;

  private static final int ENOUGH = 1 << 16;
  private static final int PRACTICE = 16;

  private static final Tiered<Butterflies> TWO = tiers(ButterflyCode.Form.TWO);
  private static final Tiered<Butterflies> FOUR = tiers(ButterflyCode.Form.FOUR);
  private static final Tiered<Butterflies> TURN = tiers(ButterflyCode.Form.TURN);

  private final Transform plan;

  /** For each number of a line the place where it is put. */
  private final int[] places;

  private final double[] re;
  private final double[] im;

  Batch(Transform plan) {
    this.plan = plan;
    this.re = new double[plan.powerOfTwo * WIDTH];
    this.im = new double[plan.powerOfTwo * WIDTH];
    this.places = new int[plan.powerOfTwo];
    int unused = Integer.numberOfLeadingZeros(plan.powerOfTwo) + 1;
    for (int k = 0; k < places.length; k++) {
      places[k] = unused == 32 ? 0 : Integer.reverse(k) >>> unused;
    }
  }

  private static Tiered<Butterflies> tiers(ButterflyCode.Form form) {
    int width = VectorSupport.width(Double.SIZE);
    return Tiered.of(
        Butterflies.class,
        "Fft" + form,
        lanes -> new ButterflyCode(lanes).write(form),
        width > WIDTH ? 1 : width,
        Batch::practice,
        ENOUGH);
  }

  private static Practice<Butterflies> practice() {
    double[] numbers = new double[PRACTICE * WIDTH];
    Object[] arrays = {numbers, numbers.clone(), numbers.clone(), numbers.clone()};
    return (steps, turns) -> steps.run(arrays, 2, turns > 0 ? PRACTICE : 0);
  }

  /** Has vectors ready now, slow as they may still be. */
  static void prepare() {
    TWO.prepare();
    FOUR.prepare();
    TURN.prepare();
  }

  /** Forgets what is there. */
  void clear() {
    Arrays.fill(re, 0);
    Arrays.fill(im, 0);
  }

  /**
   * Puts lines there, as many as there are starts: number k of line i from {@code starts[i] + k *
   * step}, its imaginary part, if it has one, so much behind.
   */
  void take(ComplexNumbers from, int[] starts, int step, int count) {
    for (int k = 0; k < count; k++) {
      int row = places[k] * WIDTH;
      take(from.re(), starts, k * step, re, row);
      if (from.isComplex()) {
        take(from.im(), starts, k * step + from.shift(), im, row);
      }
    }
  }

  /** {@code row[to + i] = from[starts[i] + behind]} */
  private static void take(Object from, int[] starts, int behind, double[] row, int to) {
    if (from instanceof float[] floats) {
      for (int i = 0; i < starts.length; i++) {
        row[to + i] = floats[starts[i] + behind];
      }
    } else {
      double[] doubles = (double[]) from;
      for (int i = 0; i < starts.length; i++) {
        row[to + i] = doubles[starts[i] + behind];
      }
    }
  }

  /** Puts a part of neighbouring lines into batches; their numbers lie so far apart. */
  static void takeAll(Batch[] batches, double[] from, int at, int stride, boolean imaginary) {
    int[] places = batches[0].places;
    for (int k = 0; k < batches[0].plan.length; k++) {
      for (int i = 0; i < batches.length; i++) {
        double[] to = imaginary ? batches[i].im : batches[i].re;
        System.arraycopy(from, at + k * stride + i * WIDTH, to, places[k] * WIDTH, WIDTH);
      }
    }
  }

  /** The other way round. */
  void put(ComplexNumbers to, int[] starts, int step, int count) {
    for (int k = 0; k < count; k++) {
      put(re, k * WIDTH, to.re(), starts, k * step);
      if (to.isComplex()) {
        put(im, k * WIDTH, to.im(), starts, k * step + to.shift());
      }
    }
  }

  /** {@code to[starts[i] + behind] = row[from + i]} */
  private static void put(double[] row, int from, Object to, int[] starts, int behind) {
    if (to instanceof float[] floats) {
      for (int i = 0; i < starts.length; i++) {
        floats[starts[i] + behind] = (float) row[from + i];
      }
    } else {
      double[] doubles = (double[]) to;
      for (int i = 0; i < starts.length; i++) {
        doubles[starts[i] + behind] = row[from + i];
      }
    }
  }

  /** A part of neighbouring lines, whose numbers come to lie so far apart, and so far in rows. */
  static void putAll(Batch[] batches, Object to, int at, int stride, int step, boolean imaginary) {
    for (int k = 0; k < batches[0].plan.length; k++) {
      for (int i = 0; i < batches.length; i++) {
        double[] from = imaginary ? batches[i].im : batches[i].re;
        int row = at + k * stride + i * WIDTH * step;
        if (to instanceof float[] floats) {
          for (int j = 0; j < WIDTH; j++) {
            floats[row + j * step] = (float) from[k * WIDTH + j];
          }
        } else {
          double[] doubles = (double[]) to;
          for (int j = 0; j < WIDTH; j++) {
            doubles[row + j * step] = from[k * WIDTH + j];
          }
        }
      }
    }
  }

  /** {@code line[n - k] = conjugate(line[k])}, which makes the transform real. */
  void mirror() {
    int n = plan.length;
    for (int k = 1; 2 * k < n; k++) {
      int from = places[k] * WIDTH;
      int to = places[n - k] * WIDTH;
      for (int i = 0; i < WIDTH; i++) {
        re[to + i] = re[from + i];
        im[to + i] = -im[from + i];
      }
    }
    for (int i = 0; i < WIDTH; i++) {
      im[places[0] * WIDTH + i] = 0;
      im[places[n / 2] * WIDTH + i] = n % 2 == 0 ? 0 : im[places[n / 2] * WIDTH + i];
    }
  }

  /** Transforms what was put there. */
  void apply() {
    if (plan.inverse) {
      negate(im);
    }
    if (plan.convolvedLength() == 0) {
      join();
    } else {
      convolve();
    }
    if (plan.inverse) {
      negate(im);
      divide(re, plan.length);
      divide(im, plan.length);
    }
  }

  private static void negate(double[] part) {
    for (int i = 0; i < part.length; i++) {
      part[i] = -part[i];
    }
  }

  private static void divide(double[] part, double divisor) {
    for (int i = 0; i < part.length; i++) {
      part[i] /= divisor;
    }
  }

  private void convolve() {
    turn(plan.placedChirpRe, plan.placedChirpIm, plan.powerOfTwo);
    join();
    turn(plan.transformedRe, plan.transformedIm, plan.powerOfTwo);
    negate(im);
    reverse(re);
    reverse(im);
    join();
    negate(im);
    divide(re, plan.powerOfTwo);
    divide(im, plan.powerOfTwo);
    turn(plan.chirpRe, plan.chirpIm, plan.length);
  }

  /** Each number to the place where it is put. */
  private void reverse(double[] part) {
    double[] kept = new double[WIDTH];
    for (int k = 0; k < places.length; k++) {
      if (places[k] > k) {
        System.arraycopy(part, k * WIDTH, kept, 0, WIDTH);
        System.arraycopy(part, places[k] * WIDTH, part, k * WIDTH, WIDTH);
        System.arraycopy(kept, 0, part, places[k] * WIDTH, WIDTH);
      }
    }
  }

  private void turn(double[] factorRe, double[] factorIm, int count) {
    run(TURN, factorRe, factorIm, 0, count);
  }

  /** Pairs of halves of growing length, two steps at a time. */
  private void join() {
    int count = plan.powerOfTwo;
    int half = 1;
    for (; 4 * half <= count; half *= 4) {
      run(FOUR, plan.rootRe, plan.rootIm, half, count);
    }
    if (2 * half <= count) {
      run(TWO, plan.rootRe, plan.rootIm, half, count);
    }
  }

  private void run(
      Tiered<Butterflies> steps, double[] factorRe, double[] factorIm, int half, int count) {
    Object[] arrays = {re, im, factorRe, factorIm};
    Butterflies vectors = steps.second((long) count * WIDTH);
    (vectors == null ? steps.first() : vectors).run(arrays, half, count);
  }
}
