import type { IngestComparison, IngestFigures } from './ingest-figures.ts';
import { BIN_MS } from '../load/load-result.ts';
import type { Run } from '../run.ts';
import { medianLatency, type Latency } from '../figures/statistics.ts';
import { COLOURS, picture, type Axis, type Chart, type Series } from './svg.ts';
import { linearScale, logScale } from './svg-scale.ts';
import { compact, figure } from './table.ts';

/** The pictures of a run, as SVG, by name. */
export function ingestPictures(figures: IngestFigures): Record<string, string> {
  const { soak } = figures;
  return {
    latency: picture([...closedLatency(figures), ...openLatency(figures)], 2),
    throughput: picture(throughputCharts(figures), 2),
    ...(soak?.memory === undefined ? {} : { memory: picture([memoryChart(soak.memory)], 1) }),
  };
}

const PALETTE = [COLOURS.first, COLOURS.second, COLOURS.third, COLOURS.fourth, COLOURS.reference];

function closedLatency({ few, many }: IngestFigures): Chart[] {
  const series = [
    ...medianSeries(
      'bare, 512',
      COLOURS.reference,
      many?.rounds.map(({ bare }) => bare),
    ),
    ...medianSeries(
      'service, 64',
      COLOURS.first,
      few?.rounds.map(({ service }) => service),
    ),
    ...medianSeries(
      'service, 512 connections',
      COLOURS.second,
      many?.rounds.map(({ service }) => service),
    ),
  ];
  return series.length === 0 ? [] : [latencyChart('Latency, single events, closed loop', series)];
}

/** Nothing where there are no runs. */
function medianSeries(name: string, colour: string, runs: readonly (Run | undefined)[] = []): Series[] {
  const latencies = runs.flatMap((run) => run?.latency ?? []);
  return latencies.length === 0 ? [] : [latencySeries(name, colour, medianLatency(latencies))];
}

function openLatency({ open, soak }: IngestFigures): Chart[] {
  if (open === undefined) return [];
  return [
    latencyChart(`Latency, open loop at ${figure(open.requestsPerSecond)} requests/s`, [
      ...medianSeries('bare', COLOURS.reference, [open.bare]),
      ...medianSeries('service', COLOURS.first, [open.service]),
      ...medianSeries('service, soak', COLOURS.third, [soak]),
    ]),
  ];
}

/** One request in this many: rarer ones are single requests in a short run. */
const RAREST_SHOWN = 0.0001;

function latencySeries(name: string, colour: string, latency: Latency): Series {
  const shown = latency.points.filter(({ share }) => 1 - share >= RAREST_SHOWN * 0.99);
  return { name, colour, points: shown.map(({ share, ms }) => [ms, 1 - share]) };
}

/** Read it as: this share of the requests took longer than that. Every tenth down is another nine of a percentile. */
function latencyChart(title: string, series: readonly Series[]): Chart {
  const times = series.flatMap(({ points }) => points.map(([ms]) => ms)).filter((ms) => ms > 0);
  return {
    title,
    x: {
      label: 'milliseconds',
      scale: logScale(Math.max(0.05, Math.min(...times)), Math.max(...times), true),
      format: String,
    },
    y: {
      label: 'share of requests that took longer',
      scale: logScale(RAREST_SHOWN, 1, false),
      format: (share) => `${Number((share * 100).toPrecision(1))} %`,
    },
    series,
  };
}

function throughputCharts({ few, many, batches, sustained, open }: IngestFigures): Chart[] {
  return [
    ...[few, many, batches].flatMap((one) => (one === undefined ? [] : [comparisonChart(one)])),
    ...(sustained === undefined ? [] : [serviceChart(`Batches, ${sustained.seconds} s`, sustained)]),
    ...(open === undefined ? [] : [serviceChart('Open loop', open.service)]),
  ];
}

/** The last round; the table's medians show where it differs from the others. */
function comparisonChart({ name, rounds }: IngestComparison): Chart {
  const last = rounds.at(-1);
  return serviceChart(name, last?.service, last?.bare);
}

function serviceChart(title: string, run: Run | undefined, bare?: Run): Chart {
  return overTime(title, 'events/s', [
    ...binSeries('bare', COLOURS.reference, bare?.eventsPerSecondByBin),
    ...binSeries('service', COLOURS.first, run?.eventsPerSecondByBin),
    ...binSeries('visible in ClickHouse', COLOURS.second, run?.rowsPerSecondByBin),
  ]);
}

function memoryChart(samples: NonNullable<Run['memory']>): Chart {
  const processes = Object.keys(samples[0]?.rssMiB ?? {});
  const series = processes.map((name, index): Series => ({
    name,
    colour: PALETTE[index % PALETTE.length] ?? COLOURS.reference,
    points: samples.map(({ atSeconds, rssMiB }) => [atSeconds, rssMiB[name] ?? 0]),
  }));
  return overTime('Resident memory over the soak', 'MiB', series);
}

/** A bin's rate is drawn at its middle; nothing where there are no rates. */
function binSeries(name: string, colour: string, rates: readonly number[] | undefined): Series[] {
  if (rates === undefined) return [];
  return [{ name, colour, points: rates.map((rate, bin) => [((bin + 0.5) * BIN_MS) / 1000, rate]) }];
}

function overTime(title: string, label: string, series: readonly Series[]): Chart {
  const axis = (label: string, pick: 0 | 1): Axis => ({
    label,
    scale: linearScale(Math.max(0, ...series.flatMap(({ points }) => points.map((point) => point[pick])))),
    format: compact,
  });
  return { title, x: axis('seconds', 0), y: axis(label, 1), series };
}
