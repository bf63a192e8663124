import { isBrokenId } from '../../../../core/kernel/text/broken-id.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import type { ImportItem } from '../../../../core/vocabulary/commands/import.ts';
import { type Findings, NO_SURVEY, type Survey } from '../survey/findings.ts';
import { type Fields, type LineNotes, noNotes, optionalText, requiredText } from './line-fields.ts';
import type { ExchangeOf } from './purchase-lines.ts';

/** A line without what the file as a whole gives it. Without an `eventId`, the id follows from file and line. */
export type HistoryLine = Omit<ImportItem, 'line' | 'playerId' | 'event'> & {
  event?: Omit<NonNullable<ImportItem['event']>, 'eventId'> & { eventId: string | undefined };
};

/** What a line is read with beside its fields. */
export interface LineContext {
  nowMs: number;
  /** What was done to the line so that it may be stored; filled by the reader. */
  notes: LineNotes;
  exchangeOf: ExchangeOf;
  /** What all files of the command say together. */
  survey: Survey;
  /** Where the line stands among all lines of the command. */
  place: number;
  choices: ImportChoices;
}

/** What the operator chose of the product's lines. */
export interface ImportChoices {
  /** Events that are purchases, with the property that holds the amount if it is not one of the usual ones. */
  purchases: ReadonlyMap<string, string | undefined>;
  /** The IANA zone of times that have none. */
  zone: string | undefined;
  /** Lines of an anonymous id count for the user that it became. */
  joins: boolean;
}

const NO_CHOICES: ImportChoices = { purchases: new Map(), zone: undefined, joins: true };

/** A context with what a caller leaves out. */
export function lineContext(given: Partial<LineContext> & Pick<LineContext, 'nowMs'>): LineContext {
  const {
    notes = noNotes(),
    exchangeOf = () => undefined,
    survey = NO_SURVEY,
    place = 0,
    choices = NO_CHOICES,
  } = given;
  return { nowMs: given.nowMs, notes, exchangeOf, survey, place, choices };
}

/**
 * What the lines of a file say. It reads the fields of one line. It throws `LineFault` for one that is faulty, and
 * `EmptyLine` for one that holds nothing to import.
 */
export interface FileFormat {
  /** The columns that CSV must have, and those that it may have; `undefined`: any others, which are left out. */
  required: readonly string[];
  optional: readonly string[] | undefined;
  /** JSON Pointers of the objects whose values are imported: faults elsewhere in the line do not matter. */
  documents: readonly string[];
  /** Whether an id names one event of the game, or one of its player. */
  ids: 'game' | 'player';
  /** How the length of a session follows from its lines, if `survey` finds sessions. */
  sessionLength?: 'sum' | 'longest' | 'span';
  /** Notes what other lines need to know of this one, before the first line is imported. Faulty lines say nothing. */
  survey?(fields: Fields, findings: Findings): void;
  read(fields: Fields, context: LineContext): HistoryLine;
}

export const eventName = (fields: Fields, name: string): string => requiredText(fields, name, TEXT_LIMITS.nameLength);

/** An id that is none is absent, as in the API. */
export function ownId(
  fields: Fields,
  name: string,
  maxLength: number = TEXT_LIMITS.callerIdLength,
): string | undefined {
  const id = optionalText(fields, name, maxLength);
  return id === undefined || isBrokenId(id) ? undefined : id;
}
