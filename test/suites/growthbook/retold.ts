/*
 * Cases of the JavaScript SDK's suite, told in the words of this service: what a user has, what is stored, what comes
 * out. What nothing here reads (buckets of another hash, names of documents) is left out.
 */

/** The share of a namespace from one place to another, and whether the user is in it. */
export type Namespaced = [user: string, namespace: string, from: number, to: number, isIn: boolean];

const FOUR_TENTHS: readonly [user: string, namespace: string, isLow: boolean][] = [
  ['1', 'namespace1', false],
  ['1', 'namespace2', false],
  ['2', 'namespace1', false],
  ['2', 'namespace2', false],
  ['3', 'namespace1', false],
  ['3', 'namespace2', true],
  ['4', 'namespace1', false],
  ['4', 'namespace2', true],
];

/** Each user is either in the first four tenths of a namespace or in the rest. */
export const NAMESPACED: readonly Namespaced[] = FOUR_TENTHS.flatMap(([user, namespace, isLow]): Namespaced[] => [
  [user, namespace, 0, 0.4, isLow],
  [user, namespace, 0.4, 1, !isLow],
]);

export type UserAttribute = 'id' | 'deviceId' | 'anonymousId';

/** The variant that was stored for an attribute of a user, under a version of the experiment's buckets. */
export interface StoredBucket {
  attribute: UserAttribute;
  value: string;
  bucketVersion: number;
  variant: string;
}

/** A user in an experiment by `id` with three variants of equal shares. */
export interface StickyCase {
  name: string;
  has: { [A in UserAttribute]?: string };
  /** Taken if the user has no `id`. */
  fallback: UserAttribute;
  bucketVersion: number;
  /** Users with an older one are left out. */
  minBucketVersion?: number;
  isDisabled?: true;
  stored: readonly StoredBucket[];
  /** `null`: in no experiment. */
  expected: string | null;
}

const byDevice = (bucketVersion: number, variant: string, value = 'd123'): StoredBucket => ({
  attribute: 'deviceId',
  value,
  bucketVersion,
  variant,
});
const byId = (bucketVersion: number, variant: string): StoredBucket => ({
  attribute: 'id',
  value: 'i123',
  bucketVersion,
  variant,
});
const byVisit = (variant: string): StoredBucket => ({
  attribute: 'anonymousId',
  value: 'ses123',
  bucketVersion: 0,
  variant,
});
const DEVICE = { deviceId: 'd123', anonymousId: 'ses123' };
const ACCOUNT = { id: 'i123', anonymousId: 'ses123' };

export const STICKY: readonly StickyCase[] = [
  {
    name: 'a fallback for a missing attribute',
    has: { anonymousId: '123' },
    fallback: 'anonymousId',
    bucketVersion: 0,
    stored: [],
    // The fourth of four variants there.
    expected: 'blue',
  },
  {
    name: 'nothing is stored',
    has: DEVICE,
    fallback: 'deviceId',
    bucketVersion: 0,
    stored: [],
    expected: 'red',
  },
  {
    name: 'what is stored is served',
    has: DEVICE,
    fallback: 'deviceId',
    bucketVersion: 0,
    stored: [byDevice(0, 'blue')],
    expected: 'blue',
  },
  {
    name: 'what is stored of another user is not',
    has: DEVICE,
    fallback: 'deviceId',
    bucketVersion: 0,
    stored: [byDevice(0, 'blue', 'd456')],
    expected: 'red',
  },
  {
    name: 'a user who signs in keeps the variant',
    has: ACCOUNT,
    fallback: 'anonymousId',
    bucketVersion: 0,
    stored: [byVisit('red')],
    expected: 'red',
  },
  {
    name: 'the variant of the account goes before the one of the visit',
    has: ACCOUNT,
    fallback: 'anonymousId',
    bucketVersion: 0,
    stored: [byVisit('blue'), byId(0, 'red')],
    expected: 'red',
  },
  {
    name: 'a new version of the buckets draws again',
    has: { id: 'i123' },
    fallback: 'deviceId',
    bucketVersion: 3,
    stored: [byId(0, 'red')],
    expected: 'blue',
  },
  {
    name: 'a user with an older version is left out',
    has: { id: 'i123' },
    fallback: 'deviceId',
    bucketVersion: 3,
    minBucketVersion: 3,
    stored: [byId(0, 'red')],
    expected: null,
  },
  {
    name: 'an experiment without sticky buckets draws each time',
    has: { id: 'i123' },
    fallback: 'deviceId',
    bucketVersion: 1,
    isDisabled: true,
    stored: [byId(0, 'red')],
    expected: 'blue',
  },
  {
    name: 'what is stored under the oldest version that counts is served',
    has: DEVICE,
    fallback: 'deviceId',
    bucketVersion: 3,
    minBucketVersion: 3,
    stored: [byDevice(3, 'blue')],
    expected: 'blue',
  },
  {
    name: 'a device with an older version is left out',
    has: DEVICE,
    fallback: 'deviceId',
    bucketVersion: 3,
    minBucketVersion: 3,
    stored: [byDevice(2, 'blue')],
    expected: null,
  },
  {
    name: 'what is stored under a later version is not served',
    has: DEVICE,
    fallback: 'deviceId',
    bucketVersion: 3,
    minBucketVersion: 3,
    stored: [byDevice(4, 'blue')],
    expected: 'red',
  },
  {
    name: 'what is stored under an earlier version that counts is not served',
    has: DEVICE,
    fallback: 'deviceId',
    bucketVersion: 4,
    minBucketVersion: 3,
    stored: [byDevice(3, 'blue')],
    expected: 'red',
  },
];
