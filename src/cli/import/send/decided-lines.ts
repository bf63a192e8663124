import type { ImportHistory } from '../../../../core/vocabulary/commands/import.ts';
import type { Reply } from '../../../../core/vocabulary/commands/replies.ts';
import { sleep, type Clock } from '../../../../core/kernel/clock.ts';
import { isTemporary } from '../../../../core/kernel/errors.ts';
import { IMPORT_SEND_LIMITS } from './limits.ts';
import { CliError } from '../../cli-error.ts';

/**
 * The last line of a file that each partition decided. Commands are decided in their order, so what an earlier run had
 * sent is decided too when this resolves.
 * @param players an id of each partition
 */
export function readDecidedLines(
  importId: string,
  players: readonly string[],
  send: (body: ImportHistory, playerId: string) => Promise<Reply>,
  clock: Pick<Clock, 'timer' | 'monotonicMs'>,
): Promise<number[]> {
  const body: ImportHistory = { kind: 'ImportHistory', importId, after: 0, to: 0, players: [] };
  const untilMs = clock.monotonicMs() + IMPORT_SEND_LIMITS.importPatienceMs;
  return Promise.all(
    players.map(async (playerId) => {
      for (;;) {
        const reply = await send(body, playerId);
        if (reply.kind === 'imported') return reply.importedTo;
        const isFinal = reply.kind !== 'failure' || !isTemporary(reply.code) || clock.monotonicMs() > untilMs;
        if (isFinal) throw new CliError('The service did not say which lines it has. Run the command again.');
        await sleep(clock, IMPORT_SEND_LIMITS.importRetryMs);
      }
    }),
  );
}
