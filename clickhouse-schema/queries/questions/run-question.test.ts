import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { openClient } from '../../open-client.ts';
import type { Question } from './question.ts';
import { createQuestions } from './run-question.ts';

const QUESTION: Question = {
  kind: 'trend',
  game: 'demo',
  environment: 'live',
  fromMs: 0,
  zone: 'UTC',
  toMs: 86_400_000,
  figure: { metric: 'players', title: 'Players', unit: 'count', nullWithout: undefined },
  parts: [{ measure: 'players', eventNames: [], where: [] }],
  interval: 'day',
  limit: 10,
};

describe('a question about players', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** Asks a ClickHouse whose first answers are these faults. @returns the answer and the statements */
  async function asked(question: Question, faults: readonly string[]) {
    const statements: string[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const fault = faults[statements.push(text) - 1];
        response.writeHead(fault === undefined ? 200 : 500).end(fault ?? '{"key":""}\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const at = server.address();
    const port = typeof at === 'object' ? at?.port : undefined;
    const address = { url: `http://127.0.0.1:${port}`, user: '', password: '', database: 'default' };
    const client = openClient(address, 'test', 10_000);
    ends.push(async () => {
      await client.close();
      server.close();
    });
    const ask = createQuestions({ client, clock: createFakeClock(), logger: silentLogger });
    return { answer: await ask(question), statements };
  }
  const MEMORY = 'Code: 241. DB::Exception: (query) memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)';
  const TIME = 'Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)';

  it('is asked again with groups on disk when its sets take too much memory', async () => {
    const { answer, statements } = await asked(QUESTION, [MEMORY]);
    expect(answer).toEqual({ kind: 'answered', value: [{ key: '' }] });
    expect(statements.map((sql) => [sql.includes('uniqExact'), sql.includes('GROUP BY at, key, player_id')])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('is refused when groups take too much as well, and after any other bound', async () => {
    expect((await asked(QUESTION, [MEMORY, MEMORY])).answer).toEqual({ kind: 'too_large', bound: 'memory' });
    const slow = await asked(QUESTION, [TIME]);
    expect([slow.answer, slow.statements.length]).toEqual([{ kind: 'too_large', bound: 'time' }, 1]);
    const events = await asked({ ...QUESTION, parts: [{ measure: 'events', eventNames: [], where: [] }] }, [MEMORY]);
    expect(events.statements).toHaveLength(1);
  });
});
