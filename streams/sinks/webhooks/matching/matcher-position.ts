import { parseSinkPosition, type SinkPosition } from '../../../positions/positions.ts';
import type { SinkName } from '../../../positions/sink-registry.ts';
import type { Environment, Scope } from '../../../../core/vocabulary/documents/scope.ts';

export const WEBHOOKS_SINK: SinkName = 'webhooks';

/** Position of one game that differs from the common position. */
export interface GameMark extends Scope {
  /** Its deliveries of every record up to and including this sequence are stored. */
  sequence: number;
}

/**
 * The stored position of matching. `sequence` is the lowest position of all games, as in every sink's position: the
 * trimmer uses it, and so do versions that do not know marks.
 */
export interface MatcherPosition extends SinkPosition {
  /** Position of all games without a mark; `sequence` when absent. */
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
  // With an unreadable mark, matching starts at the lowest position: message ids remove the repeats.
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
