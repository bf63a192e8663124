import { compileCondition } from '../../../../actors/conditions/compile-condition.ts';
import { compileFlag } from '../../../../actors/flags/evaluate/compile-flag.ts';
import {
  readExperiment,
  readFlag,
  type WireFlag,
  type WireSegment,
} from '../../../../actors/flags/definitions-format.ts';
import { disabledFlag, guardedFlag } from '../../../../actors/flags/evaluate/disabled-flag.ts';
import { withExceptions } from '../../../../actors/segments/list-condition.ts';
import type { Condition, DefinitionLookup, Flag } from '../../../../actors/decision/targeting.ts';
import type { ReadDefinitions } from './definitions-document.ts';

/*
 * Compiles definitions with the code of the service. What did not change since the definitions before is not compiled
 * again.
 */

export interface CompiledDefinitions {
  readonly revision: number;
  readonly players: ReadDefinitions['players'];
  readonly holdout: ReadDefinitions['holdout'];
  readonly flags: ReadonlyMap<string, Flag>;
  /** By id. `unknown`: only the service can tell who is in it. */
  readonly segments: ReadonlyMap<string, Condition | 'unknown'>;
  readonly segmentIds: ReadonlyMap<string, string>;
}

export interface Compiler {
  compile(definitions: ReadDefinitions): CompiledDefinitions;
}

/** @param onFault called with what is wrong with a definition: it serves its default, or its players are unknown */
export function createCompiler(onFault: (message: string) => void): Compiler {
  let flags = new Map<string, { text: string; flag: Flag }>();
  let segments = new Map<string, { text: string; condition: Condition | 'unknown' }>();
  const lookup: DefinitionLookup = {
    // The caller gives their values.
    computed: () => undefined,
    hasSegment: (id) => segments.has(id),
  };

  return {
    compile(definitions) {
      const nextFlags: typeof flags = new Map();
      for (const wire of definitions.flags) {
        const text = JSON.stringify(wire);
        const held = flags.get(wire.key);
        nextFlags.set(wire.key, held?.text === text ? held : { text, flag: flagOf(wire, lookup, onFault) });
      }
      const nextSegments: typeof segments = new Map();
      for (const wire of definitions.segments) {
        const text = JSON.stringify(wire);
        const held = segments.get(wire.segment_id);
        nextSegments.set(
          wire.segment_id,
          held?.text === text ? held : { text, condition: conditionOf(wire, lookup, onFault) },
        );
      }
      flags = nextFlags;
      segments = nextSegments;
      return {
        revision: definitions.revision,
        players: definitions.players,
        holdout: definitions.holdout,
        flags: new Map([...flags].map(([key, { flag }]) => [key, flag])),
        segments: new Map([...segments].map(([id, { condition }]) => [id, condition])),
        segmentIds: new Map(definitions.segments.map(({ segment_id: id, key }) => [key, id])),
      };
    },
  };
}

function flagOf(wire: WireFlag, lookup: DefinitionLookup, onFault: (message: string) => void): Flag {
  const { key } = wire;
  const broken = (why: string) => onFault(`The flag ${key} serves its default here: ${why}`);
  const document = readFlag(wire);
  try {
    const onOverBudget = () => onFault(`A condition of the flag ${key} exceeds its budget of steps.`);
    // The service draws the strata: they read rules for which the caller need not give anything.
    const made = compileFlag(document, { lookup, onOverBudget, strata: false, experiment: readExperiment(wire) });
    if (made.kind === 'compiled') return guardedFlag(made.flag, (error) => broken(String(error)));
    broken(made.faults.map(({ path, message }) => `${path} ${message}`).join('; '));
  } catch (error) {
    broken(String(error));
  }
  return disabledFlag(key, document);
}

function conditionOf(
  { key, ...wire }: WireSegment,
  lookup: DefinitionLookup,
  onFault: (message: string) => void,
): Condition | 'unknown' {
  const unknown = (why: string) => onFault(`Only the service knows the players of the segment ${key}: ${why}`);
  // Its list of players is not in the definitions.
  if (wire.static === true) return 'unknown';
  try {
    const onOverBudget = () => onFault(`The condition of the segment ${key} exceeds its budget of steps.`);
    const made = compileCondition(wire.conditions, { lookup, onOverBudget });
    if (made.kind === 'compiled') return withExceptions(made.condition, wire);
    unknown(made.faults.map(({ path, message }) => `${path} ${message}`).join('; '));
  } catch (error) {
    unknown(String(error));
  }
  return 'unknown';
}
