import { Badge, Button, Checkbox, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, call } from '../../frame/api.ts';
import { useKeys } from '../../audit/use-keys.ts';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';
import { Dialog } from '../../parts/editors/dialog.tsx';
import { Empty, Fault, Loaded, OnlyAdmins, Page } from '../../parts/states.tsx';
import { Copy, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.keys;

type Key = AnswerOf<'GET /v1/console/keys'>['keys'][number];
const TIERS = ['growth', 'pro', 'enterprise'] as const;
const SCOPES = ['scoring:write', 'audit:read'] as const;

/** The API keys of a game and environment. */
export function Keys() {
  const { isAdmin } = usePlace();
  const [showRevoked, setShowRevoked] = useState(false);
  const [creating, setCreating] = useState(false);
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
        label={texts.showRevoked}
        checked={showRevoked}
        onChange={(event) => setShowRevoked(event.currentTarget.checked)}
      />
      <Loaded query={found}>
        {({ keys }) => (
          <DataTable
            label={texts.label}
            rows={keys.filter(({ revoked_at }) => showRevoked || revoked_at === null)}
            keyOf={({ id }) => id}
            columns={columns(setRevoking)}
            empty={<Empty title={texts.empty}>{texts.emptyHelp}</Empty>}
          />
        )}
      </Loaded>
      {creating ? <Create highest={found.data?.highest_tier ?? 'growth'} onClose={() => setCreating(false)} /> : null}
      <Revoke target={revoking} onClose={() => setRevoking(undefined)} />
    </Page>
  );
}

const columns = (revoke: (target: Key) => void) => [
  {
    id: 'key',
    label: texts.key,
    cell: ({ hint }: Key) => <span className="mono">{hint}</span>,
    sortBy: ({ hint }: Key) => hint,
  },
  { id: 'kind', label: texts.kind, cell: ({ kind }: Key) => kind, sortBy: ({ kind }: Key) => kind },
  { id: 'tier', label: texts.tier, cell: ({ tier }: Key) => tier, sortBy: ({ tier }: Key) => TIERS.indexOf(tier) },
  { id: 'scopes', label: texts.scopes, cell: ({ scopes }: Key) => scopes.join(', ') || TEXTS.none },
  {
    id: 'created',
    label: texts.created,
    cell: ({ created_at }: Key) => <Time at={created_at} />,
    sortBy: ({ created_at }: Key) => created_at,
  },
  {
    id: 'state',
    label: texts.state,
    cell: (key: Key) =>
      key.revoked_at === null ? (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={texts.revokeLabel(key.hint)}
          onClick={() => revoke(key)}
        >
          {texts.revoke}
        </Button>
      ) : (
        <>
          <Badge variant="default" tt="none" miw="max-content">
            {texts.revoked}
          </Badge>{' '}
          <Time at={key.revoked_at} />
        </>
      ),
  },
];

/** Creates a key and shows it once. */
function Create({ highest, onClose }: { highest: Key['tier']; onClose: () => void }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [kind, setKind] = useState('server');
  const [tier, setTier] = useState<string>(highest);
  const [scopes, setScopes] = useState<string[]>([]);
  const create = useMutation({
    mutationFn: () => call(scope, 'POST /v1/console/keys', { body: { kind, tier, scopes } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const made = create.data?.key;
  const tiers = TIERS.slice(0, TIERS.indexOf(highest) + 1);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={made === undefined ? texts.create : texts.madeTitle}
      // The key is lost with the dialog.
      onlyByButton={made !== undefined}
      size="lg"
    >
      {made === undefined ? (
        <Stack>
          <NativeSelect
            label={texts.kind}
            value={kind}
            data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
            onChange={(event) => setKind(event.currentTarget.value)}
          />
          <NativeSelect
            label={texts.tier}
            value={tier}
            data={tiers.map((value) => ({ value, label: texts.tiers[value] }))}
            onChange={(event) => setTier(event.currentTarget.value)}
          />
          <Checkbox.Group label={texts.scopes} value={scopes} onChange={setScopes}>
            <Stack gap={4} mt={4}>
              {SCOPES.map((value) => (
                <Checkbox key={value} value={value} label={`${value}: ${texts.scopeHelp[value]}`} />
              ))}
            </Stack>
          </Checkbox.Group>
          {create.error === null ? null : <Fault error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {TEXTS.cancel}
            </Button>
            <Button onClick={() => create.mutate()} loading={create.isPending}>
              {texts.create}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Text>{texts.made}</Text>
          <TextInput label={texts.keyLabel} className="mono" readOnly value={made} data-autofocus />
          <Group justify="flex-end">
            <Copy text={made} />
            <Button onClick={onClose}>{TEXTS.close}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

function Revoke({ target, onClose }: { target: Key | undefined; onClose: () => void }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => call(scope, 'DELETE /v1/console/keys/{id}', { path: { id } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['keys'] });
      onClose();
    },
  });
  return (
    <Confirm
      opened={target !== undefined}
      onClose={onClose}
      title={texts.revokeTitle(target?.hint ?? '')}
      action={texts.revoke}
      onConfirm={() => target && revoke.mutate(target.id)}
      busy={revoke.isPending}
      error={revoke.error}
      isDangerous
    >
      <Text>{texts.revokeWarning}</Text>
    </Confirm>
  );
}
