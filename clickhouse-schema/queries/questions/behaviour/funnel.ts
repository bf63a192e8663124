import { type Bindings, inScope, type Statement } from '../bindings.ts';
import { eventsOf, textOf } from '../dimensions.ts';
import { passing } from '../filters.ts';
import type { FunnelQuestion, FunnelStep, Scope } from '../question.ts';
import { anyOrderAttempts } from '../../../behaviour/any-order-attempts.ts';
import { type AttemptPass, EXCLUDED, excludedAfter } from '../../../behaviour/attempts.ts';
import { sortedKeys } from '../../../behaviour/event-order.ts';
import { funnelFigures, playersOf } from '../../../behaviour/funnel-figures.ts';
import { orderedAttempts } from '../../../behaviour/ordered-attempts.ts';

/** Rows as `funnelFigures` gives them, the largest groups first: see docs/analytics-queries.md. */
export function funnelStatement(question: FunnelQuestion, bindings: Bindings): Statement {
  const figures = funnelFigures(funnelPlayers(question, bindings), String(question.steps.length));
  const sql = `${figures}\nORDER BY total DESC, key\nLIMIT ${bindings.bind('UInt32', question.limit)}`;
  return { sql, parameters: bindings.parameters };
}

/** The players of a funnel, as `playersOf` gives them. */
export function funnelPlayers(question: FunnelQuestion, bindings: Bindings): string {
  const { bind } = bindings;
  const [since, until, windowMs, now] = [
    question.fromMs,
    question.toMs,
    question.windowSeconds * 1_000,
    question.nowMs,
  ].map((ms) => bind('Int64', ms));
  const source = {
    players: eventsOfPlayers(question, bindings),
    since: since ?? '',
    until: until ?? '',
    windowMs: windowMs ?? '',
  };
  return playersOf(passOf(question), source, { steps: String(question.steps.length), now: now ?? '' });
}

function passOf({ order, steps }: FunnelQuestion): AttemptPass {
  if (order === 'any_order') return anyOrderAttempts(groupsOf(steps).map((group) => group.length));
  return orderedAttempts(steps.length, order === 'strict');
}

/** The events that the steps and exclusions name, as sorted keys of each player who began an attempt. */
function eventsOfPlayers(question: FunnelQuestion, bindings: Bindings): string {
  const { order, steps, exclusions, toMs, by } = question;
  const { bind, moment } = bindings;
  const isStep = steps.map((step) => conditionOf(bindings, step, readScope(question)));
  const starts = order === 'any_order' ? isStep : isStep.slice(0, 1);
  const begins = `(${starts.join(' OR ')}) AND happened_at < ${moment(toMs)}`;
  const names = [...new Set([...steps, ...exclusions].map(({ eventName }) => eventName))];
  const key =
    by === undefined
      ? `''`
      : `argMinIf(${textOf(bindings, by, question)}, (happened_at, facts_sequence, facts_index), ${begins})`;
  // A strict funnel reads all events of the players who can have begun one.
  const read =
    order === 'strict'
      ? `player_id IN (SELECT player_id FROM ${eventsOf(bindings, question)} WHERE ${inScope(bindings, question)} AND ${starts[0] ?? '0'})`
      : `event_name IN ${bind('Array(String)', names)}`;
  const tag = order === 'any_order' ? groupTag(question, bindings) : stepTag(question, isStep, bindings);
  return `
    SELECT player_id, ${key} AS key, ${sortedKeys(tag)} AS keys
    FROM ${eventsOf(bindings, question)}
    WHERE ${inScope(bindings, readScope(question))}
      AND ${read}
    GROUP BY player_id
    HAVING countIf(${begins}) > 0`;
}

/** The range with the window behind it. */
const readScope = (question: FunnelQuestion): Scope => ({
  ...question,
  toMs: question.toMs + question.windowSeconds * 1_000,
});

function stepTag(question: FunnelQuestion, isStep: readonly string[], bindings: Bindings): string {
  const { steps, exclusions } = question;
  const scope = readScope(question);
  const excluded = exclusions.map((exclusion) => {
    const after =
      exclusion.afterStep === undefined ? steps.slice(1).map((_, place) => place + 1) : [exclusion.afterStep];
    return bits(conditionOf(bindings, exclusion, scope), after.map(excludedAfter));
  });
  return either([...isStep.map((condition, place) => bits(condition, [place])), ...excluded]);
}

/** An event counts for the first step in the list that it satisfies; equal steps are one group. */
function groupTag(question: FunnelQuestion, bindings: Bindings): string {
  const { steps, exclusions } = question;
  const scope = readScope(question);
  const groups = groupsOf(steps).flatMap(([step], place) =>
    step === undefined ? [] : [`${conditionOf(bindings, step, scope)}, ${2 ** place}`],
  );
  const excluded = exclusions.map((exclusion) => `${conditionOf(bindings, exclusion, scope)}, ${2 ** EXCLUDED}`);
  return `multiIf(${[...groups, ...excluded].join(', ')}, 0)`;
}

/** Steps that are equal to each other, in the order of the list. */
function groupsOf(steps: readonly FunnelStep[]): FunnelStep[][] {
  return [...Map.groupBy(steps, (step) => JSON.stringify(step)).values()];
}

function bits(condition: string, places: readonly number[]): string {
  return `if(${condition}, ${places.reduce((sum, place) => sum + 2 ** place, 0)}, 0)`;
}

const either = (tags: readonly string[]): string => tags.reduce((one, other) => `bitOr(${one}, ${other})`);

function conditionOf(bindings: Bindings, { eventName, where }: FunnelStep, scope: Scope): string {
  return `event_name = ${bindings.bind('String', eventName)}${passing(bindings, where, scope)}`;
}
