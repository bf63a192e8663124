import type { Scale } from './svg-scale.ts';

export interface Series {
  name: string;
  colour: string;
  points: readonly (readonly [x: number, y: number])[];
}

export interface Axis {
  label: string;
  scale: Scale;
  /** How a tick is written. */
  format: (value: number) => string;
}

/** A chart of lines. */
export interface Chart {
  title: string;
  x: Axis;
  y: Axis;
  series: readonly Series[];
}

/** Distinguishable without telling red from green; the reference is grey. */
export const COLOURS = {
  reference: '#8a8f98',
  first: '#1f6feb',
  second: '#d97706',
  third: '#0f9d78',
  fourth: '#a855f7',
};

/** Size of one chart with its margins, in SVG units. */
const CHART_WIDTH = 640;
const CHART_HEIGHT = 380;
const MARGIN = { left: 72, right: 20, top: 64, bottom: 50 };
const PLOT_WIDTH = CHART_WIDTH - MARGIN.left - MARGIN.right;
const PLOT_HEIGHT = CHART_HEIGHT - MARGIN.top - MARGIN.bottom;
/** About right for letters of 12 px, whose widths are unknown here. */
const LETTER_WIDTH = 6.6;

/** Charts as one SVG picture, in columns. */
export function picture(charts: readonly Chart[], columns: number): string {
  const width = Math.min(columns, charts.length) * CHART_WIDTH;
  const height = Math.ceil(charts.length / columns) * CHART_HEIGHT;
  const placed = charts.map((chart, index) => {
    const [x, y] = [(index % columns) * CHART_WIDTH, Math.floor(index / columns) * CHART_HEIGHT];
    return `<g transform="translate(${x} ${y})">${drawChart(chart)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="12" fill="#1f2328">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...placed,
    '</svg>\n',
  ].join('\n');
}

function drawChart({ title, x, y, series }: Chart): string {
  const left = (value: number) => round(MARGIN.left + x.scale.at(value) * PLOT_WIDTH);
  const top = (value: number) => round(MARGIN.top + (1 - y.scale.at(value)) * PLOT_HEIGHT);
  const bottom = MARGIN.top + PLOT_HEIGHT;
  const right = MARGIN.left + PLOT_WIDTH;
  const grid = 'stroke="#e4e7eb"';
  return [
    text(MARGIN.left, 22, title, 'font-size="15" font-weight="bold"'),
    legend(series),
    ...y.scale.ticks.flatMap((tick) => [
      `<line x1="${MARGIN.left}" x2="${right}" y1="${top(tick)}" y2="${top(tick)}" ${grid}/>`,
      text(MARGIN.left - 8, top(tick) + 4, y.format(tick), 'text-anchor="end" fill="#57606a"'),
    ]),
    ...x.scale.ticks.flatMap((tick) => [
      `<line x1="${left(tick)}" x2="${left(tick)}" y1="${MARGIN.top}" y2="${bottom}" ${grid}/>`,
      text(left(tick), bottom + 18, x.format(tick), 'text-anchor="middle" fill="#57606a"'),
    ]),
    text(MARGIN.left + PLOT_WIDTH / 2, CHART_HEIGHT - 10, x.label, 'text-anchor="middle"'),
    text(0, 0, y.label, `text-anchor="middle" transform="translate(16 ${MARGIN.top + PLOT_HEIGHT / 2}) rotate(-90)"`),
    ...series.map(({ colour, points }) => {
      const path = points.map(([px, py]) => `${left(px)},${top(py)}`).join(' ');
      return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"/>`;
    }),
  ].join('\n');
}

/** One line below the title, in the order of the series. */
function legend(series: readonly Series[]): string {
  let at = MARGIN.left;
  return series
    .map(({ name, colour }) => {
      const swatch = `<rect x="${round(at)}" y="40" width="14" height="4" fill="${colour}"/>`;
      const label = text(round(at + 19), 46, name, '');
      at += 19 + name.length * LETTER_WIDTH + 18;
      return swatch + label;
    })
    .join('');
}

function text(x: number, y: number, content: string, attributes: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" ${attributes}>${escaped}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
