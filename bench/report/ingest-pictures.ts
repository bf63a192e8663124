import type { Comparison } from '../ingest/ingest-phases.ts';
import type { IngestFigures } from '../ingest/ingest.ts';
import type { Run } from '../ingest/run.ts';
import { BIN_MS } from '../load/load-result.ts';
import { medianLatency, type Latency } from '../measure/latency.ts';
import { COLOURS, picture, type Axis, type Chart, type Series } from './chart.ts';
import { linearScale, logScale } from './scale.ts';
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
  const of = (runs: readonly (Run | undefined)[]) => medianLatency(runs.flatMap((run) => run?.latency ?? []));
  const series = [
    ...(many?.rounds[0]?.bare === undefined
      ? []
      : [latencySeries('bare, 512', COLOURS.reference, of(many.rounds.map(({ bare }) => bare)))]),
    ...(few === undefined
      ? []
      : [latencySeries('service, 64', COLOURS.first, of(few.rounds.map(({ service }) => service)))]),
    ...(many === undefined
      ? []
      : [latencySeries('service, 512 connections', COLOURS.second, of(many.rounds.map(({ service }) => service)))]),
  ];
  return series.length === 0 ? [] : [latencyChart('Latency, single events, closed loop', series)];
}

function openLatency({ open, soak }: IngestFigures): Chart[] {
  if (open === undefined) return [];
  const series = [
    ...(open.bare === undefined ? [] : [latencySeries('bare', COLOURS.reference, open.bare.latency)]),
    latencySeries('service', COLOURS.first, open.service.latency),
    ...(soak === undefined ? [] : [latencySeries('service, soak', COLOURS.third, soak.latency)]),
  ];
  return [latencyChart(`Latency, open loop at ${figure(open.requestsPerSecond)} requests/s`, series)];
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

/** The last round: the others look like it, or the table's median would say so. */
function comparisonChart({ name, rounds }: Comparison): Chart {
  const last = rounds.at(-1);
  return overTime(name, 'events/s', [
    ...(last?.bare === undefined ? [] : [binSeries('bare', COLOURS.reference, last.bare.eventsPerSecondByBin)]),
    binSeries('service', COLOURS.first, last?.service.eventsPerSecondByBin ?? []),
    ...(last?.service.rowsPerSecondByBin === undefined
      ? []
      : [binSeries('visible in ClickHouse', COLOURS.second, last.service.rowsPerSecondByBin)]),
  ]);
}

function serviceChart(title: string, run: Run): Chart {
  return overTime(title, 'events/s', [
    binSeries('service', COLOURS.first, run.eventsPerSecondByBin),
    ...(run.rowsPerSecondByBin === undefined
      ? []
      : [binSeries('visible in ClickHouse', COLOURS.second, run.rowsPerSecondByBin)]),
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

/** A bin's rate stands at its middle. */
function binSeries(name: string, colour: string, rates: readonly number[]): Series {
  return { name, colour, points: rates.map((rate, bin) => [((bin + 0.5) * BIN_MS) / 1000, rate]) };
}

function overTime(title: string, label: string, series: readonly Series[]): Chart {
  const axis = (label: string, pick: 0 | 1): Axis => ({
    label,
    scale: linearScale(Math.max(0, ...series.flatMap(({ points }) => points.map((point) => point[pick])))),
    format: compact,
  });
  return { title, x: axis('seconds', 0), y: axis(label, 1), series };
}
