import { minuteText, zoneLabel } from './zoned-time.ts';

const SEGMENT_ID = /seg_[0-9a-z-]+/gi;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Whether a text names segments by their ids. */
export const namesSegments = (text: string): boolean => text.search(SEGMENT_ID) >= 0;

/**
 * The service's words with what people know: keys of segments for their ids, and times of the game's zone.
 * @param keys keys of segments by their ids; what is not there stays as it is
 */
export function readable(line: string, keys: ReadonlyMap<string, string>, zone: string): string {
  return line
    .replaceAll(SEGMENT_ID, (id) => keys.get(id) ?? id)
    .replaceAll(TIME, (time) => {
      const ms = Date.parse(time);
      return Number.isNaN(ms) ? time : `${minuteText(zone, ms)} ${zoneLabel(zone, ms)}`;
    });
}
