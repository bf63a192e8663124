import type { Behind } from '../../../../clickhouse-schema/queries/questions/asked.ts';
import type {
  BreakdownQuestion,
  Interval,
  Part,
  Question,
  Scope,
  TrendQuestion,
} from '../../../../clickhouse-schema/queries/questions/question.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { DAY_MS } from '../../../../core/kernel/days.ts';
import { parseTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { dateOf, dayIn } from '../../../../core/kernel/zoned-days.ts';
import { bucketsOf, endOf, isOver } from '../trend-buckets.ts';
import type { Point } from './point-fields.ts';

/** Fields that the points of a kind take, beside `key` where the question has `by`. */
const FIELDS = {
  trend: ['at', 'part'],
  breakdown: ['part'],
  retention: ['day', 'after'],
  ltv: ['day', 'payers'],
  funnel: ['step', 'outcome'],
  paths: ['steps'],
  lifecycle: ['day', 'state'],
  stickiness: ['day', 'days'],
} as const satisfies Record<Question['kind'], readonly (keyof Point)[]>;

const REQUIRED = {
  trend: ['at'],
  breakdown: [],
  retention: ['day'],
  ltv: ['day'],
  funnel: ['step'],
  paths: ['steps'],
  lifecycle: ['day', 'state'],
  stickiness: ['day', 'days'],
} as const satisfies Record<Question['kind'], readonly (keyof Point)[]>;

/** The figure of a question's answer that a point names; what is wrong with it is noted, with paths in the point. */
export function behindOf(question: Question, point: Point, nowMs: number, faults: FieldFault[]): Behind {
  const key = keyOf(question, point, faults);
  checkFields(question, point, faults);
  switch (question.kind) {
    case 'trend':
    case 'breakdown': {
      const range = question.kind === 'trend' ? rangeAt(question, point, nowMs, faults) : question;
      return { kind: 'measured', question, part: partOf(question, point, faults), range, key };
    }
    case 'retention': {
      const day = firstDayIn(question, question.interval, point, faults);
      const { after } = point;
      if (after !== undefined && !question.periods.includes(after)) {
        faults.push({ path: '/after', message: 'must be one of the intervals of the query' });
      } else if (after !== undefined && !isOver(question.interval, question.zone, dayOf(day), after, nowMs)) {
        faults.push({ path: '/after', message: 'names an interval that is not over: it has no figure yet' });
      }
      return { kind: 'retention', question, day, after, key };
    }
    case 'ltv':
      return {
        kind: 'ltv',
        question,
        day: firstDayIn(question, 'day', point, faults),
        payers: point.payers === true,
        key,
      };
    case 'funnel': {
      const { step = 1, outcome = 'reached' } = point;
      const last = question.steps.length;
      if (step > last) faults.push({ path: '/step', message: `must be at most ${last}, the steps of the funnel` });
      else if (step === last && outcome !== 'reached') {
        faults.push({ path: '/outcome', message: 'must be `reached` for the last step, which nothing follows' });
      }
      return { kind: 'funnel', question, step, outcome, key };
    }
    case 'paths': {
      const [start, first, second] = point.steps ?? [];
      if (point.steps !== undefined && start !== question.eventName) {
        faults.push({ path: '/steps/0', message: 'must be the `event_name` of the query' });
      }
      return { kind: 'paths', question, first: first ?? '', second: second ?? '' };
    }
    case 'lifecycle': {
      const day = firstDayIn(question, question.interval, point, faults);
      return { kind: 'lifecycle', question, day, state: point.state ?? 'new' };
    }
    case 'stickiness': {
      const day = firstDayIn(question, question.interval, point, faults);
      return { kind: 'stickiness', question, day, days: point.days ?? 1 };
    }
  }
}

function checkFields({ kind }: Question, point: Point, faults: FieldFault[]): void {
  const taken: readonly string[] = FIELDS[kind];
  for (const name of Object.keys(point)) {
    if (name !== 'key' && !taken.includes(name)) {
      faults.push({ path: `/${name}`, message: `is not allowed with the kind \`${kind}\`` });
    }
  }
  for (const name of REQUIRED[kind]) {
    if (point[name] === undefined) faults.push({ path: `/${name}`, message: `is required with the kind \`${kind}\`` });
  }
}

/** The value of `by`; '' without. */
function keyOf(question: Question, { key = null }: Point, faults: FieldFault[]): string {
  const by = 'by' in question ? question.by : undefined;
  if (by === undefined && key !== null && !(question.kind === 'funnel' && key === '')) {
    faults.push({ path: '/key', message: 'is not allowed with a query without `by`' });
  }
  if (by !== undefined && key === null) faults.push({ path: '/key', message: 'is required with a query with `by`' });
  return key ?? '';
}

function partOf({ parts }: TrendQuestion | BreakdownQuestion, { part }: Point, faults: FieldFault[]): Part {
  const [first, second] = parts;
  if (second === undefined) {
    if (part !== undefined) faults.push({ path: '/part', message: 'is not allowed: the figure divides nothing' });
    return first;
  }
  if (part === undefined) {
    const message = 'is required: the figure divides one metric by another, and each has its own players';
    faults.push({ path: '/part', message });
  }
  return part === 'denominator' ? second : first;
}

/** The interval that begins at a time, as far as it lies in the range. */
function rangeAt(
  { interval, zone, beforeMs, fromMs, toMs }: TrendQuestion,
  { at }: Point,
  nowMs: number,
  faults: FieldFault[],
): Pick<Scope, 'fromMs' | 'toMs'> {
  const range = { fromMs: beforeMs ?? fromMs, toMs };
  const atMs = at === undefined ? undefined : parseTimestamp(at);
  if (atMs !== undefined && atMs <= nowMs && bucketsOf(interval, { ...range, zone }).includes(atMs)) {
    return { fromMs: Math.max(atMs, range.fromMs), toMs: Math.min(endOf(interval, zone, atMs), toMs) };
  }
  if (at !== undefined) faults.push({ path: '/at', message: 'must be the start of an interval of the answer' });
  return range;
}

/** The first day of a cohort or interval. */
function firstDayIn(question: Scope, interval: Interval, { day = '' }: Point, faults: FieldFault[]): string {
  const starts = bucketsOf(interval, question).map((at) => dateOf(dayIn(question.zone, at)));
  if (starts.includes(day)) return day;
  if (day !== '') faults.push({ path: '/day', message: 'must be the `day` of a cohort or an interval of the answer' });
  return starts[0] ?? '1970-01-01';
}

const dayOf = (date: string): number => Date.parse(date) / DAY_MS;
