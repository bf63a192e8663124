import type { Run } from '../ingest/run.ts';
import { figure, table } from '../report/table.ts';
import type { ProfileEntry, ProfileSummary } from './summarise-profile.ts';

/** Functions listed by self time, and again by total time. */
const LISTED = 30;

/** A profile as text for a terminal. @param events handled while it was taken */
export function profileTables(summary: ProfileSummary, run: Run): string {
  const { spanMs, busyMs, groups, functions } = summary;
  const events = run.eventsPerSecond * run.seconds;
  const perEventUs = (ms: number) => figure((ms * 1000) / events);
  const share = (ms: number) => `${((ms / busyMs) * 100).toFixed(1)} %`;
  const top = (by: 'selfMs' | 'totalMs') =>
    functions
      .filter(({ group, name }) => by === 'selfMs' || (!group.startsWith('native') && name !== '(root)'))
      .toSorted((a, b) => b[by] - a[by])
      .slice(0, LISTED);
  const lines = (entries: readonly ProfileEntry[], by: 'selfMs' | 'totalMs') =>
    table(
      ['', 'ms', 'of busy', 'µs/event'],
      entries.map((entry) => [entry.name, figure(entry[by]), share(entry[by]), perEventUs(entry[by])]),
    );
  return [
    '',
    `${figure(run.requestsPerSecond)} requests/s, ${figure(run.eventsPerSecond)} events/s under the profiler; the service's ` +
      `main thread was busy ${figure(busyMs)} of ${figure(spanMs)} ms, its process used ` +
      `${figure((run.cpuSecondsPerThousandEvents['service'] ?? Number.NaN) * 1000)} µs of CPU per event in all threads`,
    '\nSelf time by group of modules',
    table(
      ['', 'ms', 'of busy', 'µs/event'],
      groups.map(({ group, selfMs }) => [group, figure(selfMs), share(selfMs), perEventUs(selfMs)]),
    ),
    '\nFunctions by self time',
    lines(top('selfMs'), 'selfMs'),
    '\nFunctions by time including what they called',
    lines(top('totalMs'), 'totalMs'),
    '',
  ].join('\n');
}
