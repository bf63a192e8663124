import { isObject, type Json } from '../../core/kernel/text/json.ts';

/* The players whom a segment names, or has in a list: only their number is said, as the history has no other. */

/** @param before a list of ids, or their number: `{players}` of the history, or a list that was loaded */
export function inPlayers(name: string, before: Json, after: Json): string[] {
  const [left, right] = [countOf(before), countOf(after)];
  return [left === right ? `${name}: others, ${right} players` : `${name}: ${left} → ${right} players`];
}

function countOf(value: Json): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) && typeof value['players'] === 'number' ? value['players'] : 0;
}

/** A number of players, and whether it is of all of them or an estimate from a sample. */
export interface CountedPlayers {
  players: number;
  /** Half of the interval in which the number is, with 95 %. */
  margin: number;
  complete: boolean;
}

/** What a change of who is meant does to players. Each is undefined if it is not known, or nothing. */
export interface PlayersSaid {
  /** Of the players of a rule, by its places in the definitions; undefined: it is not in one of them. */
  rule(before: number | undefined, after: number | undefined): string | undefined;
  whole(): string | undefined;
}

/** "about 4,000 more players (sampled)". An estimate that may as well be nothing is left out. */
export function playersWords(more: CountedPlayers | undefined, fewer: CountedPlayers | undefined): string | undefined {
  const known = [more, fewer].filter((one) => one !== undefined);
  const parts = [wordsOf(more, 'more'), wordsOf(fewer, 'fewer')].filter((one) => one !== undefined);
  if (parts.length === 0) return undefined;
  const isSampled = known.some(({ complete }) => !complete);
  return `${parts.join(' and ')} players${isSampled ? ' (sampled)' : ''}`;
}

function wordsOf(counted: CountedPlayers | undefined, what: string): string | undefined {
  if (counted === undefined || counted.players === 0 || counted.margin >= counted.players) return undefined;
  const { players, complete } = counted;
  return complete ? `${inThousands(players)} ${what}` : `about ${inThousands(rounded(players))} ${what}`;
}

/** To two digits. */
const rounded = (players: number): number => Number(players.toPrecision(2));

const inThousands = (players: number): string => players.toLocaleString('en-US');
