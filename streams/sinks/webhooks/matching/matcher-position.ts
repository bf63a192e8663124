import { parseSinkPosition, type SinkPosition } from '../../positions.ts';
import type { SinkName } from '../../sink-registry.ts';
import type { Environment, Scope } from '../../../../actors/vocabulary/scope.ts';

export const WEBHOOKS_SINK: SinkName = 'webhooks';

/** How far one game is, where that differs from the others. */
export interface GameMark extends Scope {
  /** Its deliveries of every record up to and including this sequence are stored. */
  sequence: number;
}

/**
 * How far matching is. `sequence` is the lowest of all, as in every sink's position: whoever trims FACTS, and a program that does not
 * know marks, goes by it.
 */
export interface MatcherPosition extends SinkPosition {
  /** Where all games are that have no mark. Left out: at `sequence`. */
  reach?: number;
  games?: readonly GameMark[];
}

export function matcherPosition(stream: string, reach: number, games: readonly GameMark[]): MatcherPosition {
  if (games.length === 0) return { stream, sequence: reach };
  return { stream, sequence: Math.min(reach, ...games.map(({ sequence }) => sequence)), reach, games };
}

/** Reads a position; `undefined` for anything else. */
export function parseMatcherPosition(value: unknown): MatcherPosition | undefined {
  const position = parseSinkPosition(value);
  if (position === undefined || typeof value !== 'object' || value === null) return position;
  if (!('reach' in value) || typeof value.reach !== 'number' || !('games' in value)) return position;
  const games = Array.isArray(value.games) ? value.games.map(parseMark) : [];
  // What cannot be read is read anew from the lowest: repeats are known by their ids.
  return games.every((mark) => mark !== undefined) ? { ...position, reach: value.reach, games } : position;
}

function parseMark(value: unknown): GameMark | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('game' in value) || !('environment' in value) || !('sequence' in value)) return undefined;
  const { game, environment, sequence } = value;
  if (typeof game !== 'string' || typeof sequence !== 'number' || !isEnvironment(environment)) return undefined;
  return { game, environment, sequence };
}

const isEnvironment = (value: unknown): value is Environment => value === 'live' || value === 'test';
