import { describe, expect, it } from 'vitest';
import type { ImportedReply, ImportHistory, ImportItem } from '../../../../core/vocabulary/commands/import.ts';
import type { Reply } from '../../../../core/vocabulary/commands/replies.ts';
import { failure } from '../../../../core/kernel/errors.ts';
import { IMPORT_SEND_LIMITS } from './limits.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { CliError } from '../../cli-error.ts';
import { createCommandPace } from '../../../../core/kernel/flow/command-pace.ts';
import { createPartitionSender } from './send-history.ts';

const item = (line: number): ImportItem => ({ line, playerId: `p-${line % 7}`, externalId: 'e', at: 1 });

/** An owner with a ledger, whose replies a test may lose or replace. */
function owner(fate: (attempt: number, body: ImportHistory) => 'ok' | 'lost' | 'unanswered' = () => 'ok') {
  let to = 0;
  let attempts = 0;
  const decided: number[] = [];
  const send = async (body: ImportHistory): Promise<Reply> => {
    await Promise.resolve();
    attempts += 1;
    const what = fate(attempts, body);
    if (what === 'lost') return failure('SERVICE_UNAVAILABLE');
    const reply: ImportedReply = {
      kind: 'imported',
      importedTo: to,
      imported: 0,
      repeated: 0,
      earlier: 0,
      rejected: [],
    };
    if (body.after <= to) {
      for (const line of body.players.flatMap(({ lines }) => lines).sort((one, other) => one - other)) {
        if (line <= to) reply.earlier += 1;
        else {
          decided.push(line);
          reply.imported += 1;
        }
      }
      to = Math.max(to, body.to);
      reply.importedTo = to;
    }
    return what === 'unanswered' ? failure('SERVICE_UNAVAILABLE') : reply;
  };
  return { send, decided, attempts: () => attempts };
}

function senderTo({ send }: ReturnType<typeof owner>) {
  const clock = createFakeClock();
  const total = { imported: 0, repeated: 0 };
  const sender = createPartitionSender({
    importId: 'file-1',
    decidedTo: 0,
    send,
    mayGoOn: () => Promise.resolve(),
    onDecided(reply, wasSent) {
      total.imported += reply.imported + (wasSent ? reply.earlier : 0);
      total.repeated += wasSent ? 0 : reply.earlier;
    },
    pace: createCommandPace({ clock, mostInFlight: 8 }),
    clock,
  });
  return { clock, sender, total };
}

const LINES = Array.from({ length: 10 * IMPORT_SEND_LIMITS.importCommandLines + 7 }, (_, n) => 3 * n + 1);

async function sendAll(to: ReturnType<typeof owner>) {
  const { clock, sender, total } = senderTo(to);
  let isDone = false;
  const done = (async () => {
    for (const line of LINES) if (!sender.add(item(line))) await sender.room();
    await sender.flush();
  })().finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  await clock.advanceUntil(() => isDone, 2 * IMPORT_SEND_LIMITS.importPatienceMs, IMPORT_SEND_LIMITS.importRetryMs);
  await done;
  return { total, sender };
}

describe('the lines of a partition', () => {
  it('are decided in their order, each once', async () => {
    const to = owner();
    const { total, sender } = await sendAll(to);
    expect(to.decided).toEqual(LINES);
    expect(total).toEqual({ imported: LINES.length, repeated: 0 });
    expect(sender.undecidedFrom).toBeUndefined();
    expect(sender.decidedTo).toBe(LINES.at(-1));
  });

  it.each([2, 3, 5])('are decided once, though every %i. command is lost', async (every) => {
    const to = owner((attempt) => (attempt % every === 0 ? 'lost' : 'ok'));
    const { total } = await sendAll(to);
    expect(to.decided).toEqual(LINES);
    expect(total.imported).toBe(LINES.length);
  });

  it.each([2, 3, 5])('are decided once, though every %i. reply is lost', async (every) => {
    const to = owner((attempt) => (attempt % every === 0 ? 'unanswered' : 'ok'));
    const { total } = await sendAll(to);
    expect(to.decided).toEqual(LINES);
    expect(total).toEqual({ imported: LINES.length, repeated: 0 });
  });

  it('fail after the service refused them for too long', async () => {
    await expect(sendAll(owner(() => 'lost'))).rejects.toThrow(CliError);
  });
});
