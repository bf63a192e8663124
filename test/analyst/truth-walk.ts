import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';
import type { Row } from '../contract/http/metric-world.ts';
import type { Act, Device, GamePlan } from './story.ts';

/* What the brute force knows of a player while it walks through the calls, and the rows of events that it adds. */

export interface Purchase {
  amount: number;
  remaining: number;
  by: CallerKind | 'import';
  at: number;
  product: string | null;
  currency: string | null;
}

export interface Open {
  id: string;
  openedAt: number;
  lastCallAt: number;
  device: Device;
}

export interface Player {
  country: string;
  device: Device;
  open: Open[];
  seen: Set<string>;
  purchases: Map<string, Purchase>;
  refunds: Set<string>;
  /** Purchases of which something remains. */
  paid: number;
  begunDay: number;
}

export const NO_DEVICE: Device = { platform: '', appVersion: '', build: '' };

/** A row of `World`, before its days are known. */
export type Made = Pick<Row, 'source' | 'player' | 'at' | 'receivedAt' | 'values'> & Partial<Row>;

export interface Walk {
  plan: GamePlan;
  add: (made: Made) => void;
  /** The id of the event of the next row. */
  noteEvent: (id: string) => void;
}

export const newPlayer = (): Player => ({
  country: '',
  device: NO_DEVICE,
  open: [],
  seen: new Set(),
  purchases: new Map(),
  refunds: new Set(),
  paid: 0,
  begunDay: Infinity,
});

export const deviceValues = ({ platform, appVersion, build }: Device) => ({ platform, app_version: appVersion, build });

export type ActOf<K extends Act['kind']> = Extract<Act, { kind: K }>;

export const BY_SERVICE = { source: 'service', key_kind: '' };
export const BY_IMPORT = { source: 'import', key_kind: '' };

export interface Happened {
  player: number;
  at: number;
  receivedAt: number;
  eventId: string;
  name: string;
  properties: Readonly<Record<string, unknown>>;
  device: Device;
  country?: string;
  from: { source: string; key_kind: string };
}

export function addEvent(walk: Walk, state: Player, event: Happened): void {
  const { player, at, receivedAt, properties } = event;
  const { mode, score } = properties;
  walk.noteEvent(event.eventId);
  walk.add({
    source: 'events',
    player,
    at,
    receivedAt,
    // Neither a refund nor a correction is activity.
    isRefund: ['purchase_refunded', 'purchase_corrected'].includes(event.name) && event.from.source !== 'caller',
    values: {
      event_name: event.name,
      country: event.country ?? state.country,
      is_payer: String(state.paid > 0),
      ...deviceValues(event.device),
      ...event.from,
      ...(typeof mode === 'string' ? { 'property:mode': mode } : {}),
    },
    numbers: typeof score === 'number' ? { 'property:score': score } : {},
  });
}
