import { describe, expect, it } from 'vitest';
import { createDelayWindow } from './delay-window.ts';

describe('a window of delays', () => {
  it('gives nearest-rank percentiles', () => {
    const window = createDelayWindow({ windowMs: 1_000, capacity: 200 });
    for (let delay = 100; delay >= 1; delay--) window.add(0, delay);
    expect(window.figures(0)).toEqual({ samples: 100, p50Ms: 50, p99Ms: 99 });
  });

  it('forgets what is older than the window', () => {
    const window = createDelayWindow({ windowMs: 1_000, capacity: 4 });
    window.add(0, 7);
    window.add(500, 9);
    expect(window.figures(999)).toEqual({ samples: 2, p50Ms: 7, p99Ms: 9 });
    expect(window.figures(1_400)).toEqual({ samples: 1, p50Ms: 9, p99Ms: 9 });
    expect(window.figures(1_500)).toEqual({ samples: 0, p50Ms: null, p99Ms: null });
  });

  it('holds no more than its capacity, the latest', () => {
    const window = createDelayWindow({ windowMs: 1_000, capacity: 3 });
    for (const delay of [900, 800, 1, 2, 3]) window.add(0, delay);
    expect(window.figures(0)).toEqual({ samples: 3, p50Ms: 2, p99Ms: 3 });
  });
});
