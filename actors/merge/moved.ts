import { MERGE_COMMANDS } from '../../core/vocabulary/merge/merge-commands.ts';
import type { CommandBody, QueryBody } from '../../core/vocabulary/commands/commands.ts';
import type { MovedReply } from '../../core/vocabulary/commands/replies.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import { movedIn } from '../decision/merged.ts';

/**
 * The reply to a command or query of a merged player: nothing ever answers from two places. Commands of several players
 * decide the others, and name those that moved.
 */
export function movedReply(
  scope: Scope,
  body: CommandBody | QueryBody,
  get: (entityId: string) => EntityState | undefined,
): MovedReply | undefined {
  if (!('playerId' in body) || OF_MERGES.has(body.kind)) return undefined;
  if (body.kind === 'ErasePlayer' && body.alias === true) return undefined;
  const moved = movedIn(scope, get(body.playerId));
  return moved === undefined ? undefined : { kind: 'moved', ...moved };
}

const OF_MERGES: ReadonlySet<CommandBody['kind'] | QueryBody['kind']> = new Set(MERGE_COMMANDS);
