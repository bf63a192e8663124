import { DAY_MS } from '../../core/kernel/days.ts';
import type { CampaignDocument } from '../../core/vocabulary/documents/documents.ts';
import type { OpenSession, PendingIntervention } from '../../core/vocabulary/state/player.ts';
import { createSegmentSet } from '../segments/segment-set.ts';
import { definitionsOf } from '../testing-players.ts';
import { createCampaignSet } from './define/campaign-set.ts';
import { compileCampaign } from './define/compile-campaign.ts';
import type { Definitions, CampaignSet } from '../decision/definitions.ts';

/** A campaign for tests: a message at each failed level, without caps. */
export function aCampaign(some: Partial<CampaignDocument> = {}): CampaignDocument {
  return {
    id: 'cmp_019bc0de-1234-7abc-8def-0123456789ab',
    key: 'comeback',
    name: 'Come back',
    enabled: true,
    trigger: { kind: 'event', event: 'level_failed' },
    audience: null,
    content: { title: 'Stuck?', body: 'Here is a hint.', cta: 'Show me' },
    displayRules: { priority: 'normal', dismissAfterSeconds: 30 },
    caps: { total: null, perDay: null },
    cooldownSeconds: 0,
    quietHours: null,
    holdoutPercentage: 0,
    expiresAfterSeconds: 604_800,
    startAt: null,
    endAt: null,
    createdAt: 0,
    updatedAt: 0,
    version: 1,
    ...some,
  };
}

/** The id of the n-th campaign of a test. */
export const campaignId = (n: number): string => `cmp_019bc0de-1234-7abc-8def-${String(n).padStart(12, '0')}`;

export function campaignSetOf(...documents: readonly CampaignDocument[]): CampaignSet {
  const compiled = documents.map((document) => {
    const made = compileCampaign(document);
    if (made.kind === 'invalid') throw new Error(JSON.stringify(made.faults));
    return made.campaign;
  });
  return createCampaignSet(compiled);
}

/** Definitions with these campaigns, and the segments if given. */
export function campaignsOf(documents: readonly CampaignDocument[], segments = createSegmentSet([])): Definitions {
  return definitionsOf({}, segments, campaignSetOf(...documents));
}

/** Noon of a day, epoch milliseconds. */
export const NOON = 20_000 * DAY_MS + DAY_MS / 2;

/** An open session without calls. */
export const aSession = (sessionId: string, openedAt: number): OpenSession => ({
  sessionId,
  openedAt,
  lastCallAt: openedAt,
  ttlMs: 1_800_000,
  flagKeys: null,
  flags: [],
  eventCount: 0,
  achievements: [],
  interventionsShown: 0,
  interventionsClicked: 0,
});

/** The n-th intervention of a test, of the n-th campaign. */
export const waiting = (n: number, some: Partial<PendingIntervention> = {}): PendingIntervention => ({
  interventionId: `int_${n}`,
  campaignId: campaignId(n),
  campaignKey: `c${n}`,
  campaignVersion: 1,
  createdAt: NOON + n,
  expiresAt: NOON + 7 * DAY_MS,
  offers: 0,
  offeredAt: 0,
  shownAt: 0,
  ...some,
});
