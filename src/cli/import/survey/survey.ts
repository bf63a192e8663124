import { IMPORT_LIMITS } from '../limits.ts';
import { type FileFormat, type LineContext, lineContext } from '../files/file-format.ts';
import { EmptyLine, type Fields, LineFault } from '../files/line-fields.ts';
import { type FileKind, openFile } from '../files/open-source.ts';
import { readFields } from '../files/read-fields.ts';
import { type Findings, NO_SURVEY, placeOf, type Survey } from './findings.ts';
import { createIdentityLinks } from './identity-links.ts';
import { createSessionSpans } from './session-spans.ts';

export interface SurveyedFile {
  path: string;
  kind: FileKind;
}

export interface SurveyOptions extends Pick<LineContext, 'nowMs' | 'exchangeOf' | 'choices'> {
  /** As the import will have it. */
  fit: boolean;
  /** Called for each array of lines. */
  onLines?: (path: string, lines: number, share: number | undefined) => void;
}

/** Clocks in time zones that a format does not apply here. */
const ZONES_MS = 24 * 60 * 60 * 1000;

/**
 * Reads all files once, in bounded memory. What the end of a broken file would say is left out: the import names the
 * fault.
 */
export async function surveyFiles(
  files: readonly SurveyedFile[],
  format: FileFormat,
  { nowMs, exchangeOf, choices, fit, onLines }: SurveyOptions,
): Promise<Survey> {
  if (format.survey === undefined) return NO_SURVEY;
  const links = createIdentityLinks();
  const sessions = createSessionSpans(format.sessionLength ?? 'span');
  let place = 0;
  let fields: Fields = {};
  const isTime = (atMs: number): boolean => atMs >= IMPORT_LIMITS.importEarliestMs && atMs <= nowMs + ZONES_MS;
  const findings: Findings = {
    link: (id, user, atMs) => {
      if (choices.joins && isTime(atMs)) links.link(id, user, atMs);
    },
    session: (key, atMs, lengthMs = 0, id) => {
      if (isTime(atMs)) sessions.add({ key, atMs, place, lengthMs, id }, isImported);
    },
  };

  /** Whether the line will be imported as an event. */
  function isImported(): boolean {
    const context = lineContext({ nowMs, exchangeOf, choices });
    return withoutFault(() => format.read(fields, context)) && (fit || context.notes.cut.length === 0);
  }

  for (const [number, { path, kind }] of files.entries()) {
    const file = await openFile(path, kind);
    for await (const some of untilBroken(readFields(file, { fileKind: kind, format }))) {
      for (const read of some) {
        if ('fault' in read) continue;
        place = placeOf(number, read.line);
        fields = read.fields;
        withoutFault(() => format.survey?.(fields, findings));
      }
      onLines?.(path, some.at(-1)?.line ?? 0, file.share());
    }
  }
  return {
    userOf: (id) => links.userOf(id),
    sessionSeconds: (key, at) => sessions.secondsFrom(key, at),
  };
}

/** @returns false for a line that is faulty or holds nothing */
function withoutFault(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof LineFault || error instanceof EmptyLine) return false;
    throw error;
  }
}

async function* untilBroken<Some>(lines: AsyncIterable<Some>): AsyncGenerator<Some> {
  try {
    yield* lines;
  } catch {
    return;
  }
}
