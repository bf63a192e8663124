import packageJson from '../../package.json' with { type: 'json' };
import type { Clock } from '../../core/kernel/clock.ts';

/** What a process says about itself, for operators. */
export const about = (clock: Pick<Clock, 'wallMs'>) => ({ version: packageJson.version, startedAt: clock.wallMs() });
