import type { IngestFigures } from '../ingest/ingest.ts';

export function ingestPictures(_figures: IngestFigures): Record<string, string> {
  return {};
}
