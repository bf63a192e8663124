import { createPrivateKey } from 'node:crypto';
import { Type } from 'typebox';
import { failure, type Failure, type FieldFault } from '../../../core/kernel/errors.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import type { AppleSettings, GoogleSettings, StoresDocument } from '../../../core/vocabulary/stores.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import { HIDDEN } from '../../../streams/config/hidden-texts.ts';
import { storesAddress } from '../../../streams/config/stores.ts';
import { BasedOn } from '../definitions/definition-fields.ts';
import { integerOrNull, nullable, timeOut } from '../input/fields.ts';
import { IfMatch } from '../input/if-match.ts';
import { jsonAnswer } from '../route/answer.ts';
import { defineRoute, invalid, readBy, writtenBy } from '../route/route.ts';
import { STORE_LIMITS } from './limits.ts';
import { deleteDocument, deletionReply, replaceDocument } from './single-document.ts';

/* The stores by which receipts of purchases are verified. Each environment has its own. */

const text = (description: string) => Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength, description });
const PRIVATE_KEY = `Key of the service account, PEM. Answers have \`${HIDDEN}\`, which keeps the key when you send it back.`;

const Apple = Type.Object(
  {
    bundle_id: text('Bundle id of the app.'),
    app_apple_id: integerOrNull(
      "The app's number in App Store Connect. The live environment needs it; null in the test environment.",
    ),
  },
  { additionalProperties: false, description: 'The App Store.' },
);
const Google = Type.Object(
  {
    package_name: text('Package name of the app.'),
    service_account: Type.Object(
      {
        client_email: text('E-mail address of the service account. It needs the permission to view financial data.'),
        private_key: Type.String({ minLength: 1, maxLength: STORE_LIMITS.privateKeyLength, description: PRIVATE_KEY }),
      },
      { additionalProperties: false, description: 'The account in whose name purchases are read.' },
    ),
    notifications: nullable(
      Type.Object(
        {
          audience: text('The audience that the push subscription of Pub/Sub names.'),
          service_account: text('E-mail address of the service account of the push subscription.'),
        },
        {
          additionalProperties: false,
          description: 'Whose notifications are taken: those with a token of Google that says so. null: none.',
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'Google Play.' },
);
const stores = {
  apple: nullable(Apple),
  google: nullable(Google),
};
const Stores = Type.Object(
  {
    ...stores,
    version: Type.Integer({ description: 'Grows with each change.' }),
    updated_at: timeOut('When it was stored.'),
  },
  { description: 'Stores of a game in one environment.' },
);
const SENT = { apple: { bundle_id: 'com.example.game', app_apple_id: 1_234_567_890 }, google: null };
const EXAMPLE = { ...SENT, version: 1, updated_at: '2026-01-15T10:30:00.000Z' };

const shared = {
  path: '/v1/settings/stores',
  tag: 'Players',
  auth: { keys: ['server'] },
  limitClass: 'none',
} as const;

const NONE = failure('NOT_FOUND', 'No store is set up in this environment, so no receipt is verified.');

const storesJson = ({ apple, google, version, updatedAt }: StoresDocument) => ({
  apple: apple === undefined ? null : { bundle_id: apple.bundleId, app_apple_id: apple.appAppleId },
  google:
    google === undefined
      ? null
      : {
          package_name: google.packageName,
          service_account: { client_email: google.clientEmail, private_key: HIDDEN },
          notifications: notificationsJson(google),
        },
  version,
  updated_at: formatTimestamp(updatedAt),
});

const notificationsJson = ({ pushAudience, pushEmail }: GoogleSettings) =>
  pushAudience === null || pushEmail === null ? null : { audience: pushAudience, service_account: pushEmail };

const getStores = defineRoute({
  ...shared,
  ...readBy('admin'),
  method: 'GET',
  versioned: true,
  summary: 'Get the stores of a game',
  description: 'The apps by which receipts are verified in the environment of the key. Secrets are never returned.',
  errors: ['NOT_FOUND'],
  input: {},
  reply: { description: 'The stores.', schema: Stores, example: EXAMPLE },
  action: {
    kind: 'config',
    read(_, { key, services }) {
      const document = services.config.get(storesAddress(key))?.document;
      return document === undefined ? NONE : jsonAnswer(storesJson(document), { etag: document.version });
    },
  },
});

const putStores = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'configure'),
  method: 'PUT',
  summary: 'Set up the stores of a game',
  description:
    'The environment of the key decides which receipts are taken: the live one takes those of production, the test one ' +
    'those of the sandbox. A store that is null, or left out, is not set up: purchases with its receipts are refused ' +
    '(409). To replace settings, name their version.',
  versioned: true,
  repeatsById: true,
  errors: ['CONFLICT', 'PRECONDITION_FAILED', 'PRECONDITION_REQUIRED', 'SERVICE_UNAVAILABLE'],
  input: {
    headers: IfMatch,
    body: Type.Object(
      { apple: Type.Optional(stores.apple), google: Type.Optional(stores.google), version: BasedOn },
      { additionalProperties: false },
    ),
  },
  example: SENT,
  reply: { description: 'The stores.', schema: Stores, example: EXAMPLE },
  action: {
    kind: 'write',
    async write({ headers, body }, context) {
      return replaceDocument(storesAddress(context.key), { headers, body }, context, (held, made) => {
        const settings = settingsOf(body, context.key.environment, held);
        if (settings.kind === 'failure') return settings;
        const { kind: _, ...values } = settings;
        return { ...values, ...made };
      });
    },
    toAnswer: ({ document }) => jsonAnswer(storesJson(document), { etag: document.version }),
  },
});

const deleteStores = defineRoute({
  ...shared,
  ...writtenBy('admin', 'none', 'configure'),
  method: 'DELETE',
  summary: 'Delete the stores of a game',
  description: 'From then on purchases with receipts are refused. Receipts that wait are rejected (`not_configured`).',
  repeatsById: true,
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: { headers: IfMatch },
  reply: deletionReply('The stores'),
  action: {
    kind: 'write',
    async write({ headers }, context) {
      return deleteDocument(storesAddress(context.key), headers, context, NONE);
    },
    toAnswer: () => jsonAnswer({ deleted: true }),
  },
});

export const storeSettingsRoutes = [getStores, putStores, deleteStores];

interface Sent {
  apple?: { bundle_id: string; app_apple_id: number | null } | null;
  google?: {
    package_name: string;
    service_account: { client_email: string; private_key: string };
    notifications: { audience: string; service_account: string } | null;
  } | null;
}

type Settings = Pick<StoresDocument, 'apple' | 'google'>;

/** The settings that a body means, or its faults. */
function settingsOf(
  { apple, google }: Sent,
  environment: Environment,
  held: StoresDocument | undefined,
): (Settings & { kind: 'settings' }) | Failure {
  const faults: FieldFault[] = [];
  const settings: Settings = {};
  if (apple) {
    const { bundle_id: bundleId, app_apple_id: appAppleId } = apple;
    settings.apple = { bundleId, appAppleId } satisfies AppleSettings;
    if (appAppleId === null && environment === 'live')
      faults.push({ path: '/apple/app_apple_id', message: 'is required in the live environment' });
  }
  if (google) {
    const { package_name: packageName, service_account: account, notifications } = google;
    const path = '/google/service_account/private_key';
    const isKept = account.private_key === HIDDEN;
    const privateKey = isKept ? held?.google?.privateKey : account.private_key;
    if (privateKey === undefined) faults.push({ path, message: `has no stored value that \`${HIDDEN}\` could keep` });
    else if (!isKept && !isPrivateKey(privateKey)) faults.push({ path, message: 'must be a private key in PEM' });
    const { audience: pushAudience = null, service_account: pushEmail = null } = notifications ?? {};
    const who = { clientEmail: account.client_email, privateKey: privateKey ?? '' };
    settings.google = { packageName, ...who, pushAudience, pushEmail };
  }
  return faults.length > 0 ? invalid(faults) : { kind: 'settings', ...settings };
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
