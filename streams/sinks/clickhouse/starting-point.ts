import type { StreamName } from '../../../core/vocabulary/stream-name.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { StreamBounds } from '../../log/log.ts';
import type { SinkPosition } from '../../positions/positions.ts';

/** The position to continue from, given the stored one and the stream's bounds. Logs every mismatch for operators. */
export function startingPoint(
  stored: SinkPosition | undefined,
  bounds: StreamBounds,
  stream: StreamName,
  logger: Logger,
): SinkPosition {
  const beginning: SinkPosition = { stream: bounds.created, sequence: bounds.firstSequence - 1 };
  if (stored === undefined) return beginning;
  if (stored.stream !== bounds.created) {
    logger.error({ stored, bounds }, `${stream} was created anew; starting from its first record`);
    return beginning;
  }
  if (stored.sequence + 1 < bounds.firstSequence) {
    logger.error(
      { stored, bounds },
      `${stream} was trimmed beyond the stored position; continuing from its first record`,
    );
    return beginning;
  }
  if ((stored.intent?.to ?? stored.sequence) > bounds.lastSequence) {
    logger.error({ stored, bounds }, `${stream} lost records that were handled; continuing with the records it holds`);
    return { stream: bounds.created, sequence: Math.min(stored.sequence, bounds.lastSequence) };
  }
  return stored;
}
