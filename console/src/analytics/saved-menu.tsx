import { ActionIcon, Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type AnswerOf, call } from '../frame/api.ts';
import { DetailsDialog } from '../history/details-dialog.tsx';
import { Dialog } from '../parts/editors/dialog.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { isAtLeast, usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { addressOf, type Asked, daysOf, queryOf, withDays } from './query.ts';

const texts = TEXTS.analytics;

type Saved = AnswerOf<'GET /v1/analytics/saved-queries'>['saved_queries'][number];

function useSaved() {
  const { scope } = usePlace();
  return useQuery({
    queryKey: ['saved-queries', scope.game, scope.environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/analytics/saved-queries', { query: { limit: 500 }, signal }),
  });
}

/** The saved queries of the game, as links. */
export function SavedList() {
  const { role, zone } = usePlace();
  const [location] = useLocation();
  const saved = useSaved();
  const [deleting, setDeleting] = useState<Saved | undefined>();
  const [detailed, setDetailed] = useState('');
  const mayChange = isAtLeast(role, 'analyst');
  return (
    <Loaded query={saved} rows={1}>
      {({ saved_queries: all }) =>
        all.length === 0 ? (
          <Text size="sm" c="dimmed">
            {texts.savedEmpty}
          </Text>
        ) : (
          <Group gap="xs" component="ul" className="plain-list" aria-label={texts.saved}>
            {all.map((each) => (
              <Group key={each.key} component="li" gap={2} wrap="nowrap">
                <Anchor
                  component={Link}
                  href={location + addressOf(askedOf(zone, each))}
                  size="sm"
                  underline="always"
                  title={each.description === '' ? each.key : each.description}
                  className="break-anywhere"
                >
                  {each.name}
                </Anchor>
                <ActionIcon
                  size="sm"
                  variant="subtle"
                  color="gray"
                  aria-label={TEXTS.history.details(each.name)}
                  title={TEXTS.history.details(each.name)}
                  onClick={() => setDetailed(each.key)}
                >
                  …
                </ActionIcon>
                {mayChange ? (
                  <ActionIcon
                    size="sm"
                    variant="subtle"
                    color="gray"
                    aria-label={texts.removeSaved(each.name)}
                    onClick={() => setDeleting(each)}
                  >
                    ✕
                  </ActionIcon>
                ) : null}
              </Group>
            ))}
            <RemoveDialog saved={deleting} onClose={() => setDeleting(undefined)} />
            <SavedDetails of={all.find(({ key }) => key === detailed)} onClose={() => setDetailed('')} />
          </Group>
        )
      }
    </Loaded>
  );
}

function SavedDetails({ of, onClose }: { of: Saved | undefined; onClose: () => void }) {
  const { scope, role } = usePlace();
  if (of === undefined) return null;
  const path = { key: of.key };
  return (
    <DetailsDialog
      title={of.name}
      base="/v1/analytics/saved-queries/{key}"
      path={path}
      definition={of}
      mayChange={isAtLeast(role, 'analyst')}
      save={(labels) => call(scope, 'PUT /v1/analytics/saved-queries/{key}', { path, body: { ...of, ...labels } })}
      renews={[['saved-queries']]}
      onClose={onClose}
    />
  );
}

/** Asks before it removes a saved query. */
function RemoveDialog({ saved, onClose }: { saved: Saved | undefined; onClose: () => void }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: ({ key, version }: Saved) =>
      call(scope, 'DELETE /v1/analytics/saved-queries/{key}', {
        path: { key },
        headers: { 'If-Match': `"${version}"` },
      }),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['saved-queries'] }),
  });
  return (
    <Dialog opened={saved !== undefined} onClose={onClose} title={texts.removeSaved(saved?.name ?? '')}>
      <Stack>
        <Text>{texts.confirmRemove(saved?.name ?? '')}</Text>
        {remove.error === null ? null : <Fault error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {TEXTS.cancel}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => saved !== undefined && remove.mutate(saved)}>
            {TEXTS.remove}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function askedOf(zone: string, { query, range_days: days }: Saved): Asked {
  const { from, to } = query;
  const range = days === null && from !== undefined && to !== undefined ? daysOf(zone, from, to) : { days: days ?? 31 };
  return { query: queryOf(query), range };
}

/** Saves a query under a key, or replaces the one that has it. */
export function SaveDialog({ asked, opened, onClose }: { asked: Asked; opened: boolean; onClose: () => void }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const saved = useSaved();
  const [key, setKey] = useState('');
  const [name, setName] = useState('');
  const held = saved.data?.saved_queries.find((each) => each.key === key);
  const save = useMutation({
    mutationFn: () => {
      const { query, range } = asked;
      const body = {
        key,
        ...(name === '' ? {} : { name }),
        query: 'days' in range ? query : withDays(query, range),
        range_days: 'days' in range ? range.days : null,
      };
      if (held === undefined) return call(scope, 'POST /v1/analytics/saved-queries', { body });
      const headers = { 'If-Match': `"${held.version}"` };
      return call(scope, 'PUT /v1/analytics/saved-queries/{key}', { path: { key }, headers, body });
    },
    onSuccess: () => {
      setKey('');
      setName('');
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['saved-queries'] }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.saveTitle}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            data-autofocus
            required
            label={texts.saveKey}
            description={texts.saveKeyHelp}
            value={key}
            onChange={(event) => setKey(event.currentTarget.value.trim())}
          />
          <TextInput label={texts.saveName} value={name} onChange={(event) => setName(event.currentTarget.value)} />
          {held === undefined ? null : <Alert color="yellow">{texts.replace(held.key)}</Alert>}
          {save.error === null ? null : <Fault error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {held === undefined ? TEXTS.save : texts.replace(held.key)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
