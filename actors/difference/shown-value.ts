import type { Json } from '../../core/kernel/text/json.ts';
import { formatTimestamp } from '../../core/kernel/text/timestamp.ts';
import { DIFFERENCE_LIMITS } from './limits.ts';

/** The name of a field as a label: `holdoutPercentage` is "Holdout percentage". */
export function label(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value in a line. @param name the label of its field, which says its unit */
export function shownValue(name: string, value: Json): string {
  if (value === null) return 'none';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (typeof value === 'number' && PERCENT.test(name)) return `${value} %`;
  if (typeof value === 'number' && TIME.test(name)) return formatTimestamp(value);
  return inQuotes(value);
}

/** Labels of fields in percent. A range of a layer is one. */
const PERCENT = /(?:percentage|traffic|^Layer, (?:from|to)|\$bucket, below)$/i;
/** Labels of fields with a time in epoch milliseconds, such as `startAt`. */
const TIME = /(?:^at| at|At)$/;

/** A text in quotes, other values as JSON; both cut. */
export function inQuotes(value: Json): string {
  const isText = typeof value === 'string';
  const text = isText ? value : JSON.stringify(value);
  const most = DIFFERENCE_LIMITS.valueChars;
  // Half of a character at its end becomes U+FFFD.
  const shown = text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
  return isText ? `“${shown}”` : shown;
}
