import type { DeliveryOutcome, DeliveryRecord } from '../../vocabulary/records/delivery-record.ts';

/** Layout of a delivery attempt in a RECORDS message. */
export type DeliveryTuple = [
  deliveryId: string,
  webhook: string,
  game: string,
  live: boolean,
  type: string,
  player: string,
  factsCreated: string,
  factsSequence: number,
  factsIndex: number,
  attempt: number,
  attemptedAt: number,
  durationMs: number,
  outcome: DeliveryOutcome,
  status: number | null,
  error: string,
  responseStart: string,
  urlHost: string,
  nextAttemptAt: number | null,
];

export function deliveryToTuple(record: DeliveryRecord): DeliveryTuple {
  return [
    record.deliveryId,
    record.webhook,
    record.game,
    record.environment === 'live',
    record.type,
    record.player,
    record.place.created,
    record.place.sequence,
    record.place.index,
    record.attempt,
    record.attemptedAt,
    record.durationMs,
    record.outcome,
    record.status,
    record.error,
    record.responseStart,
    record.urlHost,
    record.nextAttemptAt,
  ];
}

export function deliveryFromTuple(tuple: DeliveryTuple): DeliveryRecord {
  return {
    deliveryId: tuple[0],
    webhook: tuple[1],
    game: tuple[2],
    environment: tuple[3] ? 'live' : 'test',
    type: tuple[4],
    player: tuple[5],
    place: { created: tuple[6], sequence: tuple[7], index: tuple[8] },
    attempt: tuple[9],
    attemptedAt: tuple[10],
    durationMs: tuple[11],
    outcome: tuple[12],
    status: tuple[13],
    error: tuple[14],
    responseStart: tuple[15],
    urlHost: tuple[16],
    nextAttemptAt: tuple[17],
  };
}
