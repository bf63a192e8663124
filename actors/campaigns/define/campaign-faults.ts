import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { Json } from '../../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import type { CampaignDocument, CampaignTrigger } from '../../../core/vocabulary/documents/documents.ts';
import { hasTooManyPatterns, TOO_MANY_PATTERNS } from '../../conditions/check/pattern-load.ts';
import { unknownSegment, unknownSegmentFaults, type SegmentLookup } from '../../segments/unknown-segment.ts';
import { compileCampaign } from './compile-campaign.ts';
import { messageFaults } from './message-faults.ts';

/** The state that a definition is validated against. */
export interface CampaignContext extends SegmentLookup {
  /** Epoch milliseconds. */
  nowMs: number;
}

/** A fault and the value it refers to, which together identify it. */
interface Validation extends FieldFault {
  value: unknown;
}

/**
 * Validates a definition that matches its schema. Paths are JSON Pointers with the names of the wire.
 * @param previous the definition before an edit: only new faults are returned, so that a campaign whose segment was
 * deleted, or whose time has passed, can still be disabled
 * @returns at most `reportedFaults`; none: the campaign compiles, or the edit adds no fault
 */
export function campaignFaults(
  document: CampaignDocument,
  context: CampaignContext,
  previous?: CampaignDocument,
): FieldFault[] {
  if (exceedsPatterns(document) && (previous === undefined || !exceedsPatterns(previous))) {
    return [{ path: '/trigger/conditions', message: TOO_MANY_PATTERNS }];
  }
  const before = new Set(
    previous === undefined ? [] : validate(previous, context).map((fault) => JSON.stringify(fault)),
  );
  return validate(document, context)
    .filter((fault) => !before.has(JSON.stringify(fault)))
    .slice(0, VALIDATION_LIMITS.reportedFaults)
    .map(({ path, message }) => ({ path, message }));
}

/** Whether the campaign's regular expressions would take too long to compile. */
function exceedsPatterns({ trigger }: CampaignDocument): boolean {
  return trigger.kind === 'event' && hasTooManyPatterns(trigger.conditions ?? {});
}

function validate(document: CampaignDocument, context: CampaignContext): Validation[] {
  const { trigger, quietHours } = document;
  if (
    trigger.kind === 'event' &&
    Buffer.byteLength(JSON.stringify(trigger.conditions ?? {})) > TEXT_LIMITS.documentBytes
  ) {
    const message = `is too large; the maximum is ${TEXT_LIMITS.documentBytes} bytes as JSON`;
    return [{ path: '/trigger/conditions', message, value: trigger }];
  }
  const compiled = compileCampaign(document);
  const value = { trigger, quietHours };
  return [
    ...(compiled.kind === 'invalid' ? compiled.faults : compiled.refusals).map((fault) => ({ ...fault, value })),
    ...segmentFaults(document, context),
    ...timeFaults(document),
    ...messageFaults(document).map((fault) => ({ ...fault, value: [document.content, document.variants] })),
    ...(trigger.kind === 'schedule' ? scheduleFaults(trigger, document, context) : []),
  ];
}

function segmentFaults({ trigger, audience }: CampaignDocument, context: CampaignContext): Validation[] {
  const faults: Validation[] = [];
  if (trigger.kind === 'segment_entered' || trigger.kind === 'segment_exited') {
    const value = trigger.segmentId;
    if (!context.segmentExists(value)) {
      faults.push({ path: `/trigger/${trigger.kind}`, message: unknownSegment(value, context), value });
    }
  }
  if (trigger.kind === 'event') {
    const unknown = unknownSegmentFaults(trigger.conditions ?? {}, '/trigger/conditions', context);
    faults.push(...unknown.map((fault) => ({ ...fault, value: trigger.conditions })));
  }
  if (audience !== null && !context.segmentExists(audience)) {
    faults.push({ path: '/audience', message: unknownSegment(audience, context), value: audience });
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
