import type { Environment, Scope } from '../../actors/vocabulary/commands.ts';
import type { ConfigEntry, ConfigStore } from '../../streams/config/config-store.ts';
import type { EventSchemaDocument, EventSchemaMode } from '../../actors/vocabulary/documents.ts';
import type { Stop } from '../../streams/log/log.ts';
import type { FieldFault } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { compileEventSchema, type EventCheck } from './compile-event-schema.ts';

/** What an event's schema has against it. */
export interface Verdict {
  mode: EventSchemaMode;
  /** Version of the schema. */
  version: number;
  /** At least one; paths are JSON Pointers into the properties. */
  faults: FieldFault[];
}

/** The schemas of events, as this process knows them from CONFIG. */
export interface EventSchemas {
  /**
   * What the schema of that name has against an event; `undefined`: nothing, or there is none.
   * @param textLength of the properties as JSON
   */
  judge(
    scope: Scope,
    eventName: string,
    properties: Readonly<Record<string, unknown>>,
    textLength: number,
  ): Verdict | undefined;
  stop: Stop;
}

type ByName = ReadonlyMap<string, ConfigEntry<'event_schema'>>;

/**
 * Follows CONFIG and compiles each schema when an event first asks for it, once for each version. One that does not compile (an
 * older version of the service took it) is like none at all, with one ERROR line.
 */
export function createEventSchemas(
  config: Pick<ConfigStore, 'list' | 'onChange'>,
  logger: Pick<Logger, 'error'>,
): EventSchemas {
  const games = new Map<string, { [E in Environment]?: ByName }>();
  const checks = new WeakMap<EventSchemaDocument, EventCheck | 'disabled'>();

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

  function checkOf({ game, environment, document }: ConfigEntry<'event_schema'>): EventCheck | 'disabled' {
    const held = checks.get(document);
    if (held !== undefined) return held;
    const compiled = compileEventSchema(document.schema);
    if (compiled.kind === 'invalid') {
      const { eventName: event, version } = document;
      const { faults } = compiled;
      logger.error(
        { game, environment, event, version, faults },
        'a schema of events is disabled: it does not compile',
      );
    }
    const made = compiled.kind === 'compiled' ? compiled.check : 'disabled';
    checks.set(document, made);
    return made;
  }

  return {
    judge(scope, eventName, properties, textLength) {
      const schemas = schemasOf(scope);
      const entry = schemas.size === 0 ? undefined : schemas.get(eventName);
      if (entry === undefined) return undefined;
      const check = checkOf(entry);
      const faults = check === 'disabled' ? [] : check.faultsOf(properties, textLength);
      const { mode, version } = entry.document;
      return faults.length === 0 ? undefined : { mode, version, faults };
    },
    stop,
  };
}
