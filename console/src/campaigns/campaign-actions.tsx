import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../frame/api.ts';
import type { Campaign as ListedCampaign } from '../definitions.ts';
import { TurnOffNow } from '../parts/editors/approval.tsx';
import { patch } from '../parts/optimistic.ts';
import { SegmentPlayerCount } from '../parts/players/player-count.tsx';
import { RemoveButton } from '../parts/editors/remove-button.tsx';
import { SwitchButton } from '../parts/editors/switch-button.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { type Campaign, campaignQuery } from './campaign-document.ts';

const texts = TEXTS.campaign;

/** Starts, pauses and archives a campaign, each after a confirmation and only on the version that is shown. */
export function CampaignActions({ campaign, hasDraft }: { campaign: Campaign; hasDraft: boolean }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const { campaign_id: id, name, version } = campaign;
  const path = { id };
  const headers = { 'If-Match': `"${version}"` };
  return (
    <>
      <TurnOffNow kind="campaign" name={id} enabled={campaign.enabled} />
      {hasDraft ? null : <Switch campaign={campaign} />}
      <RemoveButton
        action={texts.archive}
        title={texts.archiveTitle(name)}
        list={`/${game}/${environment}/campaigns`}
        send={() => call(scope, 'DELETE /v1/campaigns/campaigns/{id}', { path, headers })}
        patches={[
          patch<ListedCampaign[]>(['all campaigns', game, environment], (held) =>
            held.filter((each) => each.campaign_id !== id),
          ),
        ]}
        renews={[['campaign'], ['all campaigns']]}
      >
        <Text>{texts.archiveHelp}</Text>
      </RemoveButton>
    </>
  );
}

/** Starts or pauses the campaign. */
function Switch({ campaign: { campaign_id: id, name, enabled, version, audience } }: { campaign: Campaign }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const place = campaignQuery(scope, id);
  return (
    <SwitchButton
      enabled={enabled}
      action={enabled ? texts.pause : texts.start}
      title={enabled ? texts.pauseTitle(name) : texts.startTitle(name)}
      send={(wanted) =>
        call(scope, 'PATCH /v1/campaigns/campaigns/{id}', {
          path: { id },
          headers: { 'If-Match': `"${version}"` },
          body: { enabled: wanted },
        })
      }
      patches={(wanted) => [
        patch<Campaign>(place, (held) => ({ ...held, enabled: wanted })),
        patch<ListedCampaign[]>(['all campaigns', scope.game, scope.environment], (held) =>
          held.map((each) => (each.campaign_id === id ? { ...each, enabled: wanted } : each)),
        ),
      ]}
      renews={[['campaign'], ['all campaigns']]}
      onDone={(saved) => queries.setQueryData(place, saved)}
    >
      <Text>{enabled ? texts.pauseHelp : texts.startHelp}</Text>
      {enabled ? (
        <Text fw={600}>{TEXTS.playerCount.pauses}</Text>
      ) : (
        <SegmentPlayerCount what={TEXTS.playerCount.audience} segmentId={audience} />
      )}
    </SwitchButton>
  );
}
