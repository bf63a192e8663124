import { DEFAULT_ZONE } from '../../core/kernel/zoned-days.ts';
import type { Command, CommandBody } from '../../core/vocabulary/commands/commands.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { aCommand, definitionsOf } from '../testing-players.ts';
import { given } from '../testing/harness.ts';
import { DEFAULT_THRESHOLDS } from './thresholds.ts';
import type { LifecycleThresholds } from '../../core/vocabulary/documents/game.ts';
import type { LifecycleStage } from '../../core/vocabulary/state/lifecycle-stages.ts';

export const ID = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
export const HOUR_MS = DAY_MS / 24;
/** Half past noon: the times of these tests lie outside the minutes after midnight in which churn timers run. */
export const BORN_AT = 20_000 * DAY_MS + 12.5 * HOUR_MS;

/** For tests: one registered player. The service is down between calls, for as long as the times say. */
export function life(thresholds: Partial<LifecycleThresholds> = {}) {
  let lifecycle = { ...DEFAULT_THRESHOLDS, ...thresholds };
  let count = 0;
  const harness = given([], { ...definitionsOf(), settings: () => ({ lifecycle, zone: DEFAULT_ZONE }) });
  const { facts } = harness;
  const send = (atMs: number, body: CommandBody, some: Partial<Command> = {}) =>
    harness.when(aCommand(body, { receivedAt: atMs, deadlineAt: Infinity, ...some })).reply;
  const player = (): PlayerState => harness.player(ID);
  send(BORN_AT, { kind: 'RegisterPlayer', playerId: ID, externalId: 'ext-1', createOnly: false, byClientKey: false });
  return {
    facts,
    player,
    event: (atMs: number) =>
      send(atMs, {
        kind: 'TrackEvents',
        items: [
          {
            index: 0,
            playerId: ID,
            eventId: `e-${++count}`,
            remember: false,
            eventName: 'win',
            properties: '{}',
            sessionId: null,
            timestamp: atMs,
          },
        ],
      }),
    session: (atMs: number, durationSeconds = 600) =>
      send(atMs, {
        kind: 'RecordSession',
        playerId: ID,
        sessionId: `s-${++count}`,
        startedAt: null,
        endedAt: null,
        durationSeconds,
        eventId: `e-${count}`,
      }),
    purchase: (atMs: number) =>
      send(atMs, {
        kind: 'RecordPurchase',
        playerId: ID,
        amount: 10_000,
        currency: null,
        productId: null,
        transactionId: null,
        eventId: `e-${++count}`,
      }),
    patch: (atMs: number) => send(atMs, { kind: 'PatchPlayer', playerId: ID, attributes: `{"n":${++count}}` }),
    register: (atMs: number) =>
      send(atMs, { kind: 'RegisterPlayer', playerId: ID, externalId: 'ext-1', createOnly: false, byClientKey: false }),
    /** Runs the owner's timers. */
    pass: (atMs: number) => void harness.whenTime(ID, atMs),
    configure(some: Partial<LifecycleThresholds>) {
      lifecycle = { ...DEFAULT_THRESHOLDS, ...some };
    },
    /** The stages, each with its start in hours since registration. */
    stages: (): [LifecycleStage, number][] =>
      facts
        .flatMap((fact) =>
          fact.kind === 'LifecycleChanged' ? [[fact.to, (fact.changedAt - BORN_AT) / HOUR_MS] as const] : [],
        )
        .map(([to, hours]) => [to, hours]),
    churn: (): [boolean, number][] =>
      facts
        .flatMap((fact) => (fact.kind === 'ChurnRiskChanged' ? [[fact.high, fact.at] as const] : []))
        .map(([high, at]) => [high, at]),
  };
}
