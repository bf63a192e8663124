import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import type { Clock } from '../../../core/kernel/clock.ts';
import { QUERY_LIMITS } from '../limits.ts';
import { QUESTION_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { createStatementSlots } from '../statements/statement-slots.ts';
import { measureSql } from '../../metrics/measure-sql.ts';
import { TRANSIENT_CODES } from '../../transient-codes.ts';
import { type Asked, figuresOf } from './asked.ts';
import { readBuiltTo } from './built-to.ts';
import { type BreakdownQuestion, readsDays, type TrendQuestion } from './question.ts';
import { exceededBound, type QuestionResult, type QuestionRow, statementOf } from './statement-of.ts';

export interface QuestionsOptions {
  client: ClickHouseClient;
  clock: Clock;
  logger: Logger;
}

/** Answers questions, one at a time. @returns a function that rejects only for a bug */
export function createQuestions({ client, clock, logger }: QuestionsOptions) {
  const slots = createStatementSlots({
    places: QUESTION_LIMITS.questionStatements,
    waiting: QUESTION_LIMITS.questionsWaiting,
    waitMs: QUESTION_LIMITS.questionsWaitMs,
    clock,
  });

  async function ask(question: Asked): Promise<QuestionResult> {
    const { sql, parameters } = statementOf(question);
    let release = () => {};
    try {
      release = await slots.take(question.game);
      // Read before the rows, so that the rows have everything that was built by then.
      const built = readsDays(figuresOf(question)) ? await readBuiltTo(client, question) : undefined;
      const result = await client.query({
        query: sql,
        query_params: parameters,
        format: 'JSONEachRow',
        clickhouse_settings: BOUNDS,
      });
      return { kind: 'answered', value: await result.json<QuestionRow>(), built };
    } catch (error) {
      if (error instanceof ClickHouseError) {
        const bound = exceededBound(Number(error.code), error.message);
        if (bound !== undefined) return { kind: 'too_large', bound };
        if (!TRANSIENT_CODES.has(Number(error.code))) throw error;
      }
      logger.warn({ err: error, question: question.kind }, 'ClickHouse did not answer a question');
      return { kind: 'unavailable' };
    } finally {
      release();
    }
  }

  return async (question: Asked): Promise<QuestionResult> => {
    const result = await ask(question);
    const isTooLarge = result.kind === 'too_large' && result.bound === 'memory';
    return isTooLarge && countsPlayers(question) ? ask({ ...question, spills: true }) : result;
  };
}

function countsPlayers(question: Asked): question is TrendQuestion | BreakdownQuestion {
  return (
    (question.kind === 'trend' || question.kind === 'breakdown') &&
    question.parts.some(({ measure }) => {
      const sql = measureSql(measure);
      return sql.kind === 'players' && !('perPlayer' in sql);
    })
  );
}

const BOUNDS = {
  max_execution_time: QUESTION_LIMITS.questionSeconds,
  max_memory_usage: String(QUESTION_LIMITS.questionMemoryBytes),
  max_bytes_before_external_group_by: String(QUESTION_LIMITS.questionMemoryBytes / 4),
  max_bytes_before_external_sort: String(QUESTION_LIMITS.questionMemoryBytes / 4),
  max_rows_to_read: String(QUESTION_LIMITS.questionRows),
  max_threads: QUERY_LIMITS.analyticsThreads,
} as const;
