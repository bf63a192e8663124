import type { FileFormat, ImportChoices } from '../files/file-format.ts';
import { type Fields, LineFault } from '../files/line-fields.ts';
import { type FileKind, openFile } from '../files/open-source.ts';
import { readFields } from '../files/read-fields.ts';
import { type Findings, NO_SURVEY, placeOf, type Survey } from './findings.ts';
import { createIdentityLinks } from './identity-links.ts';
import { createSessionSpans } from './session-spans.ts';

export interface SurveyedFile {
  path: string;
  kind: FileKind;
}

/**
 * Reads all files once, in bounded memory. What the end of a broken file would say is left out: the import names the
 * fault.
 */
export async function surveyFiles(
  files: readonly SurveyedFile[],
  format: FileFormat,
  { joins, zone }: ImportChoices,
): Promise<Survey> {
  if (format.survey === undefined) return NO_SURVEY;
  const links = createIdentityLinks();
  const sessions = createSessionSpans(format.sessionLength ?? 'span');
  let place = 0;
  const findings: Findings = {
    zone,
    link: (id, user, atMs) => (joins ? links.link(id, user, atMs) : undefined),
    session: (key, atMs, lengthMs = 0, id) => sessions.add(key, atMs, place, lengthMs, id),
  };
  const note = (fields: Fields): void => {
    try {
      format.survey?.(fields, findings);
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
    }
  };
  for (const [number, { path, kind }] of files.entries()) {
    const lines = readFields(await openFile(path, kind), { fileKind: kind, format });
    for await (const some of untilBroken(lines)) {
      for (const read of some) {
        if ('fault' in read) continue;
        place = placeOf(number, read.line);
        note(read.fields);
      }
    }
  }
  return {
    userOf: (id) => links.userOf(id),
    sessionSeconds: (key, at) => sessions.secondsFrom(key, at),
  };
}

async function* untilBroken<Some>(lines: AsyncIterable<Some>): AsyncGenerator<Some> {
  try {
    yield* lines;
  } catch {
    return;
  }
}
