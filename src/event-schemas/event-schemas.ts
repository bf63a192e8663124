import type { ConfigEntry, ConfigStore } from '../../streams/config/config-store.ts';
import type { EventSchemaDocument, EventSchemaMode } from '../../core/vocabulary/documents/documents.ts';
import type { Stop } from '../../streams/log/log.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { FieldFault } from '../../core/kernel/errors.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { type CompiledEventSchema, compileEventSchema, type EventCheck } from './compile-event-schema.ts';
import { createCompileTurns } from './compile-turns.ts';
import type { Environment, Scope } from '../../core/vocabulary/documents/scope.ts';

/** The faults of an event by its schema. */
export interface Verdict {
  mode: EventSchemaMode;
  /** Version of the schema. */
  version: number;
  /** At least one; paths are JSON Pointers into the properties. */
  faults: FieldFault[];
}

/** The compiled event schemas of CONFIG. */
export interface EventSchemas {
  /**
   * Returns the faults that the schema of that name finds in an event; `undefined` if it finds none or does not exist.
   * A promise only while the schema is being compiled, once or twice in the life of a version.
   * @param textLength of the properties as JSON
   */
  validate(
    scope: Scope,
    eventName: string,
    properties: Readonly<Record<string, unknown>>,
    textLength: number,
  ): Verdict | undefined | Promise<Verdict | undefined>;
  /** Compiles a schema before it is stored, to find its faults. */
  compile(schema: JsonObject): Promise<CompiledEventSchema>;
  /** Compiles the search for all faults of a check that answered `uncompiled`. */
  compileAllFaults(check: EventCheck): Promise<void>;
  stop: Stop;
}

type ByName = ReadonlyMap<string, ConfigEntry<'event_schema'>>;

/**
 * Follows CONFIG and compiles each version of a schema once, when the first event of its name arrives. Compiling gives
 * way to other requests after each step. A schema that does not compile (another version of the service accepted it)
 * is ignored, with one ERROR line.
 */
export function createEventSchemas(
  config: Pick<ConfigStore, 'list' | 'onChange'>,
  logger: Pick<Logger, 'error'>,
  clock: Pick<Clock, 'timer'>,
): EventSchemas {
  const turns = createCompileTurns(clock);
  const games = new Map<string, { [E in Environment]?: ByName }>();
  const checks = new WeakMap<EventSchemaDocument, EventCheck | 'disabled'>();
  /** Running compilations; all events of a schema wait for the same one. */
  const compiling = new WeakMap<EventSchemaDocument, Promise<void>>();

  const stop = config.onChange(({ address }) => {
    if (address.kind === 'event_schema') games.delete(address.game);
  });

  function schemasOf({ game, environment }: Scope): ByName {
    const held = games.get(game);
    const known = held?.[environment];
    if (known !== undefined) return known;
    const entries = config.list('event_schema', game, environment);
    const made = new Map(entries.map((entry) => [entry.document.eventName, entry]));
    games.set(game, { ...held, [environment]: made });
    return made;
  }

  /** Compiles the missing part of a schema: its check, or its search for all faults. */
  async function compileMissing({ game, environment, document }: ConfigEntry<'event_schema'>): Promise<void> {
    const held = checks.get(document);
    if (held === 'disabled') return;
    if (held !== undefined) return turns.run(held.compileAllFaults());
    const compiled = await turns.run(compileEventSchema(document.schema));
    if (compiled.kind === 'invalid') {
      const { eventName: event, version } = document;
      const { faults } = compiled;
      logger.error(
        { game, environment, event, version, faults },
        'disabled an event schema because it does not compile',
      );
    }
    checks.set(document, compiled.kind === 'compiled' ? compiled.check : 'disabled');
  }

  function compileOnce(entry: ConfigEntry<'event_schema'>): Promise<void> {
    const { document } = entry;
    const running = compiling.get(document);
    if (running !== undefined) return running;
    const started = compileMissing(entry).finally(() => compiling.delete(document));
    compiling.set(document, started);
    return started;
  }

  const validate: EventSchemas['validate'] = (scope, eventName, properties, textLength) => {
    const schemas = schemasOf(scope);
    const entry = schemas.size === 0 ? undefined : schemas.get(eventName);
    if (entry === undefined) return undefined;
    const check = checks.get(entry.document);
    if (check === 'disabled') return undefined;
    const faults = check?.faultsOf(properties, textLength) ?? 'uncompiled';
    if (faults === 'uncompiled')
      return compileOnce(entry).then(() => validate(scope, eventName, properties, textLength));
    const { mode, version } = entry.document;
    return faults.length === 0 ? undefined : { mode, version, faults };
  };

  return {
    validate,
    compile: (schema) => turns.run(compileEventSchema(schema)),
    compileAllFaults: (check) => turns.run(check.compileAllFaults()),
    stop,
  };
}
