import { Type } from 'typebox';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { effectiveAt } from '../../../core/vocabulary/labels.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';
import { within } from '../../../core/kernel/clock.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { nullable, oneOf, timeOut } from '../input/fields.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { Times } from '../../../streams/use-times.ts';
import { FLAG_API_LIMITS } from './limits.ts';
import { settledSince } from './settled.ts';

/*
 * Which flags can probably go. What has ended and what serves one value is in the definitions. Whether a flag is used
 * is asked of the times of evaluations, and of ClickHouse only about flags that were not evaluated here for so long: by
 * one query for all of them.
 */

const { staleDays, exposureDays } = FLAG_API_LIMITS;

const REASONS = {
  ended: 'its `ends_at` has passed.',
  unused: `it was not evaluated for ${staleDays} days, and no exposure was reported.`,
  settled: `it has served one value to all players for ${staleDays} days.`,
} as const;
type Reason = keyof typeof REASONS;

export interface Stale {
  reason: Reason;
  /** Epoch milliseconds. */
  since: number;
}

const reasons = Object.entries(REASONS).map(([reason, text]) => `\`${reason}\`: ${text}`);

/** In answers that read flags. */
export const STALE_FIELDS = {
  stale: Type.Optional(
    nullable(
      Type.Object(
        {
          reason: oneOf(['ended', 'unused', 'settled'], `Why, the first that holds. ${reasons.join(' ')}`),
          since: timeOut(`Since when. Of what is \`unused\`, exposures of ${exposureDays} days are known.`),
        },
        { description: 'Why the flag can probably go; null: it is in use. In answers to GET only.' },
      ),
    ),
  ),
  stale_unknown: Type.Optional(
    oneOf(
      ['use_unavailable'],
      'With `stale` null: the times of evaluations or exposures cannot be read now, so the flag may be `unused`.',
    ),
  ),
};

export interface StaleFlags {
  of: (flag: FlagDocument) => Stale | undefined;
  /** Whether a flag without a reason may be unused. */
  isUnknown: (flag: FlagDocument) => boolean;
}

export async function staleFlags(flags: readonly FlagDocument[], context: RequestContext): Promise<StaleFlags> {
  const nowMs = context.services.clock.wallMs();
  const oldMs = nowMs - staleDays * DAY_MS;
  const old = flags.filter((flag) => flag.archivedAt === null && effectiveAt(flag) <= oldMs);
  const times = old.length === 0 ? undefined : await evaluationTimes(context);
  const evaluatedAt = ({ key, createdAt }: FlagDocument): number => {
    const all = times !== undefined && times.all >= createdAt ? times.all : 0;
    return Math.max(all, times?.byKey.get(key) ?? 0);
  };
  const asked = times === undefined ? [] : old.filter((flag) => evaluatedAt(flag) <= oldMs);
  const exposedAt = await lastExposures(asked, context, nowMs);
  const unknown = new Set(times === undefined ? old : exposedAt === undefined ? asked : []);
  const candidates = new Set(asked);

  function unusedSince(flag: FlagDocument): number | undefined {
    if (exposedAt === undefined || !candidates.has(flag)) return undefined;
    const last = Math.max(exposedAt.get(flag.key) ?? 0, evaluatedAt(flag), effectiveAt(flag));
    return last <= oldMs ? last : undefined;
  }

  function of(flag: FlagDocument): Stale | undefined {
    if (flag.archivedAt !== null) return undefined;
    if (flag.endsAt !== undefined && flag.endsAt <= nowMs) return { reason: 'ended', since: flag.endsAt };
    const unused = unusedSince(flag);
    if (unused !== undefined) return { reason: 'unused', since: unused };
    const settled = settledSince(flag, nowMs);
    return settled !== undefined && settled <= oldMs ? { reason: 'settled', since: settled } : undefined;
  }

  return { of, isUnknown: (flag) => unknown.has(flag) };
}

async function evaluationTimes({ key: { game, environment }, services }: RequestContext) {
  const read = services.flagUse.read({ game, environment }).catch((): Times | undefined => undefined);
  return within(services.clock, FLAG_API_LIMITS.staleMs, read);
}

/** When flags were last exposed, of those that were; `undefined`: ClickHouse does not answer in time. */
async function lastExposures(
  flags: readonly FlagDocument[],
  { key: { game, environment }, services }: RequestContext,
  nowMs: number,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (flags.length === 0) return new Map();
  const keys = flags.map(({ key }) => key);
  const query = { game, environment, keys, sinceMs: nowMs - exposureDays * DAY_MS };
  const found = await within(services.clock, FLAG_API_LIMITS.staleMs, services.analytics.flagUsage(query));
  if (found === undefined || found.kind === 'unavailable') return undefined;
  return new Map(found.value.map(({ flagKey, lastExposedAt }) => [flagKey, lastExposedAt]));
}

/** @param stale what is known of the flag; absent: it was not looked up */
export function staleJson(flag: FlagDocument, stale: StaleFlags | undefined) {
  if (stale === undefined) return {};
  const found = stale.of(flag);
  if (found !== undefined) return { stale: { reason: found.reason, since: formatTimestamp(found.since) } };
  return stale.isUnknown(flag) ? { stale: null, stale_unknown: 'use_unavailable' } : { stale: null };
}
