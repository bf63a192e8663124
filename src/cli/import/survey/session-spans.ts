import type { FileFormat } from '../files/file-format.ts';
import { createKeyTable } from './key-table.ts';
import { SURVEY_LIMITS } from './limits.ts';
import { tooMuch } from './too-much.ts';

/** What a line says of its session. */
export interface SessionLine {
  key: string;
  atMs: number;
  place: number;
  /** Of the session; `span` ignores it. */
  lengthMs: number;
  /** Of the event: for `sum`, a repeated one adds nothing. */
  id?: string | undefined;
}

/** Sessions whose begin and length follow from all of their lines. */
export interface SessionSpans {
  /** @param isImported asked of a line at which the session would count: a rejected line counts none */
  add(line: SessionLine, isImported?: () => boolean): void;
  /** The length of the session in whole seconds if the line at `place` is its first one; otherwise `undefined`. */
  secondsFrom(key: string, place: number): number | undefined;
}

interface SessionLimits {
  surveySessions: number;
  surveyParts: number;
}

const FIRST_SESSIONS = 1024;

export function createSessionSpans(
  rule: NonNullable<FileFormat['sessionLength']>,
  { surveySessions: mostSessions, surveyParts: mostParts }: SessionLimits = SURVEY_LIMITS,
): SessionSpans {
  const keys = createKeyTable();
  /** Events that were added to a sum. */
  const added = createKeyTable();
  let firstMs = new Float64Array(FIRST_SESSIONS);
  let firstPlace = new Float64Array(FIRST_SESSIONS);
  /** The last time for `span`, the length in milliseconds for others. */
  let extent = new Float64Array(FIRST_SESSIONS);

  function grow(): void {
    const wider = (numbers: Float64Array): Float64Array<ArrayBuffer> => {
      const wide = new Float64Array(numbers.length * 2);
      wide.set(numbers);
      return wide;
    };
    [firstMs, firstPlace, extent] = [wider(firstMs), wider(firstPlace), wider(extent)];
  }

  function fresh(lengthMs: number, id: string | undefined): number {
    if (lengthMs === 0 || id === undefined) return lengthMs;
    const parts = added.size;
    if (added.add(id) < parts) return 0;
    if (parts >= mostParts) throw tooMuch(`${mostParts} events that add to the length of a session`);
    return lengthMs;
  }

  return {
    add({ key, atMs, place, lengthMs, id }, isImported = () => true) {
      const known = keys.placeOf(key);
      const first = known === undefined ? Infinity : (firstMs[known] ?? 0);
      const isFirst = atMs < first || (atMs === first && place < (firstPlace[known ?? 0] ?? 0));
      if (isFirst && !isImported()) return;
      const session = keys.add(key);
      if (session === firstMs.length) grow();
      const said = rule === 'span' ? atMs : rule === 'sum' ? fresh(lengthMs, id) : lengthMs;
      if (known === undefined) {
        if (keys.size > mostSessions) throw tooMuch(`${mostSessions} sessions`);
        firstMs[session] = atMs;
        firstPlace[session] = place;
        extent[session] = said;
        return;
      }
      if (isFirst) {
        firstMs[session] = atMs;
        firstPlace[session] = place;
      }
      const before = extent[session] ?? 0;
      extent[session] = rule === 'sum' ? before + said : Math.max(before, said);
    },
    secondsFrom(key, place) {
      const session = keys.placeOf(key);
      if (session === undefined || firstPlace[session] !== place) return undefined;
      const end = extent[session] ?? 0;
      const lengthMs = rule === 'span' ? end - (firstMs[session] ?? end) : end;
      return Math.round(lengthMs / 1_000);
    },
  };
}
