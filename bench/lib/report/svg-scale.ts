/** Maps values of an axis to [0, 1], and holds its ticks. */
export interface Scale {
  /** Values outside the axis map to its edge. */
  at(value: number): number;
  ticks: readonly number[];
}

/** From 0 to just above `max`, with about five round ticks. */
export function linearScale(max: number): Scale {
  const top = max > 0 ? max : 1;
  const rough = top / 4;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((one) => one >= rough) ?? rough;
  const end = Math.ceil(top / step) * step;
  return {
    at: (value) => clamp(value / end),
    ticks: Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step),
  };
}

/** Powers of ten, with steps of 2 and 5 between them when `fine`. Both ends must be above 0. */
export function logScale(min: number, max: number, fine: boolean): Scale {
  const factors = fine ? [1, 2, 5] : [1];
  const all = Array.from({ length: 25 }, (_, index) => index - 12).flatMap((power) =>
    factors.map((factor) => Number(`${factor}e${power}`)),
  );
  const first = all.findLast((tick) => tick <= min) ?? min;
  const last = all.find((tick) => tick >= max && tick > first) ?? max;
  const span = Math.log10(last / first);
  return {
    at: (value) => clamp(Math.log10(Math.max(value, first) / first) / span),
    ticks: all.filter((tick) => tick >= first && tick <= last),
  };
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
