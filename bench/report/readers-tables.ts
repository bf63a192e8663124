import { latencyAt } from '../measure/latency.ts';
import type { StreamRun } from '../outputs/measure-stream.ts';
import type { ReadersFigures } from '../outputs/readers.ts';
import { errorTable } from './run-tables.ts';
import { section } from './sections.ts';
import { figure, table, type Row } from './table.ts';

const HEAD = [
  '',
  'messages/s',
  'behind at the end, s',
  'p50 ms',
  'p99 ms',
  'CPU s per million',
  'missing',
  'out of order, again',
  'ended',
  'CPUs lost to others',
];

/** Readers of the stream: more and more of them, then some that are stalled. */
export function readersTables({ eventsPerSecond, steps, stalled }: ReadersFigures): string {
  const { before, stalled: withStalled, peak, after } = stalled.rssMiB;
  const named = [
    ...steps.flatMap(
      ({ readers, bare, service }) =>
        [
          [`${readers} readers: bare relay`, [bare]],
          [`${readers} readers: service`, [service]],
        ] as const,
    ),
    [`${stalled.readers} readers, ${stalled.stalled} stalled`, [stalled]] as const,
  ];
  return [
    section(
      `Readers of the stream at ${figure(eventsPerSecond)} events/s; then ${stalled.readers} beside ${stalled.stalled} that take nothing`,
      table(
        HEAD,
        named.map(([name, [run]]) => streamRow(name, run)),
      ),
    ),
    section(
      `Resident memory of the service, MiB: ${stalled.stalled} readers that take nothing, ${figure(stalled.floodBytes / 1e6)} MB sent to each; ` +
        `then the others, ${stalled.eventsPerSecond} events/s for ${stalled.seconds} s`,
      table(
        ['before', 'with the stalled', 'at most', 'after', 'streams open at the end'],
        [[before, withStalled, peak, after, stalled.openAtEnd].map(figure)],
      ),
    ),
    section('Errors', errorTable(named)),
  ].join('\n');
}

function streamRow(name: string, run: StreamRun): Row {
  const { delays, behindSeconds } = run;
  return [
    name,
    figure(run.messagesPerSecond),
    behindSeconds === undefined ? 'never whole' : behindSeconds.toFixed(2),
    figure(latencyAt(delays.latency, 0.5)),
    figure(latencyAt(delays.latency, 0.99)),
    figure(run.cpuSecondsPerMillion),
    String(run.missing),
    String(run.disordered),
    String(run.ended),
    figure(run.usage.othersCpus),
  ];
}
