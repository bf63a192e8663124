import type { DefinitionKind, TargetingKind } from '../../../../core/vocabulary/documents/document-kinds.ts';
import type { ScheduledChange, ScheduledWork, ScheduleDocument } from '../../../../core/vocabulary/schedules.ts';
import { failure, type Failure, isFailure } from '../../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import { parseTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import type { ConfigEntry } from '../../../../streams/config/config-store.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { invalid } from '../../route/route.ts';
import { DEFINITION_LIMITS } from '../limits.ts';
import type { Scheduling } from '../definition-resource.ts';
import type { Changed } from '../history/differences.ts';
import { digestsOf, type Planner } from './scheduled-kind.ts';
import type { ScheduleBody } from './schedule-resource.ts';

/* The changes that a request plans, each checked as it would be made after those before it. */

type NewChange = Pick<ScheduledChange, 'at' | 'does' | 'difference' | 'seen'>;

/** The changes, and the definition before and after each. */
export interface PlannedChanges {
  kind: 'changes';
  changes: NewChange[];
  foreseen: Changed[];
}

interface Timed {
  at: number;
  does: ScheduledWork;
}

export async function planChanges<K extends DefinitionKind & TargetingKind>(
  body: ScheduleBody,
  entry: ConfigEntry<K>,
  held: ScheduleDocument | undefined,
  { plan, ruleAt }: { plan: Planner<K>; ruleAt: Scheduling<K, never>['ruleAt'] },
  context: RequestContext,
): Promise<PlannedChanges | Failure> {
  if ((body.changes === undefined) === (body.rollout === undefined)) return ONE_OF;
  const pending = (held?.changes ?? []).filter(({ state }) => state === 'pending');
  const asked = body.changes ?? body.rollout?.steps ?? [];
  if (pending.length + asked.length > DEFINITION_LIMITS.scheduledOfDefinition) return TOO_MANY;
  const works =
    body.rollout === undefined ? patchesOf(body) : await stepsOf(body.rollout, entry, { plan, ruleAt }, context);
  if (isFailure(works)) return works;
  const times = timesOf(
    asked,
    body.changes === undefined ? '/rollout/steps' : '/changes',
    context.services.clock.wallMs(),
  );
  if (isFailure(times)) return times;
  const timed = works.map((does, place) => ({ at: times[place] ?? 0, does }));
  return checked(timed, pending, entry, plan, context);
}

/** Each change as it would be made after those before it, among those that wait already. */
async function checked<K extends DefinitionKind & TargetingKind>(
  timed: readonly Timed[],
  pending: readonly ScheduledChange[],
  entry: ConfigEntry<K>,
  plan: Planner<K>,
  context: RequestContext,
): Promise<PlannedChanges | Failure> {
  const now = await wireOf(entry, plan, context);
  if (isFailure(now)) return now;
  const changes: NewChange[] = [];
  const foreseen: Changed[] = [];
  let at = entry;
  for (const change of [...pending, ...timed].toSorted((one, other) => one.at - other.at)) {
    const isNew = !('state' in change);
    const planned = await plan(at, change.does, context);
    if (planned.kind === 'planned') {
      const before = at.document;
      at = { ...at, document: planned.next };
      if (!isNew) continue;
      foreseen.push({ before, after: planned.next });
      const seen = change.does.kind === 'patch' ? digestsOf(Object.keys(change.does.patch), now.wire) : {};
      changes.push({ ...change, difference: planned.difference, seen });
    } else if (isNew) {
      const { message } = planned.kind === 'skipped' ? { message: planned.why } : planned;
      const why = `Change ${changes.length + 1} cannot be made: ${message ?? 'it is not valid.'}`;
      return planned.kind === 'skipped' ? failure('CONFLICT', why) : { ...planned, message: why };
    }
  }
  return { kind: 'changes', changes, foreseen };
}

function patchesOf({ changes = [] }: ScheduleBody): ScheduledWork[] | Failure {
  const large = changes.findIndex(
    ({ patch }) => Buffer.byteLength(JSON.stringify(patch)) > DEFINITION_LIMITS.scheduledPatchBytes,
  );
  if (large >= 0) return invalid([{ path: `/changes/${large}/patch`, message: TOO_LARGE }]);
  const empty = changes.findIndex(({ patch }) => Object.keys(patch).length === 0);
  if (empty >= 0) return invalid([{ path: `/changes/${empty}/patch`, message: 'must name a field' }]);
  return changes.map(({ patch }) => ({ kind: 'patch', patch }));
}

async function stepsOf<K extends DefinitionKind & TargetingKind>(
  { rule: place = 1, steps }: NonNullable<ScheduleBody['rollout']>,
  entry: ConfigEntry<K>,
  { plan, ruleAt }: { plan: Planner<K>; ruleAt: Scheduling<K, never>['ruleAt'] },
  context: RequestContext,
): Promise<ScheduledWork[] | Failure> {
  const shown = await wireOf(entry, plan, context);
  if (isFailure(shown)) return shown;
  const found = ruleAt?.(shown.wire, place);
  if (found === undefined)
    return invalid([{ path: '/rollout/rule', message: `is ${place}, and there is no such rule` }]);
  const { percentage: now, name, digest } = found;
  const low = steps.findIndex(({ percentage }, step) => percentage <= (steps[step - 1]?.percentage ?? now));
  if (low >= 0) {
    const before = steps[low - 1]?.percentage ?? now;
    const message = `must be more than ${before}, the percentage before it; to lower one, schedule a change`;
    return invalid([{ path: `/rollout/steps/${low}/percentage`, message }]);
  }
  return steps.map(({ percentage }) => ({ kind: 'step', rule: { name, digest }, percentage }));
}

/** The definition as callers see it. */
async function wireOf<K extends DefinitionKind & TargetingKind>(
  entry: ConfigEntry<K>,
  plan: Planner<K>,
  context: RequestContext,
): Promise<{ kind: 'wire'; wire: JsonObject } | Failure> {
  const planned = await plan(entry, { kind: 'patch', patch: {} }, context);
  if (planned.kind === 'skipped') return failure('CONFLICT', planned.why);
  return planned.kind === 'planned' ? { kind: 'wire', wire: planned.before } : planned;
}

/** When changes are made. */
function timesOf(asked: readonly { at?: string; after?: string }[], path: string, nowMs: number): number[] | Failure {
  const times: number[] = [];
  for (const [place, { at, after }] of asked.entries()) {
    const before = times.at(-1) ?? nowMs;
    const atMs = at === undefined ? undefined : parseTimestamp(at);
    const timeMs = at === undefined ? before + durationMs(after) : Math.max(atMs ?? nowMs, nowMs);
    const faulty = (message: string): Failure => invalid([{ path: `${path}/${place}`, message }]);
    if (at !== undefined && after !== undefined) return faulty('has `at` and `after`; send one of them');
    if (atMs !== undefined && atMs < nowMs - DEFINITION_LIMITS.scheduledBackMs) return faulty(PAST);
    if (timeMs > nowMs + DEFINITION_LIMITS.scheduledAheadMs) return faulty('is more than a year ahead');
    if (timeMs < before) return faulty('is before the change that precedes it; send them in order of time');
    times.push(timeMs);
  }
  return times;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const durationMs = (text = '0m'): number => Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 0);

const PAST = 'is in the past; leave out `at` to make the change at once';
const ONE_OF = invalid([{ path: '', message: 'must have exactly one of `changes` and `rollout`' }]);
const TOO_LARGE = `is larger than ${DEFINITION_LIMITS.scheduledPatchBytes} bytes as JSON`;
const TOO_MANY = failure(
  'CONFLICT',
  `A definition has at most ${DEFINITION_LIMITS.scheduledOfDefinition} changes that wait. Cancel some first.`,
);
