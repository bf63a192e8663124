import { createPropertyFill, type PropertyFill, type PropertyFillOptions } from '../fill/property-fill.ts';
import { createPropertySync, type PropertySync, type PropertySyncOptions } from './property-sync.ts';

/** The computed properties of a partition, as the owner of one term: which ones count, and their past. */
export interface Computing extends Pick<PropertySync, 'sync'>, Pick<PropertyFill, 'start' | 'take' | 'stop'> {
  /** The draft is stored. @param isChanged what `sync` returned */
  stored(isChanged: boolean): void;
}

export function createComputing(options: PropertySyncOptions & PropertyFillOptions): Computing {
  const properties = createPropertySync(options);
  const fill = createPropertyFill(options);
  return {
    sync: (draft, nowMs, mostBytes) => properties.sync(draft, nowMs, mostBytes),
    start: () => fill.start(),
    take: (draft, definitions, nowMs, mostBytes) => fill.take(draft, definitions, nowMs, mostBytes),
    stored(isChanged) {
      properties.stored();
      fill.stored();
      if (isChanged) fill.wake();
    },
    stop: () => fill.stop(),
  };
}
