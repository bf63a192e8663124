import { type Bindings, createBindings, createLiterals, type Statement } from './bindings.ts';
import type { BuiltTo } from './built-to.ts';
import { ltvStatement } from './cohorts.ts';
import { lifecycleStatement, stickinessStatement } from './behaviour/activity.ts';
import { funnelStatement } from './behaviour/funnel.ts';
import { breakdownStatement, seriesStatement, trendStatement } from './measures.ts';
import { pathsStatement } from './behaviour/paths.ts';
import type { Asked } from './asked.ts';
import { playersStatement } from './players-behind.ts';
import { retentionStatement } from './behaviour/retention.ts';

/** The statement that answers a question. Its text depends only on which parts a question has, never on its values. */
export function statementOf(question: Asked): Statement {
  return question.kind === 'trend' ? seriesStatement(question, createBindings()) : write(question, createBindings());
}

/** The same as one text whose values are literals, which a person can run and change. */
export function readableSql(question: Asked): string {
  return write(question, createLiterals()).sql.trim();
}

function write(question: Asked, bindings: Bindings): Statement {
  switch (question.kind) {
    case 'trend':
      return trendStatement(question, bindings);
    case 'breakdown':
      return breakdownStatement(question, bindings);
    case 'retention':
      return retentionStatement(question, bindings);
    case 'ltv':
      return ltvStatement(question, bindings);
    case 'funnel':
      return funnelStatement(question, bindings);
    case 'paths':
      return pathsStatement(question, bindings);
    case 'lifecycle':
      return lifecycleStatement(question, bindings);
    case 'stickiness':
      return stickinessStatement(question, bindings);
    case 'players':
      return playersStatement(question, bindings);
  }
}

/** A row of an answer, as ClickHouse writes it: 64-bit integers are texts. */
export type QuestionRow = Readonly<Record<string, unknown>>;

/**
 * `built`: of a question that reads days. `too_large`: it exceeded a bound of time, rows or memory; a smaller one may
 * be answered.
 */
export type QuestionResult =
  | { kind: 'answered'; value: QuestionRow[]; built?: BuiltTo | undefined }
  | { kind: 'too_large'; bound: 'time' | 'rows' | 'memory' }
  | { kind: 'unavailable' };

/** ClickHouse's codes for a statement that exceeded a bound. */
const TOO_LARGE: ReadonlyMap<number, 'time' | 'rows' | 'memory'> = new Map([
  [158, 'rows'],
  [159, 'time'],
  [160, 'time'],
  [241, 'memory'],
  [307, 'rows'],
  [395, 'rows'],
  [396, 'rows'],
]);

/** The bound that a statement exceeded. Memory that all statements together use up is no fault of this one. */
export function exceededBound(code: number, message: string): 'time' | 'rows' | 'memory' | undefined {
  return code === 241 && message.includes('(total)') ? undefined : TOO_LARGE.get(code);
}
