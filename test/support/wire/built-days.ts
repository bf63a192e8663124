import { systemClock } from '../../../core/kernel/clock.ts';
import { createBuildJob } from '../../../streams/sinks/clickhouse/player-days/build-job.ts';
import type { PlayerDaysTarget } from '../../../streams/sinks/clickhouse/player-days/target.ts';
import type { HandledTo } from '../../../streams/positions/positions.ts';

let version = 0n;

/** Builds the days of all games with rows behind `from`, up to `to`, as the builder does. */
export async function buildDays(target: PlayerDaysTarget, from: number, to: HandledTo, zone = 'UTC'): Promise<void> {
  for (const tenant of await target.touched(from, to)) {
    version += 1n;
    const job = createBuildJob(target, { ...tenant, from, to, zone, version, asOfMs: 0 }, systemClock);
    while (await job.advance());
  }
}

/** A version for days that are built apart. */
export function nextVersion(): bigint {
  version += 1n;
  return version;
}
