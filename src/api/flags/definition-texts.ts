import {
  DEFINITIONS_FORMAT,
  segmentsNamedBy,
  writeFlag,
  writeSegment,
} from '../../../actors/flags/definitions-format.ts';
import { activeExperiments } from '../../../actors/flags/experiment/active-experiments.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { FLAG_API_LIMITS } from './limits.ts';
import { createTurns } from '../route/turns.ts';

/*
 * The definitions that servers need for local evaluation, as JSON text.
 *
 * Invariants
 * 1. A text holds the definitions of one revision: its documents are gathered in one turn of the event loop.
 * 2. Texts are written once per revision, however many servers ask, in turns between other requests.
 * 3. The texts that are held have at most `heldChars` characters together, the latest ones.
 */
export interface DefinitionTexts {
  of(game: string, environment: Environment): Promise<DefinitionsText>;
}

export type DefinitionsText = { kind: 'text'; text: string } | { kind: 'too large' };

export interface DefinitionTextsOptions {
  config: Pick<ConfigStore, 'list' | 'targetingRevision'>;
  clock: Clock;
  /** Characters of one text, and of all that are held. */
  mostChars?: number;
  heldChars?: number;
}

interface Held {
  revision: number;
  made: Promise<DefinitionsText>;
  /** 0 until it is made. */
  chars: number;
}

export function createDefinitionTexts(options: DefinitionTextsOptions): DefinitionTexts {
  const {
    config,
    clock,
    mostChars = FLAG_API_LIMITS.definitionsChars,
    heldChars = FLAG_API_LIMITS.definitionsHeldChars,
  } = options;
  /** By game and environment, the latest last. */
  const held = new Map<string, Held>();

  function release(): void {
    let total = 0;
    for (const [scope, { chars }] of [...held].toReversed()) {
      total += chars;
      if (total > heldChars) held.delete(scope);
    }
  }

  async function make(game: string, environment: Environment, revision: number): Promise<DefinitionsText> {
    const flags = config
      .list('flag', game, environment)
      .flatMap(({ document }) => (document.archivedAt === null ? [document] : []))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const experiments = activeExperiments(config.list('experiment', game, environment).map(({ document }) => document));
    const { holdout } = config.list('game', game)[0]?.document ?? {};
    // A disabled segment has no players, as one that is missing.
    const enabled = new Map(
      config
        .list('segment', game, environment)
        .flatMap(({ document }) => (document.enabled === false ? [] : [[document.id, document] as const])),
    );
    const segments = [...segmentsNamedBy(flags, (id) => enabled.get(id), [...experiments.values()])]
      .flatMap((id) => enabled.get(id) ?? [])
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const turns = createTurns(clock);
    let chars = 0;
    async function textsOf<T>(documents: readonly T[], write: (document: T) => object): Promise<string[]> {
      const texts: string[] = [];
      for (const document of documents) {
        await turns.pause();
        const text = JSON.stringify(write(document));
        chars += text.length;
        if (chars > mostChars) break;
        texts.push(text);
      }
      return texts;
    }
    const flagTexts = await textsOf(flags, (flag) => writeFlag(flag, experiments.get(flag.key)));
    const segmentTexts = await textsOf(segments, writeSegment);
    if (chars > mostChars) return { kind: 'too large' };
    const heldOut = !holdout ? '' : `"holdout":${JSON.stringify(holdout)},`;
    const lists = `${heldOut}"flags":[${flagTexts.join(',')}],"segments":[${segmentTexts.join(',')}]`;
    return { kind: 'text', text: `{"format":${DEFINITIONS_FORMAT},"revision":${revision},${lists}}` };
  }

  return {
    async of(game, environment) {
      const scope = `${game}.${environment}`;
      const revision = config.targetingRevision(game, environment);
      const before = held.get(scope);
      const now =
        before?.revision === revision ? before : { revision, made: make(game, environment, revision), chars: 0 };
      held.delete(scope);
      held.set(scope, now);
      now.made.catch(() => {
        if (held.get(scope) === now) held.delete(scope);
      });
      const made = await now.made;
      if (now.chars === 0 && made.kind === 'text') {
        now.chars = made.text.length;
        release();
      }
      return made;
    },
  };
}
