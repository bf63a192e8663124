import { unitsText } from '../../../../core/kernel/money.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { placeOf } from '../survey/findings.ts';
import { lineContext } from '../files/file-format.ts';
import { parsed } from '../files/line-fields.ts';
import type { ReadLine, ReadOptions } from '../files/read-history.ts';
import { noteReads } from './read-paths.ts';

/** What is kept of a line, as `name value`, and the paths of what is not. */
export interface KeptLine {
  line: number;
  kept: string[];
  dropped: string[];
}

/** Values of what is kept, and names of properties and of dropped fields, that are shown. */
const SHOWN_LENGTH = 80;
const SHOWN_PATHS = 25;

/** Reads the line of an item again, to see which of its fields are read. */
export function keptOf(read: Extract<ReadLine, { kind: 'item' }>, options: ReadOptions): KeptLine | undefined {
  const { fields, line, item } = read;
  if (fields === undefined) return undefined;
  const noted = noteReads(fields);
  const { nowMs, exchangeOf, survey, choices, fileNumber = 0, format } = options;
  const context = lineContext({
    nowMs,
    exchangeOf,
    place: placeOf(fileNumber, line),
    ...(survey === undefined ? {} : { survey }),
    ...(choices === undefined ? {} : { choices }),
  });
  format.read(noted.fields, context);
  const event = item.event ?? item.quarantined;
  const { session, purchase, refund } = item;
  const { platform, appVersion, build } = item.event?.playedWith ?? {};
  const properties = Object.keys(parsed(event?.properties ?? '{}'));
  const kept: [name: string, value: string | null | undefined][] = [
    ['player', item.externalId],
    ['at', formatTimestamp(item.at)],
    ['id', read.ownId],
    ['session', event?.sessionId],
    ['platform', platform],
    ['version', appVersion],
    ['build', build],
    ['country', item.event?.country],
    ['session of', session === undefined ? undefined : `${session.durationSeconds} seconds`],
    [
      'purchase of',
      purchase === undefined ? undefined : `${unitsText(purchase.amount)} ${purchase.currency ?? ''}`.trim(),
    ],
    ['refund of', refund === undefined ? undefined : unitsText(refund.amount)],
    ['properties', properties.length === 0 ? undefined : some(properties)],
  ];
  return {
    line,
    kept: kept.flatMap(([name, value]) => (value === undefined || value === null ? [] : [`${name} ${short(value)}`])),
    dropped: shownPaths(noted.paths().unread),
  };
}

const short = (text: string): string => (text.length > SHOWN_LENGTH * 4 ? `${text.slice(0, SHOWN_LENGTH * 4)}…` : text);

/** Items of lists have one path. */
function withoutPlaces(path: string): string {
  const [first = '', ...parts] = path.split('.');
  return parts.reduce((whole, part) => (/^\d+$/.test(part) ? `${whole}[]` : `${whole}.${part}`), first);
}

function shownPaths(paths: readonly string[]): string[] {
  const distinct = [...new Set(paths.map((path) => withoutPlaces(path).slice(0, SHOWN_LENGTH)))];
  const rest = distinct.length - SHOWN_PATHS;
  return rest > 0 ? [...distinct.slice(0, SHOWN_PATHS), `${rest} more`] : distinct;
}

const some = (names: readonly string[]): string => shownPaths(names).join(', ');
