import type { FieldFault } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { CampaignDocument, CampaignTrigger } from '../vocabulary/documents.ts';
import { hasTooManyPatterns, TOO_MANY_PATTERNS } from '../conditions/pattern-load.ts';
import { unknownSegment, type SegmentLookup } from '../segments/unknown-segment.ts';
import { compileCampaign } from './compile-campaign.ts';

/** What a definition is judged by beside itself. */
export interface CampaignContext extends SegmentLookup {
  /** Epoch milliseconds. */
  nowMs: number;
}

/** A fault with the value it speaks of. */
interface Validation extends FieldFault {
  value: unknown;
}

/**
 * What is wrong with a definition that has the right shape. Paths are JSON pointers with the names of the wire.
 * @param held what the definition changes: only what the change brings in counts, as a campaign whose segment is gone, or
 * whose time has come, must still be switched off
 * @returns at most `LIMITS.reportedFaults`; none: the campaign compiles, or is no worse than it was
 */
export function campaignFaults(
  document: CampaignDocument,
  around: CampaignContext,
  held?: CampaignDocument,
): FieldFault[] {
  if (loads(document) && (held === undefined || !loads(held))) {
    return [{ path: '/trigger/conditions', message: TOO_MANY_PATTERNS }];
  }
  const before = new Set(held === undefined ? [] : validate(held, around).map((fault) => JSON.stringify(fault)));
  return validate(document, around)
    .filter((fault) => !before.has(JSON.stringify(fault)))
    .slice(0, LIMITS.reportedFaults)
    .map(({ path, message }) => ({ path, message }));
}

/** Whether compiling a campaign's condition would take too long. */
function loads({ trigger }: CampaignDocument): boolean {
  return trigger.kind === 'event' && hasTooManyPatterns(trigger.conditions ?? {});
}

function validate(document: CampaignDocument, around: CampaignContext): Validation[] {
  const { trigger, quietHours } = document;
  if (trigger.kind === 'event' && Buffer.byteLength(JSON.stringify(trigger.conditions ?? {})) > LIMITS.documentBytes) {
    const message = `must be at most ${LIMITS.documentBytes} bytes as JSON`;
    return [{ path: '/trigger/conditions', message, value: trigger }];
  }
  const compiled = compileCampaign(document);
  const value = { trigger, quietHours };
  const excess = compiled.kind === 'compiled' ? compiled.excess : undefined;
  return [
    ...(excess === undefined ? [] : [{ ...excess, value: trigger }]),
    ...(compiled.kind === 'invalid' ? compiled.faults.map((fault) => ({ ...fault, value })) : []),
    ...segmentFaults(document, around),
    ...timeFaults(document),
    ...(trigger.kind === 'schedule' ? scheduleFaults(trigger, document, around) : []),
  ];
}

function segmentFaults({ trigger, audience }: CampaignDocument, around: CampaignContext): Validation[] {
  const faults: Validation[] = [];
  if (trigger.kind === 'segment_entered' || trigger.kind === 'segment_exited') {
    const value = trigger.segmentId;
    if (!around.segmentExists(value)) {
      faults.push({ path: `/trigger/${trigger.kind}`, message: unknownSegment(value, around), value });
    }
  }
  if (audience !== null && !around.segmentExists(audience)) {
    faults.push({ path: '/audience', message: unknownSegment(audience, around), value: audience });
  }
  return faults;
}

function timeFaults({ quietHours, startAt, endAt }: CampaignDocument): Validation[] {
  const faults: Validation[] = [];
  if (quietHours !== null && quietHours.from === quietHours.to) {
    faults.push({ path: '/quiet_hours/to', message: 'must differ from `from`', value: quietHours });
  }
  if (startAt !== null && endAt !== null && endAt <= startAt) {
    faults.push({ path: '/end_at', message: 'must be after `start_at`', value: [startAt, endAt] });
  }
  return faults;
}

function scheduleFaults(
  { at }: Extract<CampaignTrigger, { kind: 'schedule' }>,
  { startAt, endAt }: CampaignDocument,
  { nowMs }: CampaignContext,
): Validation[] {
  const path = '/trigger/schedule/at';
  const value: Json = [at, startAt, endAt];
  const isWithin = at >= (startAt ?? -Infinity) && at < (endAt ?? Infinity);
  return [
    ...(at > nowMs ? [] : [{ path, message: 'must be in the future', value: at }]),
    ...(isWithin ? [] : [{ path, message: 'must be between `start_at` and `end_at`', value }]),
  ];
}
