import type { Analytics } from '../../../clickhouse-schema/queries/analytics.ts';
import type { BuiltTo } from '../../../clickhouse-schema/queries/questions/built-to.ts';
import type { QuestionRow } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { type Asked, figuresOf } from '../../../clickhouse-schema/queries/questions/asked.ts';
import { readsDays } from '../../../clickhouse-schema/queries/questions/question.ts';
import type { AsOf, Freshness } from '../../../streams/freshness/output-freshness.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { clickHouseUnavailable } from '../route/clickhouse-unavailable.ts';
import { answerText } from './query-answers.ts';

/** An answer as JSON text, and up to when it has everything; `undefined`: unknown. */
export interface QueryAnswer {
  kind: 'answer';
  text: string;
  asOfMs: number | undefined;
}

/** Answers questions, and caches the answers while no new rows come. */
export interface QueryRunner {
  run(question: Asked): Promise<QueryAnswer | Failure>;
  /** The rows of a question. It counts as one of the game's questions, and its answer is not cached. */
  rowsOf(
    question: Asked,
  ): Promise<{ kind: 'rows'; rows: readonly QuestionRow[]; built: BuiltTo | undefined } | Failure>;
}

export interface QueryRunnerOptions {
  analytics: Pick<Analytics, 'ask'>;
  freshness: Pick<Freshness, 'rowsAsOf'>;
  clock: Clock;
  limits?: Adjustable<
    typeof ANALYTICS_LIMITS,
    'questionsOfGame' | 'answersKeptBytes' | 'answersKeptMs' | 'answersOfDaysKeptMs'
  >;
}

interface CachedAnswer {
  answer: QueryAnswer;
  /** The position of the rows when the question was asked. */
  position: string;
  askedMs: number;
  keptMs: number;
}

/**
 * Invariants
 * 1. A cached answer is used only while the position of the rows is that of the question, and for at most
 *    `answersKeptMs`, or `answersOfDaysKeptMs`: the deletion of an erased player's rows, and days built later, do not
 *    change the position.
 * 2. Equal questions in flight share one statement. A caller that gives up and asks again adds no load.
 * 3. A game and environment has at most `questionsOfGame` questions in flight in this process.
 */
export function createQueryRunner(options: QueryRunnerOptions): QueryRunner {
  const { analytics, freshness, clock, limits = ANALYTICS_LIMITS } = options;
  const cache = new Map<string, CachedAnswer>();
  let cachedBytes = 0;
  const inFlight = new Map<string, Promise<QueryAnswer | Failure>>();
  const ofGame = new Map<string, number>();

  function forget(key: string): void {
    const held = cache.get(key);
    if (held === undefined) return;
    cache.delete(key);
    cachedBytes -= sizeOf(key, held);
  }

  function store(key: string, answer: CachedAnswer): void {
    forget(key);
    cache.set(key, answer);
    cachedBytes += sizeOf(key, answer);
    for (const oldest of cache.keys()) {
      if (cachedBytes <= limits.answersKeptBytes) break;
      forget(oldest);
    }
  }

  function cachedFor(key: string, asOf: AsOf | undefined): QueryAnswer | undefined {
    const found = cache.get(key);
    if (found === undefined) return undefined;
    const isOld = clock.monotonicMs() - found.askedMs >= found.keptMs;
    if (!isOld && asOf !== undefined && found.position === asOf.position) {
      // No rows came since, so the answer has everything up to now.
      return found.answer.asOfMs === undefined ? found.answer : { ...found.answer, asOfMs: asOf.asOfMs };
    }
    forget(key);
    return undefined;
  }

  async function rowsOf(question: Asked): ReturnType<QueryRunner['rowsOf']> {
    const game = `${question.environment}/${question.game}`;
    const running = ofGame.get(game) ?? 0;
    if (running >= limits.questionsOfGame) return tooMany(limits.questionsOfGame);
    ofGame.set(game, running + 1);
    try {
      const found = await analytics.ask(question);
      if (found.kind === 'unavailable') return clickHouseUnavailable();
      if (found.kind === 'too_large') return failure('QUERY_TOO_LARGE', undefined, { bound: found.bound });
      return { kind: 'rows', rows: found.value, built: found.built };
    } finally {
      const left = (ofGame.get(game) ?? 1) - 1;
      if (left > 0) ofGame.set(game, left);
      else ofGame.delete(game);
    }
  }

  async function ask(question: Asked, key: string, asOf: AsOf | undefined): Promise<QueryAnswer | Failure> {
    const askedMs = clock.monotonicMs();
    const found = await rowsOf(question);
    if (found.kind === 'failure') return found;
    const isOfDays = readsDays(figuresOf(question));
    const answer: QueryAnswer = {
      kind: 'answer',
      text: answerText(question, found.rows, clock.wallMs(), builtToMs(found.built, asOf)),
      // The days of `player_days` follow the rows some seconds later.
      asOfMs: isOfDays ? undefined : asOf?.asOfMs,
    };
    const keptMs = isOfDays ? limits.answersOfDaysKeptMs : limits.answersKeptMs;
    if (asOf !== undefined) store(key, { answer, position: asOf.position, askedMs, keptMs });
    return answer;
  }

  return {
    async run(question) {
      const key = keyOf(question);
      const asOf = await freshness.rowsAsOf('FACTS');
      const answered = cachedFor(key, asOf) ?? inFlight.get(key);
      if (answered !== undefined) return answered;
      const asked = ask(question, key, asOf).finally(() => inFlight.delete(key));
      inFlight.set(key, asked);
      return asked;
    },
    rowsOf,
  };
}

/** Where the builder has looked as far as there are rows, the days have everything that the rows have. */
function builtToMs(built: BuiltTo | undefined, asOf: AsOf | undefined): number | undefined {
  const { ms, looked } = built ?? {};
  if (looked === undefined || asOf === undefined) return ms;
  const [created = '', sequence] = asOf.position.split('/');
  const isAll = Date.parse(created) === looked.createdMs && Number(sequence) <= looked.sequence;
  return isAll ? asOf.asOfMs : ms;
}

/** The key of the cache. The time of a funnel is left out, so that repeated questions are equal. */
function keyOf(question: Asked): string {
  return JSON.stringify(question, (name, value: unknown) => (name === 'nowMs' ? undefined : value));
}

/** Texts take up to two bytes a character. */
const sizeOf = (key: string, { answer, position }: CachedAnswer): number =>
  2 * (key.length + answer.text.length + position.length);

function tooMany(most: number): Failure {
  return failure(
    'RATE_LIMIT_EXCEEDED',
    `${most} analytics queries of this game are under way in this process; wait for their answers.`,
  );
}
