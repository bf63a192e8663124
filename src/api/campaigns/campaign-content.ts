import type { CampaignDocument, CampaignTrigger } from '../../../core/vocabulary/documents/documents.ts';
import type { MessageContent } from '../../../core/vocabulary/message.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import { CAMPAIGN_API_LIMITS } from './limits.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import type { CampaignBody, CampaignPatch } from './campaign-resource.ts';
import { contentOf, variantsOf } from './message-fields.ts';

/* Converts bodies of campaign requests into the parts of a campaign that callers set. */

/** The parts of a campaign that callers set. */
export type CampaignContent = Omit<
  CampaignDocument,
  'id' | 'key' | 'createdAt' | 'updatedAt' | 'version' | 'writes' | 'tested'
>;

type Sent<K extends keyof CampaignPatch> = NonNullable<CampaignPatch[K]>;
type Read<T> = { kind: 'read'; value: T } | { kind: 'invalid'; faults: FieldFault[] };

/** Reads a whole campaign. Missing and null fields get their defaults. */
export function wholeContent(body: CampaignBody, key: string): Read<CampaignContent> {
  const trigger = readTrigger(body.trigger);
  if (trigger.kind === 'invalid') return trigger;
  const empty = emptyContent(key, trigger.value, contentOf(body.content));
  return { kind: 'read', value: over(body, empty, empty) };
}

/** Merges a change into a campaign: missing fields stay, null sets a field to its default. */
export function changedContent(body: CampaignPatch, held: CampaignDocument): Read<CampaignContent> {
  const trigger = body.trigger === undefined ? undefined : readTrigger(body.trigger);
  if (trigger?.kind === 'invalid') return trigger;
  const kept: CampaignContent = {
    ...held,
    trigger: trigger?.value ?? held.trigger,
    content: body.content === undefined ? held.content : contentOf(body.content),
  };
  return { kind: 'read', value: over(body, kept, emptyContent(held.key, kept.trigger, kept.content)) };
}

function emptyContent(key: string, trigger: CampaignTrigger, content: MessageContent): CampaignContent {
  return {
    name: key,
    enabled: true,
    trigger,
    audience: null,
    content,
    displayRules: { priority: 'normal', dismissAfterSeconds: 0 },
    caps: defaultCaps(trigger),
    cooldownSeconds: 0,
    quietHours: null,
    holdoutPercentage: 0,
    expiresAfterSeconds: CAMPAIGN_API_LIMITS.interventionExpirySeconds,
    startAt: null,
    endAt: null,
  };
}

/**
 * An event is what the player does, and a schedule comes once. Segments and stages are states that may flap, or change
 * for all players by an edit of their definition.
 */
function defaultCaps({ kind }: CampaignTrigger): CampaignContent['caps'] {
  switch (kind) {
    case 'segment_entered':
    case 'segment_exited':
      return { total: 1, perDay: null };
    case 'lifecycle':
    case 'churn':
      return { total: null, perDay: 1 };
    case 'event':
    case 'schedule':
      return { total: null, perDay: null };
  }
}

function over(body: CampaignPatch, kept: CampaignContent, empty: CampaignContent): CampaignContent {
  const { trigger, content } = kept;
  const variants = pick(body.variants, kept.variants, undefined, variantsOf);
  return {
    trigger,
    content,
    ...(variants === undefined ? {} : { variants }),
    name: pick(body.name, kept.name, empty.name, same),
    enabled: pick(body.enabled, kept.enabled, empty.enabled, same),
    audience: pick(body.audience, kept.audience, empty.audience, same),
    displayRules: pick(body.display_rules, kept.displayRules, empty.displayRules, (rules) => ({
      priority: rules.priority ?? empty.displayRules.priority,
      dismissAfterSeconds: rules.dismiss_after_seconds ?? empty.displayRules.dismissAfterSeconds,
    })),
    caps: pick(body.caps, kept.caps, empty.caps, (caps) => ({
      total: caps.total === undefined ? empty.caps.total : caps.total,
      perDay: caps.per_day === undefined ? empty.caps.perDay : caps.per_day,
    })),
    cooldownSeconds: pick(body.cooldown_seconds, kept.cooldownSeconds, empty.cooldownSeconds, same),
    quietHours: pick(body.quiet_hours, kept.quietHours, empty.quietHours, ({ from, to }) => ({ from, to })),
    holdoutPercentage: pick(body.holdout_percentage, kept.holdoutPercentage, empty.holdoutPercentage, same),
    expiresAfterSeconds: pick(body.expires_after_seconds, kept.expiresAfterSeconds, empty.expiresAfterSeconds, same),
    startAt: pick(body.start_at, kept.startAt, empty.startAt, epochMs),
    endAt: pick(body.end_at, kept.endAt, empty.endAt, epochMs),
  };
}

function pick<W, D>(wire: W | null | undefined, kept: D, empty: D, read: (wire: W) => D): D {
  if (wire === undefined) return kept;
  return wire === null ? empty : read(wire);
}

const same = <T>(value: T): T => value;

/** The schema has validated the time. */
function epochMs(text: string): number | null {
  return parseTimestamp(text) ?? null;
}

const KINDS = ['event', 'segment_entered', 'segment_exited', 'lifecycle', 'churn', 'schedule'] as const;

function readTrigger(sent: Sent<'trigger'>): Read<CampaignTrigger> {
  const named = KINDS.filter((kind) => sent[kind] !== undefined);
  if (named.length !== 1) return invalid('/trigger', `must have exactly one of ${KINDS.join(', ')}`);
  if (sent.conditions !== undefined && sent.event === undefined) {
    return invalid('/trigger/conditions', 'is allowed with `event` only; use `audience` for other triggers');
  }
  const value = triggerOf(sent);
  return value === undefined
    ? invalid('/trigger', `must have exactly one of ${KINDS.join(', ')}`)
    : { kind: 'read', value };
}

function triggerOf(sent: Sent<'trigger'>): CampaignTrigger | undefined {
  const { event, conditions, lifecycle, churn, schedule } = sent;
  if (event !== undefined) return { kind: 'event', event, ...(conditions === undefined ? {} : { conditions }) };
  if (sent.segment_entered !== undefined) return { kind: 'segment_entered', segmentId: sent.segment_entered };
  if (sent.segment_exited !== undefined) return { kind: 'segment_exited', segmentId: sent.segment_exited };
  if (lifecycle !== undefined) return { kind: 'lifecycle', stage: lifecycle };
  if (churn !== undefined) return { kind: 'churn', level: churn };
  const at = schedule === undefined ? null : epochMs(schedule.at);
  return at === null ? undefined : { kind: 'schedule', at };
}

function invalid(path: string, message: string): { kind: 'invalid'; faults: FieldFault[] } {
  return { kind: 'invalid', faults: [{ path, message }] };
}
