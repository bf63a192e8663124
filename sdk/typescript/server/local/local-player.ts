import type { Json } from '../../../../core/kernel/text/json.ts';
import { dayOf } from '../../../../core/kernel/days.ts';
import { parseTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { NEVER_SEEN, type EventCounter, type FlagOverride } from '../../../../core/vocabulary/state/player.ts';
import type { DeviceInfo } from '../../../../core/vocabulary/state/device.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import { bitOf, type PlayerField, type PlayerInput } from './player-input.ts';

/*
 * The state of a player as conditions read it, made of what the caller gave. A field is converted when it is read, and
 * a field that was not given is noted in `missing`.
 *
 * Invariants
 * 1. A read of anything that the caller did not give sets a bit of `missing`, also of fields that a later version of
 *    the shared code reads (`other`): no evaluation takes a default for the truth.
 * 2. Nothing of the input runs except its own accessors, and an input that cannot be converted sets `isFaulty`.
 */
export class LocalPlayer {
  readonly id: string;
  readonly nowMs: number;
  /** Of the flag that is evaluated. */
  missing = 0;
  #missingOf: Map<string, number> | undefined;
  #memberships: Map<string, LocalMembership> | undefined;
  isFaulty = false;
  readonly #input: PlayerInput;
  #attributes: string | undefined;
  #counters: readonly EventCounter[] | undefined;
  #overrides: readonly FlagOverride[] | undefined;

  constructor(id: string, input: PlayerInput, nowMs: number) {
    this.id = id;
    this.nowMs = nowMs;
    this.#input = input;
  }

  get attributes(): string {
    const { attributes } = this.#input;
    if (attributes === undefined) return this.#lacks('attributes', '{}');
    return (this.#attributes ??= this.#jsonOf(attributes));
  }

  get lifecycleStage(): string {
    return this.#input.lifecycle_stage ?? this.#lacks('lifecycle_stage', '');
  }

  get sessionCount(): number {
    return this.#input.session_count ?? this.#lacks('session_count', 0);
  }

  /** In ten-thousandths, as the service keeps money. */
  get totalRevenue(): number {
    return Math.round((this.#input.total_revenue ?? this.#lacks('total_revenue', 0)) * MONEY);
  }

  get isPayer(): boolean {
    return this.#input.is_payer ?? this.#lacks('is_payer', false);
  }

  get purchaseCount(): number {
    return this.#input.purchase_count ?? this.#lacks('purchase_count', 0);
  }

  get totalPlaytimeSeconds(): number {
    return this.#input.total_playtime_seconds ?? this.#lacks('total_playtime_seconds', 0);
  }

  get firstSeenAt(): number {
    return this.#timeOf('first_seen_at');
  }

  get lastSeenAt(): number {
    return this.#input.last_seen_at === null ? NEVER_SEEN : this.#timeOf('last_seen_at');
  }

  get device(): DeviceInfo | null {
    const { device_info: device } = this.#input;
    if (device === undefined) return this.#lacks('device_info', null);
    const { platform = null, os_version = null, app_version = null, build = null, device_model = null } = device ?? {};
    return { platform, osVersion: os_version, appVersion: app_version, build, deviceModel: device_model };
  }

  get externalId(): string {
    return this.#input.external_id ?? this.#lacks('external_id', '');
  }

  get deviceId(): string | null {
    const { device_id: id } = this.#input;
    return id === undefined ? this.#lacks('device_id', null) : id;
  }

  get counters(): readonly EventCounter[] {
    const { events } = this.#input;
    if (events === undefined) return this.#lacks('events', NO_COUNTERS);
    return (this.#counters ??= countersOf(events, dayOf(this.nowMs)));
  }

  /** Buckets of computed properties, which only the service has. */
  get computed(): readonly [] {
    return this.#lacks('event_counts', []);
  }

  computedValue(key: string): Json {
    const { computed } = this.#input;
    if (computed === undefined) return this.#lacks('computed', null);
    const value = computed !== null && Object.hasOwn(computed, key) ? computed[key] : null;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
  }

  get overrides(): readonly FlagOverride[] {
    const { overrides } = this.#input;
    if (overrides === undefined) return NO_OVERRIDES;
    return (this.#overrides ??= Object.entries(overrides).flatMap(([flagKey, value]) =>
      value === undefined ? [] : [{ flagKey, value: this.#jsonOf(value) }],
    ));
  }

  /** Variants that experiments have assigned, which only the service knows. */
  get servedFlags(): readonly [] {
    return [];
  }

  /** What flags that were evaluated for this player lacked, by key. */
  get missingOf(): Map<string, number> {
    return (this.#missingOf ??= new Map());
  }

  /** By id of the segment. */
  get memberships(): Map<string, LocalMembership> {
    return (this.#memberships ??= new Map());
  }

  lacks(field: PlayerField): void {
    this.missing |= bitOf(field);
  }

  /** The conditions' and flags' view: reads of other fields are noted. */
  asState(): PlayerState {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- other fields are found by the prototype below
    return this as unknown as PlayerState;
  }

  #lacks<T>(field: PlayerField, instead: T): T {
    this.missing |= bitOf(field);
    return instead;
  }

  #timeOf(field: 'first_seen_at' | 'last_seen_at'): number {
    const time = this.#input[field];
    if (time === undefined) return this.#lacks(field, 0);
    const ms = typeof time === 'string' ? parseTimestamp(time) : Object(time).getTime?.();
    if (Number.isFinite(ms)) return Number(ms);
    this.isFaulty = true;
    return 0;
  }

  #jsonOf(value: unknown): string {
    try {
      const text = JSON.stringify(value);
      if (typeof text === 'string') return text;
    } catch {
      // A cycle, a BigInt, or nesting beyond the stack.
    }
    this.isFaulty = true;
    return 'null';
  }
}

export interface LocalMembership {
  isMember: boolean;
  /** What its condition lacked. */
  missing: number;
}

const MONEY = 10_000;
const NO_COUNTERS: readonly EventCounter[] = [];
const NO_OVERRIDES: readonly FlagOverride[] = [];

/** Asked only for what the class does not have. */
const unknownFields = new Proxy(Object.create(null), {
  get(_, name, receiver: unknown) {
    if (typeof name === 'string' && receiver instanceof LocalPlayer) receiver.lacks('other');
    return undefined;
  },
});
Object.setPrototypeOf(LocalPlayer.prototype, unknownFields);

/** Counters begin at the latest day with an event, as the service's do. */
function countersOf(events: object, today: number): EventCounter[] {
  return Object.entries(events).flatMap(([name, given]: [string, unknown]) => {
    const counts = Array.isArray(given)
      ? given.map((count: unknown) => Math.max(0, Math.trunc(Number(count)) || 0))
      : [];
    const latest = counts.findIndex((count) => count > 0);
    return latest === -1 ? [] : [{ name, day: today - latest, counts: counts.slice(latest, DAYS) }];
  });
}

/** Days that the service counts. */
const DAYS = 30;
