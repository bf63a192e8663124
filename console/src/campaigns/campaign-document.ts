import type { AnswerOf, Scope } from '../frame/api.ts';
import { isObject } from '../parts/editors/json-text.ts';
import { DAY_MS } from '../parts/charts/units.ts';

/* The campaign as the API shows it, the part that people write, and what follows from it. */

export type Campaign = AnswerOf<'GET /v1/campaigns/campaigns/{id}'>;
export type State = 'running' | 'scheduled' | 'paused' | 'over';
export const STATES: readonly State[] = ['running', 'scheduled', 'paused', 'over'];

export const TRIGGERS = ['event', 'segment_entered', 'segment_exited', 'lifecycle', 'churn', 'schedule'] as const;
export type TriggerKind = (typeof TRIGGERS)[number];

export const campaignQuery = ({ game, environment }: Scope, id: string): string[] => [
  'campaign',
  game,
  environment,
  id,
];

/** The fields that people write. */
export function writable(campaign: Campaign): Record<string, unknown> {
  const {
    campaign_id: _id,
    version: _version,
    created_at: _created,
    updated_at: _updated,
    warnings: _w,
    tested: _tested,
    ...rest
  } = campaign;
  return rest;
}

export const EMPTY_CAMPAIGN = {
  name: '',
  enabled: false,
  trigger: { event: '' },
  audience: null,
  content: { title: '', body: '', cta: '' },
  variants: null,
  display_rules: { priority: 'normal', dismiss_after_seconds: 0 },
  caps: { total: null, per_day: 1 },
  cooldown_seconds: 0,
  quiet_hours: null,
  holdout_percentage: 10,
  expires_after_seconds: 604_800,
  start_at: null,
  end_at: null,
};

type Timed = Pick<Campaign, 'enabled' | 'trigger' | 'start_at' | 'end_at'>;

export function stateOf({ enabled, trigger, start_at: startAt, end_at: endAt }: Timed, nowMs: number): State {
  const at = trigger.schedule === undefined ? undefined : Date.parse(trigger.schedule.at);
  if ((endAt !== null && Date.parse(endAt) <= nowMs) || (at !== undefined && at + SCHEDULE_LATE_MS <= nowMs))
    return 'over';
  if (!enabled) return 'paused';
  if ((startAt !== null && Date.parse(startAt) > nowMs) || (at !== undefined && at > nowMs)) return 'scheduled';
  return 'running';
}

/** A scheduled time takes effect up to a day late. */
const SCHEDULE_LATE_MS = DAY_MS;

/** When it gives messages; undefined: no bound. */
export function spanOf({ trigger, start_at: startAt, end_at: endAt }: Timed): { fromMs?: number; toMs?: number } {
  if (trigger.schedule !== undefined) {
    const atMs = Date.parse(trigger.schedule.at);
    return { fromMs: atMs, toMs: atMs + 1 };
  }
  return {
    ...(startAt === null ? {} : { fromMs: Date.parse(startAt) }),
    ...(endAt === null ? {} : { toMs: Date.parse(endAt) }),
  };
}

export function triggerKindOf(trigger: unknown): TriggerKind | undefined {
  return isObject(trigger) ? TRIGGERS.find((kind) => trigger[kind] !== undefined) : undefined;
}
