import type { CampaignSet, ScheduleWindow } from '../../decision/definitions.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { Campaign } from '../../decision/targeting.ts';
import { byPriority } from '../priority.ts';

/** Whether the campaign's scheduled time is in the window. */
export function isScheduledIn({ trigger }: CampaignDocument, { after, until }: ScheduleWindow): boolean {
  return trigger.kind === 'schedule' && trigger.at > after && trigger.at <= until;
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

const NONE: readonly Campaign[] = [];

/** Indexes campaigns by trigger: an event that triggers none costs one look-up. */
export function createCampaignSet(campaigns: readonly Campaign[]): CampaignSet {
  const all = campaigns.toSorted(
    (one, other) => byPriority(one.priority, other.priority) || (one.id < other.id ? -1 : 1),
  );
  const ids = new Map(all.map((campaign) => [campaign.id, campaign]));
  const events = indexed(all, ({ trigger }) => (trigger.kind === 'event' ? trigger.event : undefined));
  const entered = indexed(all, ({ trigger }) => (trigger.kind === 'segment_entered' ? trigger.segmentId : undefined));
  const exited = indexed(all, ({ trigger }) => (trigger.kind === 'segment_exited' ? trigger.segmentId : undefined));
  const stages = indexed(all, ({ trigger }) => (trigger.kind === 'lifecycle' ? trigger.stage : undefined));
  const churn = all.filter(({ document }) => document.trigger.kind === 'churn');
  return {
    all,
    get: (id) => ids.get(id),
    scheduledIn: (window) => all.filter(({ document }) => isScheduledIn(document, window)),
    triggeredBy(fact) {
      if ('imported' in fact) return NONE;
      if (fact.kind === 'EventTracked') return events.get(fact.eventName) ?? NONE;
      if (fact.kind === 'SegmentEntered') return entered.get(fact.segmentId) ?? NONE;
      if (fact.kind === 'SegmentExited') return exited.get(fact.segmentId) ?? NONE;
      if (fact.kind === 'LifecycleChanged') return stages.get(fact.to) ?? NONE;
      if (fact.kind === 'ChurnRiskChanged') return fact.high ? churn : NONE;
      return NONE;
    },
  };
}

function indexed(
  campaigns: readonly Campaign[],
  keyOf: (document: Campaign['document']) => string | undefined,
): ReadonlyMap<string, readonly Campaign[]> {
  const index = new Map<string, Campaign[]>();
  for (const campaign of campaigns) {
    const key = keyOf(campaign.document);
    if (key === undefined) continue;
    const list = index.get(key);
    if (list === undefined) index.set(key, [campaign]);
    else list.push(campaign);
  }
  return index;
}
