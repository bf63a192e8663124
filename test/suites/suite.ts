import { readFileSync } from 'node:fs';
import { compileFlag } from '../../actors/flags/evaluate/compile-flag.ts';
import { flagFaults } from '../../actors/flags/check/flag-faults.ts';
import { targetingOf } from '../../actors/flags/evaluate/testing-flag.ts';
import { aPlayer } from '../../actors/testing-players.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../core/vocabulary/commands/replies.ts';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';

/** What was published: a flag evaluated with a context. */
export interface Case {
  name: string;
  /** The flag with what it depends on, itself first; or why it cannot be expressed. */
  flags: readonly FlagDocument[] | string;
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
  const { name, flags, context, nowMs, expected, resultOf } = one;
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
    const targeting = targetingOf(flags.map((flag) => salted(flag, turn)));
    const player = aPlayer({ id: '0b8c1d5e-0000-5000-8000-000000000001', attributes: '{}' });
    const evaluation = targeting.flags.get(first.key)?.evaluate({ player, nowMs, context }, targeting);
    if (evaluation !== undefined) results.add(JSON.stringify(resultOf(evaluation)));
  }
  const wanted = JSON.stringify(expected);
  if (!results.has(wanted))
    return { name, kind: 'failed', reason: `gives ${[...results].join(' or ')}, not ${wanted}` };
  return { name, kind: results.size === 1 ? 'passed' : 'drawn', reason: '' };
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
    ({ flags }, place) => typeof flags !== 'string' && isOld(flags) && outcomes[place]?.kind === 'passed',
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
