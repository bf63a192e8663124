import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isActive } from '../../../core/vocabulary/documents/experiments.ts';
import type { Experiment } from '../definitions.ts';
import { call, changeReason } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';
import { noteSaved } from '../parts/drafts/saved.tsx';
import { TurnOffNow } from '../parts/editors/approval.tsx';
import { Confirm } from '../parts/editors/confirm.tsx';
import { RemoveButton } from '../parts/editors/remove-button.tsx';
import { patch } from '../parts/optimistic.ts';
import { SegmentPlayerCount } from '../parts/players/player-count.tsx';
import { TEXTS } from '../texts.ts';
import { type Action, experimentQuery } from './experiment-document.ts';
import { FlagOff, ShipChoice } from './ship-choice.tsx';

const texts = TEXTS.experiment;

/** What takes something from players is possible beside changes that are not saved. */
const WITH_DRAFT: ReadonlySet<Action> = new Set(['pause', 'stop']);
/** What changes nothing for players. */
const QUIET: ReadonlySet<Action> = new Set(['discard']);

/** The life of an experiment: each action after a confirmation, and only on the version that is shown. */
export function LifeActions({ experiment, hasDraft }: { experiment: Experiment; hasDraft: boolean }) {
  const [asked, setAsked] = useState<Action | undefined>();
  return (
    <>
      <TurnOffNow kind="experiment" name={experiment.key} enabled={isActive(experiment)} />
      {experiment.actions
        .filter((action) => !hasDraft || WITH_DRAFT.has(action))
        .map((action) => (
          <Button key={action} variant="default" onClick={() => setAsked(action)}>
            {texts.actions[action]}
          </Button>
        ))}
      {experiment.state === 'draft' ? <RemoveDraft experiment={experiment} /> : null}
      {/* It stays if another person made the action meanwhile, and says so. */}
      {asked === undefined ? null : (
        <Ask key={asked} experiment={experiment} action={asked} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

interface AskProps {
  experiment: Experiment;
  action: Action;
  onClose: () => void;
}

function Ask({ experiment, action, onClose }: AskProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const { key, name, version, variants } = experiment;
  const [why, setWhy] = useState('');
  const [variant, setVariant] = useState(variants[1]?.key ?? '');
  const place = experimentQuery(scope, key);
  const renew = (): Promise<unknown> =>
    Promise.all(
      [['experiment'], ['all experiments'], ['flag'], ['all flags']].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
  const act = useMutation({
    mutationFn: async (): Promise<Experiment> => {
      const input = { path: { key }, headers: { 'If-Match': `"${version}"`, ...changeReason(why) } };
      if (action !== 'ship' && action !== 'undo') {
        return call(scope, `POST /v1/experiments/experiments/{key}/${action}`, input);
      }
      const decided = await call(scope, `POST /v1/experiments/experiments/{key}/${action}`, {
        ...input,
        ...(action === 'ship' ? { body: { variant } } : {}),
      });
      return decided.experiment;
    },
    async onSuccess(saved) {
      queries.setQueryData(place, saved);
      noteSaved(queries, place, saved);
      await renew();
      onClose();
    },
    // The page shows what another person made of it.
    onError: renew,
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={texts.titles[action](name)}
      action={texts.actions[action]}
      {...(QUIET.has(action) ? { changes: texts.changesNothing(scope.game) } : {})}
      busy={act.isPending}
      error={act.error}
      disabled={action === 'ship' && variant === ''}
      onConfirm={() => act.mutate()}
    >
      <What experiment={experiment} action={action}>
        <ShipChoice experiment={experiment} variant={variant} onChoose={setVariant} />
      </What>
      <TextInput
        label={texts.why}
        value={why}
        maxLength={500}
        onChange={(event) => setWhy(event.currentTarget.value)}
      />
    </Confirm>
  );
}

/** What an action does. @param children of the action that ships */
function What({ experiment, action, children }: Pick<AskProps, 'experiment' | 'action'> & { children: ReactNode }) {
  if (action === 'ship') return <>{children}</>;
  const { audience, traffic, flag_key: flagKey } = experiment;
  return (
    <Stack gap="xs">
      <Text>{texts.helps[action]}</Text>
      {action === 'start' ? (
        <div>
          <Text>{texts.takesPart(traffic)}</Text>
          <SegmentPlayerCount
            what={texts.audienceCount}
            segmentId={audience.segment_id ?? null}
            conditions={audience.conditions}
          />
        </div>
      ) : null}
      {action === 'start' || action === 'resume' ? <FlagOff flagKey={flagKey} /> : null}
    </Stack>
  );
}

function RemoveDraft({ experiment: { key, name, version } }: { experiment: Experiment }) {
  const { scope } = usePlace();
  return (
    <RemoveButton
      action={texts.removeDraft}
      title={texts.removeTitle(name)}
      list={`/${scope.game}/${scope.environment}/experiments`}
      send={() =>
        call(scope, 'DELETE /v1/experiments/experiments/{key}', {
          path: { key },
          headers: { 'If-Match': `"${version}"` },
        })
      }
      patches={[
        patch<Experiment[]>(['all experiments', scope.game, scope.environment], (held) =>
          held.filter((each) => each.key !== key),
        ),
      ]}
      renews={[['experiment'], ['all experiments']]}
    >
      <Text>{texts.removeHelp}</Text>
    </RemoveButton>
  );
}
