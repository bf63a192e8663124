import type { OtherOutline } from '../../vocabulary/state/state-outline.ts';
import type { ErasedState, LedgerState } from '../../vocabulary/state/state.ts';
import { propertiesFromTuple, propertiesToTuple, type PropertiesTuple } from './computed-layout.ts';
import { keyFromTuple, keyToTuple, type KeyTuple } from './remembered-layout.ts';

/* The two values of a ledger and of an erased player. */

type HeadTuple<K extends number> = [kind: K, id: string, game: string, live: boolean, lastSeq: number];
export type LedgerHeadTuple = HeadTuple<2>;
export type ErasedHeadTuple = HeadTuple<3>;

export type LedgerRestTuple = [
  keys: readonly KeyTuple[],
  properties: PropertiesTuple | null,
  imports: readonly ImportedTuple[] | null,
  testPlayers: number | null,
];
type ImportedTuple = [importId: string, line: number, at: number];
export type ErasedRestTuple = [erasedAt: number, keys: readonly KeyTuple[], quarantined: number];

export function otherOutline([kind, id, game, live, lastSeq]: LedgerHeadTuple | ErasedHeadTuple): OtherOutline {
  return { kind: kind === 2 ? 'ledger' : 'erased', id, game, environment: live ? 'live' : 'test', lastSeq };
}

export function ledgerToTuples(state: LedgerState): [LedgerHeadTuple, LedgerRestTuple] {
  const { id, game, environment, keys, lastSeq, properties, imports, testPlayers = null } = state;
  return [
    [2, id, game, environment === 'live', lastSeq],
    [
      keys.map(keyToTuple),
      properties === undefined ? null : propertiesToTuple(properties),
      imports?.map(({ importId, line, at }): ImportedTuple => [importId, line, at]) ?? null,
      testPlayers,
    ],
  ];
}

export function ledgerFromTuples(
  head: LedgerHeadTuple,
  [keys, properties, imports, testPlayers]: LedgerRestTuple,
): LedgerState {
  return {
    ...otherOutline(head),
    kind: 'ledger',
    keys: keys.map(keyFromTuple),
    ...(properties === null ? {} : { properties: propertiesFromTuple(properties) }),
    ...(imports === null ? {} : { imports: imports.map(([importId, line, at]) => ({ importId, line, at })) }),
    ...(testPlayers === null ? {} : { testPlayers }),
  };
}

export function erasedToTuples(state: ErasedState): [ErasedHeadTuple, ErasedRestTuple] {
  const { id, game, environment, erasedAt, keys, quarantined, lastSeq } = state;
  return [
    [3, id, game, environment === 'live', lastSeq],
    [erasedAt, keys.map(keyToTuple), quarantined],
  ];
}

export function erasedFromTuples(head: ErasedHeadTuple, [erasedAt, keys, quarantined]: ErasedRestTuple): ErasedState {
  return { ...otherOutline(head), kind: 'erased', erasedAt, keys: keys.map(keyFromTuple), quarantined };
}
