import type { UsageSeen } from '../measure/watch-usage.ts';
import { errorTable, perProcess, type NamedRuns } from './run-tables.ts';
import { section } from './sections.ts';

/** What every run tells besides its own figures. */
interface Used {
  errors: Record<string, number>;
  usage: UsageSeen;
}

/** CPU time, memory and errors of runs by name. */
export function usageTables(named: NamedRuns<Used>): string {
  return [
    section(
      'CPU seconds',
      perProcess(named, ({ usage }) => ({ ...usage.cpuSeconds, 'CPUs lost to others': usage.othersCpus }), false),
    ),
    section(
      'Resident memory at most, MiB',
      perProcess(named, ({ usage }) => usage.peakRssMiB, false),
    ),
    section('Errors', errorTable(named)),
  ].join('\n');
}
