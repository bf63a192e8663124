import { readFileSync } from 'node:fs';
import { compileFlag } from '../../actors/flags/evaluate/compile-flag.ts';
import { flagFaults } from '../../actors/flags/check/flag-faults.ts';
import { targetingOf } from '../../actors/flags/evaluate/testing-flag.ts';
import { isSameTrial } from '../../actors/flags/experiment/trials.ts';
import { aPlayer } from '../../actors/testing-players.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument } from '../../core/vocabulary/documents/experiments.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { FlagEvaluation } from '../../core/vocabulary/commands/replies.ts';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';

/** What was published: a flag evaluated with a context. */
export interface Case {
  name: string;
  /** The flag with what it depends on, itself first; or why it cannot be expressed. */
  flags: readonly FlagDocument[] | string;
  /** It runs on the flag. */
  experiment?: ExperimentDocument | undefined;
  /** What is known of the player beside the context. */
  player?: Partial<PlayerState>;
  context: JsonObject;
  nowMs: number;
  expected: Json;
  /** The result in the form of the published one. */
  resultOf: (evaluation: FlagEvaluation) => Json;
}

export interface Outcome {
  name: string;
  kind: 'passed' | 'drawn' | 'failed' | 'unmapped';
  reason: string;
}

const SALTS = 48;

/** Evaluates a case with many salts. */
function outcomeOf(one: Case): Outcome {
  const { name, flags, expected, resultOf } = one;
  if (typeof flags === 'string') return { name, kind: 'unmapped', reason: flags };
  const [first] = flags;
  if (first === undefined) return { name, kind: 'failed', reason: 'no flag' };
  const refused = flags.flatMap((flag) => faultsOf(flag, flags));
  if (refused.length > 0 && refused.every((fault) => fault.includes('RE2'))) {
    return { name, kind: 'unmapped', reason: 'a regular expression that is refused' };
  }
  if (refused.length > 0) return { name, kind: 'failed', reason: `is refused: ${refused.join('; ')}` };
  const results = new Set<string>();
  for (let turn = 0; turn < SALTS; turn += 1) {
    const evaluation = evaluated(first, flags, one, turn);
    results.add(JSON.stringify(resultOf(evaluation)));
    if (one.experiment !== undefined && !isKept(evaluation, first, flags, one)) {
      return { name, kind: 'failed', reason: 'the player does not keep the variant' };
    }
  }
  const wanted = JSON.stringify(expected);
  if (!results.has(wanted))
    return { name, kind: 'failed', reason: `gives ${[...results].join(' or ')}, not ${wanted}` };
  return { name, kind: results.size === 1 ? 'passed' : 'drawn', reason: '' };
}

/** @param turn gives flags and experiments other salts, and layers other keys */
function evaluated(first: FlagDocument, flags: readonly FlagDocument[], one: Case, turn: number, player = one.player) {
  const { context, nowMs, experiment } = one;
  const targeting = targetingOf(flags.map((flag) => salted(flag, turn)));
  const drawn = experiment && drawnAnew(experiment, turn);
  const made = compileFlag(salted(first, turn), { experiment: drawn });
  if (made.kind === 'invalid') throw new Error(JSON.stringify(made.faults));
  const experimentOf = (key: string) => (key === first.key ? drawn : undefined);
  const whole = { ...targeting, flags: new Map([...targeting.flags, [first.key, made.flag]]), experimentOf };
  const subject = { player: aPlayer({ id: PLAYER_ID, attributes: '{}', ...player }), nowMs, context };
  return made.flag.evaluate(subject, whole);
}

/** Whether a player whose variant of the experiment is stored gets it by each other draw. */
function isKept(evaluation: FlagEvaluation, first: FlagDocument, flags: readonly FlagDocument[], one: Case): boolean {
  const { trial, variantKey, value, reason } = evaluation;
  if (trial === undefined) return true;
  const served = {
    flagKey: first.key,
    flagVersion: first.version,
    period: trial.phase,
    variantKey,
    value,
    reason,
    trial,
  };
  const servedFlags = [{ ...served, changes: 0, mixed: false, earlier: [] }];
  const others = Array.from({ length: 4 }, (_, turn) => evaluated(first, flags, one, SALTS + turn, { servedFlags }));
  return others.every(({ trial: other }) => isSameTrial(other, trial));
}

const PLAYER_ID = '0b8c1d5e-0000-5000-8000-000000000001';

function drawnAnew(experiment: ExperimentDocument, turn: number): ExperimentDocument {
  const { salt, layer } = experiment;
  return { ...experiment, salt: `${turn} ${salt}`, layer: layer && { ...layer, key: `${turn} ${layer.key}` } };
}

function salted(flag: FlagDocument, turn: number): FlagDocument {
  const rules = flag.rules.map((rule) => (rule.salt === undefined ? rule : { ...rule, salt: `${turn} ${rule.salt}` }));
  return { ...flag, salt: `${turn} ${flag.salt}`, rules };
}

function faultsOf(flag: FlagDocument, flags: readonly FlagDocument[]): string[] {
  const others = { segmentExists: () => true, segmentIdOf: () => undefined };
  const faults = flagFaults(flag, { ...others, flag: (key) => flags.find((each) => each.key === key) });
  const compiled = compileFlag(flag);
  const broken = compiled.kind === 'invalid' ? compiled.faults : [];
  return [...faults, ...broken].map(({ path, message }) => `${flag.key} ${path} ${message}`);
}

/** Whether a flag could be written before rules chose what they serve, and conditions compared times and addresses. */
export function isOld(flags: readonly FlagDocument[]): boolean {
  return flags.every((flag) => {
    const isOwn = flag.rules.some((rule) => [rule.serve, rule.salt, rule.bucketBy].some(Boolean));
    const conditions = JSON.stringify(flag.rules.map((rule) => rule.conditions ?? null));
    const isNewNeed = flag.prerequisites.some((need) => 'variantKey' in need);
    const hasOperator = /"\$(?:before|after|inCidr)"/.test(conditions);
    return !isOwn && flag.bucketBy === undefined && flag.defaultServe === undefined && !isNewNeed && !hasOperator;
  });
}

export function counted(cases: readonly Case[]) {
  const outcomes = cases.map(outcomeOf);
  const of = (kind: Outcome['kind']) => outcomes.filter((one) => one.kind === kind);
  const reasons: Record<string, number> = {};
  for (const { reason } of of('unmapped')) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const before = cases.filter(
    ({ flags, experiment }, place) =>
      typeof flags !== 'string' && experiment === undefined && isOld(flags) && outcomes[place]?.kind === 'passed',
  );
  return {
    cases: cases.length,
    passed: of('passed').length,
    drawn: of('drawn').length,
    failed: of('failed').map(({ name, reason }) => `${name}: ${reason}`),
    unmapped: reasons,
    passedBefore: before.length,
  };
}

/** The lines of a file beside its reader. */
export function linesOf<T>(url: URL): T[] {
  return readFileSync(url, 'utf8')
    .trim()
    .split('\n')
    .map((line): T => JSON.parse(line));
}
