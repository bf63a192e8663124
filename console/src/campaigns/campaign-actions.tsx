import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import type { Campaign } from './campaign-document.ts';

const texts = TEXTS.campaign;

/** Starts, pauses and archives a campaign, each after a confirmation and only on the version that is shown. */
export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const { scope } = usePlace();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [asking, setAsking] = useState<'switch' | 'archive' | undefined>();
  const { campaign_id: id, name, enabled, version } = campaign;
  const key = ['campaign', scope.game, scope.environment, id];
  const headers = { 'If-Match': `"${version}"` };
  const done = (): void => {
    setAsking(undefined);
    void queries.invalidateQueries({ queryKey: ['campaigns'] });
  };
  const change = useMutation({
    mutationFn: () =>
      call(scope, 'PATCH /v1/campaigns/campaigns/{id}', { path: { id }, headers, body: { enabled: !enabled } }),
    onSuccess(changed) {
      queries.setQueryData(key, changed);
      done();
    },
    onError: () => void queries.invalidateQueries({ queryKey: key }),
  });
  const archive = useMutation({
    mutationFn: () => call(scope, 'DELETE /v1/campaigns/campaigns/{id}', { path: { id }, headers }),
    onSuccess() {
      done();
      queries.removeQueries({ queryKey: key });
      navigate(`/${scope.game}/${scope.environment}/campaigns`);
    },
  });
  const close = (): void => {
    setAsking(undefined);
    change.reset();
    archive.reset();
  };
  return (
    <>
      <Button variant="default" onClick={() => setAsking('switch')}>
        {enabled ? texts.pause : texts.start}
      </Button>
      <Button variant="default" onClick={() => setAsking('archive')}>
        {texts.archive}
      </Button>
      <Confirm
        opened={asking === 'switch'}
        onClose={close}
        title={enabled ? texts.pauseTitle(name) : texts.startTitle(name)}
        action={enabled ? texts.pause : texts.start}
        busy={change.isPending}
        error={change.error}
        onConfirm={() => change.mutate()}
      >
        <Text>{enabled ? texts.pauseHelp : texts.startHelp}</Text>
      </Confirm>
      <Confirm
        opened={asking === 'archive'}
        onClose={close}
        title={texts.archiveTitle(name)}
        action={texts.archive}
        isDangerous
        busy={archive.isPending}
        error={archive.error}
        onConfirm={() => archive.mutate()}
      >
        <Text>{texts.archiveHelp}</Text>
      </Confirm>
    </>
  );
}
