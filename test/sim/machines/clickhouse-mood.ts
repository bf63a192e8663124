export type ClickhouseMood = 'well' | 'slow' | 'away' | 'crashing';
