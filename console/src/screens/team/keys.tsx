import { Badge, Button, Group, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useKeys } from '../../audit/use-keys.ts';
import { usePlace } from '../../frame/session.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';
import { Time } from '../../parts/lists/values.tsx';
import { Empty, Loaded, OnlyAdmins, Page } from '../../parts/states.tsx';
import { TEXTS } from '../../texts.ts';
import { ADDITIONAL_SCOPES } from '../../../../streams/config/key-scopes.ts';
import { CreateKey, type Key, labelOf, RevokeKey, RotateKey, TIERS } from './key-dialogs.tsx';

const texts = TEXTS.keys;

/** The API keys of a game and environment. */
export function Keys() {
  const { isAdmin } = usePlace();
  const [showEnded, setShowEnded] = useState(false);
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<Key | undefined>();
  const [revoking, setRevoking] = useState<Key | undefined>();
  const found = useKeys();
  if (!isAdmin) return <OnlyAdmins title={texts.title} why={texts.onlyAdmins} />;
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={<Button onClick={() => setCreating(true)}>{texts.create}</Button>}
    >
      <Switch
        label={texts.showEnded}
        checked={showEnded}
        onChange={(event) => setShowEnded(event.currentTarget.checked)}
      />
      <Loaded query={found}>
        {({ keys }) => (
          <DataTable
            label={texts.label}
            rows={keys.filter((key) => showEnded || !hasEnded(key))}
            keyOf={({ id }) => id}
            columns={columns(setRotating, setRevoking)}
            empty={<Empty title={texts.empty}>{texts.emptyHelp}</Empty>}
          />
        )}
      </Loaded>
      {creating ? (
        <CreateKey highest={found.data?.highest_tier ?? 'growth'} onClose={() => setCreating(false)} />
      ) : null}
      {rotating === undefined ? null : <RotateKey target={rotating} onClose={() => setRotating(undefined)} />}
      <RevokeKey target={revoking} onClose={() => setRevoking(undefined)} />
    </Page>
  );
}

const hasEnded = ({ revoked_at, expires_at }: Key): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now());

const columns = (rotate: (target: Key) => void, revoke: (target: Key) => void) => [
  { id: 'key', label: texts.key, cell: (key: Key) => <Named target={key} />, sortBy: labelOf },
  { id: 'kind', label: texts.kind, cell: ({ kind }: Key) => kind, sortBy: ({ kind }: Key) => kind },
  { id: 'tier', label: texts.tier, cell: ({ tier }: Key) => tier, sortBy: ({ tier }: Key) => TIERS.indexOf(tier) },
  { id: 'scopes', label: texts.scopes, cell: ({ scopes }: Key) => scopesText(scopes) },
  {
    id: 'created',
    label: texts.created,
    cell: ({ created_at }: Key) => <Time at={created_at} />,
    sortBy: ({ created_at }: Key) => created_at,
  },
  {
    id: 'used',
    label: texts.used,
    cell: ({ last_used_at }: Key) => <Time at={last_used_at} />,
    sortBy: ({ last_used_at }: Key) => last_used_at,
  },
  {
    id: 'ends',
    label: texts.ends,
    cell: ({ expires_at }: Key) => <Time at={expires_at} />,
    sortBy: ({ expires_at }: Key) => expires_at,
  },
  {
    id: 'state',
    label: texts.state,
    cell: (key: Key) => (hasEnded(key) ? <Ended target={key} /> : <Actions {...{ target: key, rotate, revoke }} />),
  },
];

/** Additional scopes limit nothing: such a key may do everything else as well. */
function scopesText(scopes: Key['scopes']): string {
  const isLimited = scopes.some((scope) => !Object.hasOwn(ADDITIONAL_SCOPES, scope));
  return [...(isLimited ? [] : [texts.all]), ...scopes].join(', ');
}

/** The name of a key, and its first characters. */
function Named({ target: { name, hint } }: { target: Key }) {
  const shown = (
    <Text span display="block" className="mono" size="sm">
      {hint}
    </Text>
  );
  if (name === '') return shown;
  return (
    <>
      <b className="break-anywhere">{name}</b>
      {shown}
    </>
  );
}

interface ActionsProps {
  target: Key;
  rotate: (target: Key) => void;
  revoke: (target: Key) => void;
}

function Actions({ target, rotate, revoke }: ActionsProps) {
  const button = { size: 'compact-xs', variant: 'default' } as const;
  return (
    <Group gap={4} wrap="nowrap">
      <Button {...button} aria-label={texts.rotateLabel(labelOf(target))} onClick={() => rotate(target)}>
        {texts.rotate}
      </Button>
      <Button {...button} aria-label={texts.revokeLabel(labelOf(target))} onClick={() => revoke(target)}>
        {texts.revoke}
      </Button>
    </Group>
  );
}

function Ended({ target: { revoked_at } }: { target: Key }) {
  return (
    <>
      <Badge variant="default" tt="none" miw="max-content">
        {revoked_at === null ? texts.expired : texts.revoked}
      </Badge>{' '}
      {revoked_at === null ? null : <Time at={revoked_at} />}
    </>
  );
}
