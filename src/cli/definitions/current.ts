import { isObject, type JsonObject } from '../../../core/kernel/text/json.ts';
import { CliError } from '../cli-error.ts';
import { labelOf } from './definition-files.ts';
import { FILE_KINDS, type FileKind, type Normal, SEGMENTS } from './file-kinds.ts';
import { changedAt, textOf } from './references.ts';
import type { GameService } from './service.ts';

/* What a service has of a game and environment, with segments named by key as in files. */

export interface CurrentDefinition {
  kind: FileKind;
  key: string;
  /** By which paths name it. */
  id: string;
  version: number;
  normal: Normal;
  /** As answered. */
  answer: JsonObject;
  managedBy: { by: string; version: number } | undefined;
  isArchived: boolean;
}

export interface Current {
  /** By label. */
  definitions: Map<string, CurrentDefinition>;
  /** Labels that two webhooks have. */
  repeated: Set<string>;
  /** Ids of segments by key; those that are made are added. */
  segmentIds: Map<string, string>;
}

/** Whether it is there for its past only, which files do not hold. */
export const isOver = ({ kind, answer, isArchived }: CurrentDefinition): boolean =>
  isArchived || kind.lifeOf?.(answer).isOver === true;

/** Only the state of an archive: these come back by `restore`. */
const WITH_ARCHIVE: ReadonlySet<string> = new Set(['flags']);

export async function readCurrent(service: GameService): Promise<Current> {
  const lists: { kind: FileKind; answers: JsonObject[]; isArchived: boolean }[] = [];
  for (const kind of FILE_KINDS) {
    lists.push({ kind, answers: await service.list(kind.path, kind.many), isArchived: false });
    if (!WITH_ARCHIVE.has(kind.folder)) continue;
    lists.push({ kind, answers: await service.list(kind.path, kind.many, '&state=archived'), isArchived: true });
  }
  const segments = lists.find(({ kind }) => kind.folder === SEGMENTS)?.answers ?? [];
  const keys = new Map(segments.map(({ segment_id: id, key }) => [textOf(id), textOf(key)]));
  const current: Current = {
    definitions: new Map(),
    repeated: new Set(),
    segmentIds: new Map([...keys].map(([id, key]) => [key, id])),
  };
  for (const { kind, answers, isArchived } of lists) {
    for (const answer of answers) {
      const found = { ...definitionOf(kind, answer, keys), isArchived };
      const label = labelOf(found);
      if (current.definitions.has(label)) current.repeated.add(label);
      current.definitions.set(label, found);
    }
  }
  return current;
}

function definitionOf(kind: FileKind, answer: JsonObject, keys: ReadonlyMap<string, string>) {
  // A segment that is not there any more stays as it is written.
  const named = changedAt(kind.fields(answer), kind.segments, (id) => keys.get(id) ?? id);
  const normal = kind.read(named);
  const key = textOf(answer[kind.key]);
  if (normal.kind === 'faults') {
    const faults = normal.faults.map(({ path, message }) => `${path} ${message}`);
    throw new CliError(`The service answers ${labelOf({ kind, key })} as no file can have it: ${faults.join('; ')}.`);
  }
  const managed = answer['managed_by'];
  const managedBy = isObject(managed) ? { by: textOf(managed['by']), version: Number(managed['version']) } : undefined;
  return { kind, key, id: textOf(answer[kind.id]), version: Number(answer['version']), normal, answer, managedBy };
}
