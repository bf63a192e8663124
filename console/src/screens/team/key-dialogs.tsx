import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DAY_MS } from '../../../../core/kernel/days.ts';
import { ADDITIONAL_SCOPES, LIMITING_SCOPES, type Scope, SCOPES_OF } from '../../../../streams/config/key-scopes.ts';
import { CONFIG_LIMITS } from '../../../../streams/config/limits.ts';
import { type AnswerOf, call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { Dialog } from '../../parts/editors/dialog.tsx';
import { Copy, Time } from '../../parts/lists/values.tsx';
import { Fault } from '../../parts/states.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.keys;

export type Key = AnswerOf<'GET /v1/console/keys'>['keys'][number];
export const TIERS = ['growth', 'pro', 'enterprise'] as const;
const HELP: Readonly<Record<Scope, string>> = { ...LIMITING_SCOPES, ...ADDITIONAL_SCOPES };

/** Names a key for people: by its name, and by its first characters. */
export const labelOf = ({ name, hint }: Pick<Key, 'name' | 'hint'>): string =>
  name === '' ? hint : `${name} (${hint})`;

/** Creates a key and shows it once. */
export function CreateKey({ highest, onClose }: { highest: Key['tier']; onClose: () => void }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Key['kind']>('server');
  const [tier, setTier] = useState<string>(highest);
  const [scopes, setScopes] = useState<string[]>([]);
  const [days, setDays] = useState('');
  const create = useMutation({
    mutationFn: () => call(scope, 'POST /v1/console/keys', { body: { name, kind, tier, scopes, ...endsIn(days) } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (create.data !== undefined) return <Made text={create.data.key} onClose={onClose} />;
  return (
    <Dialog opened onClose={onClose} title={texts.create} size="lg">
      <Stack>
        <TextInput
          label={texts.name}
          description={texts.nameHelp}
          maxLength={CONFIG_LIMITS.keyNameLength}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <NativeSelect
          label={texts.kind}
          value={kind}
          data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget: { value } }) => {
            const chosen = value === 'client' ? 'client' : 'server';
            setKind(chosen);
            setScopes(scopes.filter((each) => SCOPES_OF[chosen].some((allowed) => allowed === each)));
          }}
        />
        <NativeSelect
          label={texts.tier}
          value={tier}
          data={TIERS.slice(0, TIERS.indexOf(highest) + 1).map((value) => ({ value, label: texts.tiers[value] }))}
          onChange={(event) => setTier(event.currentTarget.value)}
        />
        <Expiry label={texts.ends} absent={texts.endsNever} days={days} onChange={setDays} />
        <Checkbox.Group label={texts.scopes} description={texts.scopesHelp} value={scopes} onChange={setScopes}>
          <Stack gap={4} mt={4}>
            {SCOPES_OF[kind].map((value) => (
              <Checkbox key={value} value={value} label={`${value}: ${HELP[value]}`} />
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
    </Dialog>
  );
}

/** Replaces a key by a successor and shows that once. */
export function RotateKey({ target, onClose }: { target: Key; onClose: () => void }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState(String(CONFIG_LIMITS.keyOverlapDaysDefault));
  const [days, setDays] = useState('');
  const rotate = useMutation({
    mutationFn: () =>
      call(scope, 'POST /v1/console/keys/{id}/rotate', {
        path: { id: target.id },
        body: { overlap_days: Number(overlap), ...endsIn(days) },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (rotate.data !== undefined) {
    return <Made text={rotate.data.key} predecessor={rotate.data.predecessor} onClose={onClose} />;
  }
  return (
    <Confirm
      opened
      onClose={onClose}
      title={texts.rotateTitle(labelOf(target))}
      action={texts.rotate}
      changes={texts.rotateChanges}
      onConfirm={() => rotate.mutate()}
      busy={rotate.isPending}
      error={rotate.error}
    >
      <Text>{texts.rotateHelp}</Text>
      <NativeSelect
        label={texts.overlap}
        value={overlap}
        data={OVERLAPS.map((value) => ({ value: String(value), label: texts.overlaps(value) }))}
        onChange={(event) => setOverlap(event.currentTarget.value)}
      />
      <Expiry label={texts.successorEnds} absent={texts.successorAsBefore} days={days} onChange={setDays} />
    </Confirm>
  );
}

const OVERLAPS = [0, 1, CONFIG_LIMITS.keyOverlapDaysDefault, 14, CONFIG_LIMITS.keyOverlapDays];
const LIVES = [7, 30, 90, 365];

/** When a key ends, in days from now. */
function Expiry(props: { label: string; absent: string; days: string; onChange: (days: string) => void }) {
  const lives = LIVES.map((value) => ({ value: String(value), label: texts.inDays(value) }));
  return (
    <NativeSelect
      label={props.label}
      value={props.days}
      data={[{ value: '', label: props.absent }, ...lives]}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}

const endsIn = (days: string): { expires_at?: string } =>
  days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };

/** The text of a new key. It is in no cache, and gone with the dialog. */
function Made({ text, predecessor, onClose }: { text: string; predecessor?: Key; onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title={texts.madeTitle} onlyByButton size="lg">
      <Stack>
        <Text>{texts.made}</Text>
        <TextInput label={texts.keyLabel} className="mono" readOnly value={text} data-autofocus />
        {predecessor === undefined ? null : (
          <Text size="sm">
            {texts.oldEnds(labelOf(predecessor))} <Time at={predecessor.expires_at} />
          </Text>
        )}
        <Group justify="flex-end">
          <Copy text={text} />
          <Button onClick={onClose}>{TEXTS.close}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

export function RevokeKey({ target, onClose }: { target: Key | undefined; onClose: () => void }) {
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
      title={texts.revokeTitle(target === undefined ? '' : labelOf(target))}
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
