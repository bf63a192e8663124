import type { AbsorbedGuest, MergeStage, MergeTarget, TakeBack } from '../../vocabulary/merge/merged.ts';
import type { MergedState } from '../../vocabulary/state/state.ts';
import type { MergedOutline } from '../../vocabulary/state/state-outline.ts';
import { UnknownVersionError } from '../unknown-version.ts';
import { keyFromTuple, keyToTuple, type KeyTuple } from './remembered-layout.ts';

/* The two values of a merged player, and what an account stores of the guests that it absorbed. */

export type MergedHeadTuple = [
  kind: 4,
  id: string,
  game: string,
  live: boolean,
  lastSeq: number,
  stage: number,
  at: number,
];

export type MergedRestTuple = [
  externalId: string,
  into: TargetTuple,
  mergeId: string,
  guest: Uint8Array,
  absorbed: readonly string[],
  refused: readonly string[],
  quarantined: number,
  keys: readonly KeyTuple[],
  leavingAt: number | null,
];
type TargetTuple = [playerId: string, externalId: string, life?: number];

export type AbsorbedTuple = [
  mergeId: string,
  guestId: string,
  guestExternalId: string,
  at: number,
  withGuest: string | null,
  takeBack: TakeBack | null,
];

/** Stages by number. Never reorder: append. */
const STAGES = ['moving', 'moved', 'leaving', 'settled'] as const satisfies readonly MergeStage[];

export function mergedOutline([, id, game, live, lastSeq, stage, at]: MergedHeadTuple): MergedOutline {
  return { kind: 'merged', id, game, environment: live ? 'live' : 'test', lastSeq, stage: stageOf(stage), at };
}

export function mergedToTuples(state: MergedState): [MergedHeadTuple, MergedRestTuple] {
  const { id, game, environment, lastSeq, stage, at, externalId, into, mergeId } = state;
  const { guest, absorbed, refused, quarantined, keys } = state;
  return [
    [4, id, game, environment === 'live', lastSeq, STAGES.indexOf(stage), at],
    [
      externalId,
      targetToTuple(into),
      mergeId,
      guest,
      absorbed,
      refused,
      quarantined,
      keys.map(keyToTuple),
      state.leavingAt ?? null,
    ],
  ];
}

export function mergedFromTuples(head: MergedHeadTuple, rest: MergedRestTuple): MergedState {
  const [externalId, into, mergeId, guest, absorbed, refused, quarantined, keys, leavingAt] = rest;
  const [playerId, intoExternalId, life] = into;
  return {
    ...mergedOutline(head),
    externalId,
    into: { playerId, externalId: intoExternalId, ...(life === undefined ? {} : { life }) },
    mergeId,
    // A copy: decoded bytes are a view into the record that they came in.
    guest: new Uint8Array(guest),
    absorbed,
    refused,
    quarantined,
    keys: keys.map(keyFromTuple),
    ...(leavingAt === null ? {} : { leavingAt }),
  };
}

function targetToTuple({ playerId, externalId, life }: MergeTarget): TargetTuple {
  return life === undefined ? [playerId, externalId] : [playerId, externalId, life];
}

function stageOf(number: number): MergeStage {
  const stage = STAGES[number];
  if (stage === undefined) throw new UnknownVersionError(`the stage ${number} of a merge is unknown`);
  return stage;
}

export function absorbedToTuple(one: AbsorbedGuest): AbsorbedTuple {
  const { mergeId, guestId, guestExternalId, at, takeBack = null } = one;
  return [mergeId, guestId, guestExternalId, at, one.with ?? null, takeBack];
}

export function absorbedFromTuple(tuple: AbsorbedTuple): AbsorbedGuest {
  const [mergeId, guestId, guestExternalId, at, withGuest, takeBack] = tuple;
  return {
    mergeId,
    guestId,
    guestExternalId,
    at,
    ...(withGuest === null ? {} : { with: withGuest }),
    ...(takeBack === null ? {} : { takeBack }),
  };
}
