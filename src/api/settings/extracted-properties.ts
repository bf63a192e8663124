import type { FieldFault } from '../../../core/kernel/errors.ts';
import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import { checkPath } from '../analytics/measures/filters.ts';
import { API_LIMITS } from '../limits.ts';

/** The faults of paths of properties that are to have columns of their own. @param at where the list is */
export function extractedFaults(paths: readonly string[], at: string): FieldFault[] {
  const faults: FieldFault[] = [];
  const most = STATE_LIMITS.extractedProperties;
  if (paths.length > most) faults.push({ path: at, message: `must have at most ${most} paths, not ${paths.length}` });
  for (const [place, text] of paths.entries()) {
    const path = `${at}/${place}`;
    const { propertyPathLength: longest } = API_LIMITS;
    if (text === '' || text.length > longest) faults.push({ path, message: `must have 1 to ${longest} characters` });
    checkPath(text, path, faults);
    if (paths.indexOf(text) < place) faults.push({ path, message: 'must not name a property twice' });
  }
  return faults;
}
