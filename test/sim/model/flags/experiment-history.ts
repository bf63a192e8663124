import { decodeJson } from '../../../../core/codec/codec.ts';
import type { FlagDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument } from '../../../../core/vocabulary/documents/experiments.ts';
import type { GameDocument } from '../../../../core/vocabulary/documents/game.ts';
import type { World } from '../../world.ts';
import type { ModelFlags } from './flag-set.ts';
import { variantAt } from './model-experiments.ts';

/** The experiments and the holdout, as the broker received them. */
export function recordExperiments(world: World) {
  const documents = new Map<string, ExperimentDocument>();
  let holdout: ModelFlags['holdout'];
  /** The winner that a flag was made to serve, by experiment and version of the flag. */
  const winners = new Map<string, string>();

  /** @returns whether the document is an experiment or the game's settings */
  function take(path: string, value: Uint8Array | undefined): boolean {
    const [, environment, kind, key = ''] = path.split('.');
    const document: unknown = value === undefined ? undefined : decodeJson(value);
    if (kind === 'game' && isGame(document)) {
      holdout = document.holdout ?? undefined;
      return true;
    }
    if (kind !== 'experiment' || environment !== 'live') return false;
    const before = documents.get(key);
    documents.delete(key);
    if (!isExperiment(document)) return true;
    checkPhase(before, document);
    checkShipped(before, document);
    documents.set(key, document);
    return true;
  }

  /** Other shares begin a phase of an experiment that takes or keeps players, and nothing else does. */
  function checkPhase(before: ExperimentDocument | undefined, { key, state, phases, variants }: ExperimentDocument) {
    const last = before?.phases.at(-1);
    const isSame =
      last !== undefined && BUCKETS.every((at) => variantAt(last.variants, at) === variantAt(variants, at));
    const isOver = before !== undefined && before.state !== 'running' && before.state !== 'paused';
    const expected = last === undefined ? (state === 'running' ? 1 : 0) : last.phase + (isSame || isOver ? 0 : 1);
    const said = phases.at(-1)?.phase ?? 0;
    if (said !== expected) world.violate('phase', `${key} is in phase ${said}, not ${expected}`);
  }

  /** An experiment is shipped once the flag serves its winner. */
  function checkShipped(before: ExperimentDocument | undefined, { key, state, winner, shipping }: ExperimentDocument) {
    if (state !== 'shipped' || before?.state === 'shipped') return;
    const served = winners.get(`${key} ${shipping?.flagVersion}`);
    if (winner === null || served !== winner)
      world.violate('shipped', `${key} ships ${winner}, the flag serves ${served}`);
  }

  /** A winner is in a flag once, however often a request was repeated. */
  function takeFlag({ key, version, rules, shippedBy }: FlagDocument): void {
    if (shippedBy?.version === version) winners.set(`${shippedBy.experiment} ${version}`, shippedBy.variant);
    const names = rules.flatMap(({ name }) => (name.startsWith('Shipped: ') ? [name] : []));
    if (new Set(names).size < names.length) world.violate('shipped', `${key} has ${names.join(', ')}`);
  }

  return {
    take,
    takeFlag,
    /** Of two that were started on a flag at once, the earlier one decides. */
    now(): Pick<ModelFlags, 'experiments' | 'holdout'> {
      const active = [...documents.values()].filter(({ state }) => state === 'running' || state === 'paused');
      const inOrder = active.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || (a.key < b.key ? -1 : 1));
      const experiments = new Map<string, ExperimentDocument>();
      for (const each of inOrder) if (!experiments.has(each.flagKey)) experiments.set(each.flagKey, each);
      return { experiments, holdout };
    },
  };
}

const BUCKETS = Array.from({ length: 10_000 }, (_, bucket) => bucket);

/* The simulation writes all of them, so short checks are enough. */

function isExperiment(document: unknown): document is ExperimentDocument {
  return typeof document === 'object' && document !== null && 'phases' in document && 'flagKey' in document;
}

function isGame(document: unknown): document is GameDocument {
  return typeof document === 'object' && document !== null && 'tenant' in document;
}
