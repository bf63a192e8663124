import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { ChartMark, ChartSeries } from './chart.tsx';
import type { LineLook } from './chart-look.ts';

interface ChartCanvasProps {
  at: readonly number[];
  series: readonly (ChartSeries & { look: LineLook; hidden: boolean })[];
  /** The chosen time, by its place; undefined: none yet. */
  place: number | undefined;
  onPlace: (place: number) => void;
  partialFrom: number | null;
  marks: readonly ChartMark[];
  time: (ms: number) => string;
  format: (value: number) => string;
  scheme: 'light' | 'dark';
}

const INK = {
  light: { text: '#495057', grid: '#e3e6e9', page: '#ffffff' },
  dark: { text: '#ced4da', grid: '#3b4046', page: '#1a1b1e' },
} as const;
const HEIGHT_PX = 260;
/** Space for one label of the time axis. */
const LABEL_PX = 90;
/** The width of a digit in uPlot's font of 12 px, with some room. */
const CHARACTER_PX = 7.5;

/** The lines of a chart. It draws only; chart.tsx has the keyboard, the legend and the table. */
export function ChartCanvas(props: ChartCanvasProps) {
  const { at, series, place, onPlace, partialFrom, marks, time, format, scheme } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const callbacks = useRef({ onPlace, time, format });
  useEffect(() => {
    callbacks.current = { onPlace, time, format };
  });

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const ink = scheme === 'dark' ? INK.dark : INK.light;
    const axis = { stroke: ink.text, grid: { stroke: ink.grid, width: 1 }, ticks: { stroke: ink.grid, width: 1 } };
    const options: uPlot.Options = {
      width: Math.max(element.clientWidth, 1),
      height: HEIGHT_PX,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
      scales: {
        x: { time: true },
        y: { range: (_, low, high) => [Math.min(0, low), high === 0 ? 1 : high * (marks.length === 0 ? 1.05 : 1.2)] },
      },
      axes: [
        {
          ...axis,
          splits: ({ bbox }) => labelled(at, bbox.width / devicePixelRatio).map((ms) => ms / 1000),
          values: (_, seconds) => seconds.map((each) => callbacks.current.time(each * 1000)),
        },
        {
          ...axis,
          size: (_, labels: string[] | null) =>
            Math.max(64, ...(labels ?? []).map((label) => label.length * CHARACTER_PX + 20)),
          values: (_, values) => values.map((each) => callbacks.current.format(each)),
        },
      ],
      series: [
        {},
        ...series.map(({ name, look, hidden }) => ({
          label: name,
          stroke: look.color,
          width: 2,
          dash: [...look.dash],
          show: !hidden,
          points: { show: at.length < 40, size: 5, fill: look.color },
        })),
      ],
      hooks: {
        drawClear: [(self) => shadePartial(self, at, partialFrom, ink.grid)],
        draw: [(self) => drawMarks(self, at, marks, ink.text, ink.page)],
        setCursor: [
          ({ cursor }) => {
            if (typeof cursor.idx === 'number' && (cursor.left ?? -1) >= 0) callbacks.current.onPlace(cursor.idx);
          },
        ],
      },
    };
    const data: uPlot.AlignedData = [at.map((ms) => ms / 1000), ...series.map(({ values }) => [...values])];
    const made = new uPlot(options, data, element);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height: HEIGHT_PX });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [at, series, partialFrom, marks, scheme]);

  useEffect(() => {
    const ms = place === undefined ? undefined : at[place];
    const made = plot.current;
    if (made === undefined || ms === undefined) return;
    made.setCursor({ left: made.valToPos(ms / 1000, 'x'), top: 0 }, false);
  }, [place, at, series, scheme]);

  return <div ref={box} aria-hidden="true" />;
}

/** A line at each interval with notes, with their numbers at its top. */
function drawMarks(plot: uPlot, at: readonly number[], marks: readonly ChartMark[], color: string, page: string): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const byPlace = Map.groupBy(
    marks.map(({ place }, index) => ({ place, number: index + 1 })),
    ({ place }) => place,
  );
  ctx.save();
  ctx.font = `${11 * scale}px sans-serif`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  for (const [place, ofPlace] of byPlace) {
    const [first, last] = [ofPlace[0]?.number ?? 0, ofPlace.at(-1)?.number ?? 0];
    const label = first === last ? String(first) : `${first}–${last}`;
    const x = plot.valToPos((at[place] ?? 0) / 1000, 'x', true);
    ctx.strokeStyle = color;
    ctx.lineWidth = scale;
    ctx.setLineDash([3 * scale, 3 * scale]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    const width = ctx.measureText(label).width + 8 * scale;
    ctx.fillStyle = color;
    ctx.fillRect(x - width / 2, bbox.top, width, 15 * scale);
    ctx.fillStyle = page;
    ctx.fillText(label, x, bbox.top + 8 * scale);
  }
  ctx.restore();
}

/** The intervals whose start gets a label: evenly spaced ones, the first included. */
function labelled(at: readonly number[], widthPx: number): number[] {
  const every = Math.max(1, Math.ceil((at.length * LABEL_PX) / Math.max(widthPx, LABEL_PX)));
  return at.filter((_, place) => place % every === 0);
}

/** A background behind the intervals whose figures will change. */
function shadePartial(plot: uPlot, at: readonly number[], partialFrom: number | null, color: string): void {
  if (partialFrom === null) return;
  const { left, top, width, height } = plot.bbox;
  const before = at.findLast((ms) => ms < partialFrom);
  if (before === undefined) return;
  const from = Math.max(left, plot.valToPos(before / 1000, 'x', true));
  plot.ctx.fillStyle = color;
  plot.ctx.globalAlpha = 0.5;
  plot.ctx.fillRect(from, top, left + width - from, height);
  plot.ctx.globalAlpha = 1;
}
