import { createCampaignSet } from './campaigns/define/campaign-set.ts';
import type { Command, CommandBody } from '../core/vocabulary/commands/commands.ts';
import { DEFAULT_ZONE } from '../core/kernel/zoned-days.ts';
import { DEFAULT_THRESHOLDS } from './player/thresholds.ts';
import { createSegmentSet } from './segments/segment-set.ts';
import type { PlayerState } from '../core/vocabulary/state/state.ts';
import type { Targeting } from './decision/targeting.ts';
import { registered } from './player/evolve-player.ts';
import type { Definitions } from './decision/definitions.ts';

/** A player for tests, as it was registered. Each test sets the fields it depends on. */
export function aPlayer(some: Partial<PlayerState> = {}): PlayerState {
  const player = {
    id: '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c',
    externalId: 'ext-1',
    deviceId: null,
    email: null,
    lifecycleStage: 'new',
    sessionCount: 0,
    totalRevenue: 0,
    isPayer: false,
    isTestPlayer: false,
    firstSeenAt: 1_000,
    lastSeenAt: 1_000,
    attributes: '{}',
  } as const;
  const scope = { entityId: player.id, game: 'demo', environment: 'live' } as const;
  return { ...registered(undefined, { kind: 'PlayerRegistered', ...scope, at: 1_000, player }), ...some };
}

/** A command for tests, received at `at` (epoch milliseconds). */
export function aCommand(body: CommandBody, some: Partial<Command> = {}): Command {
  return {
    requestId: 'r1',
    replyTo: 'g1',
    game: 'demo',
    environment: 'live',
    receivedAt: 2_000,
    deadlineAt: 7_000,
    configRevision: 0,
    ...some,
    body,
  };
}

/** The same definitions for every game and environment; none unless given. */
export function definitionsOf(
  some: Partial<Targeting> = {},
  segments = createSegmentSet([]),
  campaigns = createCampaignSet([]),
): Definitions {
  const targeting: Targeting = { segments: [], segment: () => undefined, flags: new Map(), ...some };
  return {
    revision: 0,
    of: () => targeting,
    segments: () => segments,
    campaigns: () => campaigns,
    settings: () => ({ lifecycle: DEFAULT_THRESHOLDS, zone: DEFAULT_ZONE }),
  };
}
