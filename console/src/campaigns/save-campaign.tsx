import { Alert, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Diff } from '../parts/diff.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { type Campaign, writable } from './campaign-document.ts';

const texts = TEXTS.campaign;

interface SaveCampaignProps {
  /** The campaign that the changes are based on; undefined: a new one. */
  base: Campaign | undefined;
  /** What is saved; undefined: it is no JSON object. */
  document: Record<string, unknown> | undefined;
  /** Whether there is something to discard. */
  isDraft: boolean;
  onSaved: (campaign: Campaign) => void;
  onDiscard: () => void;
}

/** Saves a campaign: asks with the differences, and compares both sides if somebody else saved meanwhile. */
export function SaveCampaign({ base, document, isDraft, onSaved, onDiscard }: SaveCampaignProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [theirs, setTheirs] = useState<Campaign | undefined>();
  const before = base === undefined ? {} : writable(base);
  const save = useMutation({
    mutationFn: async (over: Campaign | undefined) => {
      if (over === undefined) {
        return call(scope, 'POST /v1/campaigns/campaigns', {
          body: document,
          headers: { 'Idempotency-Key': crypto.randomUUID() },
        });
      }
      return call(scope, 'PUT /v1/campaigns/campaigns/{id}', {
        path: { id: over.campaign_id },
        body: document,
        headers: { 'If-Match': `"${over.version}"` },
      });
    },
    onSuccess: (campaign) => {
      setAsking(false);
      setTheirs(undefined);
      queries.setQueryData(['campaign', scope.game, scope.environment, campaign.campaign_id], campaign);
      void queries.invalidateQueries({ queryKey: ['campaigns'] });
      onSaved(campaign);
    },
    onError: async (error, over) => {
      if (over === undefined || !(error instanceof ApiError) || error.status !== 412) return;
      const current = await call(scope, 'GET /v1/campaigns/campaigns/{id}', { path: { id: over.campaign_id } });
      setAsking(false);
      setTheirs(current);
    },
  });
  const takeTheirs = (campaign: Campaign): void => {
    setTheirs(undefined);
    queries.setQueryData(['campaign', scope.game, scope.environment, campaign.campaign_id], campaign);
    onDiscard();
  };
  return (
    <>
      <Group>
        <Button disabled={document === undefined} onClick={() => setAsking(true)}>
          {base === undefined ? TEXTS.create : TEXTS.save}
        </Button>
        {!isDraft ? null : (
          <>
            <Button variant="default" onClick={onDiscard}>
              {texts.discard}
            </Button>
            <Text size="sm" role="status">
              {texts.unsaved}
            </Text>
          </>
        )}
      </Group>
      <Confirm
        opened={asking}
        onClose={() => {
          setAsking(false);
          save.reset();
        }}
        title={base === undefined ? texts.createTitle : texts.saveTitle}
        action={base === undefined ? TEXTS.create : TEXTS.save}
        busy={save.isPending}
        error={save.error}
        onConfirm={() => save.mutate(base)}
      >
        <Diff before={before} after={document} />
      </Confirm>
      <Dialog opened={theirs !== undefined} onClose={() => setTheirs(undefined)} title={texts.conflict} size="xl">
        {theirs === undefined ? null : (
          <Stack>
            <Alert color="yellow" variant="outline">
              {texts.conflictHelp(theirs.version)}
            </Alert>
            <Title order={3} size="h5">
              {texts.theirs}
            </Title>
            <Diff before={before} after={writable(theirs)} label={texts.theirs} />
            <Title order={3} size="h5">
              {texts.yours}
            </Title>
            <Diff before={before} after={document} label={texts.yours} />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => takeTheirs(theirs)}>
                {texts.takeTheirs}
              </Button>
              <Button color="red" loading={save.isPending} onClick={() => save.mutate(theirs)}>
                {texts.saveMine}
              </Button>
            </Group>
          </Stack>
        )}
      </Dialog>
    </>
  );
}

/** What the service found odd in a saved campaign. */
export function Warnings({ campaign: { warnings = [] } }: { campaign: Campaign }) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" variant="outline" title={texts.warnings}>
      <List size="sm">
        {warnings.map(({ path, message }) => (
          <List.Item key={path}>{message}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
