import type { CampaignDocument } from '../vocabulary/documents.ts';
import type { DomainFact } from '../vocabulary/facts.ts';
import type { Campaign } from '../targeting.ts';
import { byPriority } from './priority.ts';

/** The campaigns of one game and environment that are enabled and compile, and which of them a fact triggers. */
export interface CampaignSet {
  /** The most urgent first. */
  readonly all: readonly Campaign[];
  get(id: string): Campaign | undefined;
  /** The most urgent first. Their conditions, times and audiences are not asked yet. */
  triggeredBy(fact: DomainFact): readonly Campaign[];
  /** Those with a time in the window, the most urgent first. */
  scheduledIn(window: ScheduleWindow): readonly Campaign[];
}

/** The times after the one and up to the other, epoch milliseconds. */
export interface ScheduleWindow {
  after: number;
  until: number;
}

/** Whether a campaign's time is in the window. */
export function isScheduledIn({ trigger }: CampaignDocument, { after, until }: ScheduleWindow): boolean {
  return trigger.kind === 'schedule' && trigger.at > after && trigger.at <= until;
}

const NONE: readonly Campaign[] = [];

/** Indexes campaigns by what triggers them: an event that triggers nothing costs one look. */
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
    const held = index.get(key);
    if (held === undefined) index.set(key, [campaign]);
    else held.push(campaign);
  }
  return index;
}
