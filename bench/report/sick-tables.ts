import { latencyAt, medianLatency } from '../measure/latency.ts';
import { median, medianRatio } from '../measure/statistics.ts';
import type { SickFigures, SickRun } from '../outputs/sick.ts';
import { latencyRow, section } from './sections.ts';
import { figure, table } from './table.ts';
import { usageTables } from './usage-tables.ts';

/** The most that p99 of first attempts may grow when three webhooks in ten are sick. */
const GOAL = 1.5;

/** Webhooks that are well, with and without sick ones beside them. */
export function sickTables({ webhooks, eventsPerSecond, seconds, rounds }: SickFigures): string {
  const without = rounds.map((round) => round.without);
  const withSick = rounds.map((round) => round.with);
  const named = [
    ['without the sick', without],
    ['with the sick', withSick],
  ] as const;
  const p99 = (run: SickRun): number => latencyAt(run.delays.latency, 0.99);
  const ofMedians = median(withSick.map(p99)) / median(without.map(p99));
  const ofPairs = medianRatio(rounds.map((round) => ({ of: p99(round.with), to: p99(round.without) })));
  const sum = (runs: readonly SickRun[], of: (run: SickRun) => number): string =>
    String(runs.reduce((total, run) => total + of(run), 0));
  return [
    section(
      `First attempts at ${(webhooks * 7) / 10} webhooks that are well, ms, with and without ${(webhooks * 3) / 10} that hang, ` +
        `answer 500 or drip: ${figure(eventsPerSecond)} events/s for ${seconds} s (medians of the rounds)`,
      table(
        ['', 'p50', 'p99', 'p99.9', 'max', 'deliveries', 'missing', 'again', 'retries', 'pending MiB'],
        named.map(([name, runs]) => [
          ...latencyRow(name, medianLatency(runs.map((run) => run.delays.latency))),
          sum(runs, ({ delays }) => delays.wanted),
          sum(runs, ({ delays }) => delays.missing),
          sum(runs, ({ delays }) => delays.repeated + delays.unwanted),
          sum(runs, ({ retries }) => retries),
          figure(median(runs.map(({ pendingMiB }) => pendingMiB))),
        ]),
      ),
    ),
    `Ratio of the medians of p99: ${ofMedians.toFixed(2)} (goal: at most ${GOAL}); median of the pairs' ratios: ${ofPairs.toFixed(2)}`,
    `p99 by round, without and with: ${rounds.map((round) => `${figure(p99(round.without))} and ${figure(p99(round.with))}`).join('; ')}`,
    section(
      'What the sick got: attempts, and exchanges open at once; what the service told at the end of the load (medians)',
      table(
        ['failing', 'hanging', 'dripping', 'most open', 'put off', 'pending', 'overflowed', 'open circuits'],
        [
          [
            ...(['failing', 'hanging', 'dripping'] as const).map((behaviour) =>
              figure(median(withSick.map(({ sick }) => sick.attempts[behaviour]))),
            ),
            figure(median(withSick.map(({ sick }) => sick.mostOpen))),
            ...(['defer', 'pending', 'overflowed', 'openCircuits'] as const).map((name) =>
              figure(median(withSick.map(({ told }) => told[name]))),
            ),
          ],
        ],
      ),
    ),
    usageTables(named),
  ].join('\n');
}
