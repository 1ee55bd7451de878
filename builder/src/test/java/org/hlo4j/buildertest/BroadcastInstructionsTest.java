package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;

import com.google.common.collect.ImmutableList;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

/** The instructions that make broadcasting explicit, as XlaBuilder emits them. */
final class BroadcastInstructionsTest {
  private final XlaBuilder b = new XlaBuilder("test");

  private XlaOp x(long... sizes) {
    return b.parameter(0, Shape.of(F32, sizes), "x");
  }

  private XlaOp v(long... sizes) {
    return b.parameter(1, Shape.of(F32, sizes), "v");
  }

  private void assertBuilt(String text) {
    assertThat(Texts.built(b)).isEqualTo(text);
  }

  @Test
  void equalShapesNeedNothing() {
    x(2, 3).add(v(2, 3), broadcastDimensions(0, 1));
    assertBuilt(
        """
        ENTRY test {
          x = f32[2,3] parameter(0)
          v = f32[2,3] parameter(1)
          ROOT add = f32[2,3] add(x, v)
        }
        """);
  }

  @Test
  void scalar() {
    x(2, 3).add(v());
    assertBuilt(
        """
        ENTRY test {
          x = f32[2,3] parameter(0)
          v = f32[] parameter(1)
          broadcast = f32[2,3] broadcast(v), dimensions={}
          ROOT add = f32[2,3] add(x, broadcast)
        }
        """);
  }

  @Test
  void scalarOnTheLeft() {
    x().sub(v(2, 3));
    assertBuilt(
        """
        ENTRY test {
          x = f32[] parameter(0)
          v = f32[2,3] parameter(1)
          broadcast = f32[2,3] broadcast(x), dimensions={}
          ROOT subtract = f32[2,3] subtract(broadcast, v)
        }
        """);
  }

  @Test
  void vector() {
    x(2, 3).add(v(3), broadcastDimensions(1));
    assertBuilt(
        """
        ENTRY test {
          x = f32[2,3] parameter(0)
          v = f32[3] parameter(1)
          broadcast = f32[2,3] broadcast(v), dimensions={1}
          ROOT add = f32[2,3] add(x, broadcast)
        }
        """);
  }

  @Test
  void sizeOne() {
    x(2, 1).add(v(2, 3));
    assertBuilt(
        """
        ENTRY test {
          x = f32[2,1] parameter(0)
          v = f32[2,3] parameter(1)
          reshape = f32[2] reshape(x)
          broadcast = f32[2,3] broadcast(reshape), dimensions={0}
          ROOT add = f32[2,3] add(broadcast, v)
        }
        """);
  }

  @Test
  void outerOperation() {
    x(2, 1).add(v(1, 3));
    assertBuilt(
        """
        ENTRY test {
          x = f32[2,1] parameter(0)
          v = f32[1,3] parameter(1)
          reshape = f32[2] reshape(x)
          broadcast = f32[2,3] broadcast(reshape), dimensions={0}
          reshape.1 = f32[3] reshape(v)
          broadcast.1 = f32[2,3] broadcast(reshape.1), dimensions={1}
          ROOT add = f32[2,3] add(broadcast, broadcast.1)
        }
        """);
  }

  @Test
  void composition() {
    x(4).add(v(1, 2), broadcastDimensions(0));
    assertBuilt(
        """
        ENTRY test {
          x = f32[4] parameter(0)
          v = f32[1,2] parameter(1)
          broadcast = f32[4,2] broadcast(x), dimensions={0}
          reshape = f32[2] reshape(v)
          broadcast.1 = f32[4,2] broadcast(reshape), dimensions={1}
          ROOT add = f32[4,2] add(broadcast, broadcast.1)
        }
        """);
  }

  @Test
  void lowerRankOfSizeOne() {
    x(1).add(v(2, 2), broadcastDimensions(1));
    assertBuilt(
        """
        ENTRY test {
          x = f32[1] parameter(0)
          v = f32[2,2] parameter(1)
          broadcast = f32[2,1] broadcast(x), dimensions={1}
          reshape = f32[2] reshape(broadcast)
          broadcast.1 = f32[2,2] broadcast(reshape), dimensions={0}
          ROOT add = f32[2,2] add(broadcast.1, v)
        }
        """);
  }

  @Test
  void sizeZero() {
    x(0, 3).add(v(1, 3));
    assertBuilt(
        """
        ENTRY test {
          x = f32[0,3] parameter(0)
          v = f32[1,3] parameter(1)
          reshape = f32[3] reshape(v)
          broadcast = f32[0,3] broadcast(reshape), dimensions={1}
          ROOT add = f32[0,3] add(x, broadcast)
        }
        """);
  }

  @Test
  void boundedSizes() {
    XlaOp x = b.parameter(0, Shape.of(F32, 4, 3).withDynamic(ImmutableList.of(0)), "x");
    x.add(b.parameter(1, Shape.of(F32, 4, 1).withDynamic(ImmutableList.of(0)), "v"));
    assertBuilt(
        """
        ENTRY test {
          x = f32[<=4,3] parameter(0)
          v = f32[<=4,1] parameter(1)
          reshape = f32[<=4] reshape(v)
          broadcast = f32[<=4,3] broadcast(reshape), dimensions={0}
          ROOT add = f32[<=4,3] add(x, broadcast)
        }
        """);
  }

  @Test
  void selectBroadcastsAScalarPred() {
    XlaOp p = b.parameter(2, Shape.of(PRED), "p");
    p.select(x(2), v(2));
    assertBuilt(
        """
        ENTRY test {
          p = pred[] parameter(2)
          x = f32[2] parameter(0)
          v = f32[2] parameter(1)
          broadcast = pred[2] broadcast(p), dimensions={}
          ROOT select = f32[2] select(broadcast, x, v)
        }
        """);
  }

  @Test
  void selectOfEqualShapes() {
    b.parameter(2, Shape.of(PRED, 2), "p").select(x(2), v(2));
    assertBuilt(
        """
        ENTRY test {
          p = pred[2] parameter(2)
          x = f32[2] parameter(0)
          v = f32[2] parameter(1)
          ROOT select = f32[2] select(p, x, v)
        }
        """);
  }

  @Test
  void clampBroadcastsScalarBounds() {
    x(2).clamp(v(), b.parameter(2, Shape.of(F32, 2), "high"));
    assertBuilt(
        """
        ENTRY test {
          x = f32[2] parameter(0)
          v = f32[] parameter(1)
          high = f32[2] parameter(2)
          broadcast = f32[2] broadcast(v), dimensions={}
          ROOT clamp = f32[2] clamp(broadcast, x, high)
        }
        """);
  }

  @Test
  void broadcastAddsDimensionsOnTheLeft() {
    x(3).broadcast(4, 2);
    assertBuilt(
        """
        ENTRY test {
          x = f32[3] parameter(0)
          ROOT broadcast = f32[4,2,3] broadcast(x), dimensions={2}
        }
        """);
  }

  @Test
  void broadcastInDim() {
    x(3).broadcastInDim(Dims.of(2, 3), broadcastDimensions(1));
    assertBuilt(
        """
        ENTRY test {
          x = f32[3] parameter(0)
          ROOT broadcast = f32[2,3] broadcast(x), dimensions={1}
        }
        """);
  }

  @Test
  void broadcastInDimStretchesSizeOne() {
    x(2, 1).broadcastInDim(Dims.of(5, 2, 3), broadcastDimensions(1, 2));
    assertBuilt(
        """
        ENTRY test {
          x = f32[2,1] parameter(0)
          broadcast = f32[5,2,1] broadcast(x), dimensions={1,2}
          reshape = f32[5,2] reshape(broadcast)
          ROOT broadcast.1 = f32[5,2,3] broadcast(reshape), dimensions={0,1}
        }
        """);
  }
}
