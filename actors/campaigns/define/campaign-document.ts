import type { Campaign } from '../../decision/targeting.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';

/* What a campaign's definition says about a time and a player. */

/** Whether the time is between the campaign's start and its end. */
export function isRunning({ startAt, endAt }: CampaignDocument, nowMs: number): boolean {
  return (startAt === null || nowMs >= startAt) && (endAt === null || nowMs < endAt);
}

export function isInAudience({ audience }: CampaignDocument, { segments }: PlayerState): boolean {
  return audience === null || segments.some(({ segmentId }) => segmentId === audience);
}

/** The cause of a trigger, as a text for analysts. */
export function causeOf({ document: { trigger } }: Campaign): string {
  switch (trigger.kind) {
    case 'event':
      return `event:${trigger.event}`;
    case 'segment_entered':
    case 'segment_exited':
      return `${trigger.kind}:${trigger.segmentId}`;
    case 'lifecycle':
      return `lifecycle:${trigger.stage}`;
    case 'churn':
      return 'churn:high';
    case 'schedule':
      return 'schedule';
  }
}
