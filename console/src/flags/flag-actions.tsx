import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../frame/api.ts';
import { Diff } from '../parts/drafts/diff.tsx';
import { TurnOffNow } from '../parts/editors/approval.tsx';
import { patch } from '../parts/optimistic.ts';
import { RemoveButton } from '../parts/editors/remove-button.tsx';
import { SwitchButton } from '../parts/editors/switch-button.tsx';
import { Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { SwitchBadge } from '../parts/editors/switch-badge.tsx';
import { TEXTS } from '../texts.ts';
import { type Flag, flagQuery, useFlagUsage } from '../definitions.ts';
import { Promote } from './promote.tsx';
import { RuleCounts } from './rule-counts.tsx';

const texts = TEXTS.flag;

/** What one does with a whole flag: on and off, promote, archive. */
export function FlagActions({ flag, hasDraft }: { flag: Flag; hasDraft: boolean }) {
  const { scope, mayEdit } = usePlace();
  return (
    <>
      <SwitchBadge enabled={flag.enabled} />
      <TurnOffNow kind="flag" name={flag.key} enabled={flag.enabled} />
      {mayEdit && !hasDraft ? <Switch flag={flag} /> : null}
      {scope.environment === 'test' && !hasDraft ? <Promote flag={flag} /> : null}
      {mayEdit ? <Archive flag={flag} /> : null}
    </>
  );
}

/** Turns the flag on or off. */
function Switch({ flag: { key, enabled, version, targeting_rules: rules } }: { flag: Flag }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const place = flagQuery(scope, key);
  return (
    <SwitchButton
      enabled={enabled}
      action={enabled ? texts.off : texts.on}
      title={enabled ? texts.offTitle(key) : texts.onTitle(key)}
      send={(wanted) =>
        call(scope, 'PATCH /v1/flags/flags/{key}', {
          path: { key },
          headers: { 'If-Match': String(version) },
          body: { enabled: wanted },
        })
      }
      patches={(wanted) => [
        patch<Flag>(place, (held) => ({ ...held, enabled: wanted })),
        patch<Flag[]>(['all flags', scope.game, scope.environment], (held) =>
          held.map((each) => (each.key === key ? { ...each, enabled: wanted } : each)),
        ),
      ]}
      renews={[['flag'], ['all flags']]}
      onDone={(saved) => queries.setQueryData(place, saved)}
    >
      <Diff before={{ enabled }} after={{ enabled: !enabled }} />
      {enabled ? <Text fw={600}>{TEXTS.playerCount.turnsOff}</Text> : <RuleCounts rules={rules} enabled />}
    </SwitchButton>
  );
}

function Archive({ flag: { key, version } }: { flag: Flag }) {
  const { scope } = usePlace();
  const usage = useFlagUsage().data?.flags.find((each) => each.key === key);
  return (
    <RemoveButton
      action={texts.archive}
      title={texts.archiveTitle(key)}
      list={`/${scope.game}/${scope.environment}/flags`}
      send={() =>
        call(scope, 'DELETE /v1/flags/flags/{key}', { path: { key }, headers: { 'If-Match': String(version) } })
      }
      patches={[
        patch<Flag[]>(['all flags', scope.game, scope.environment], (held) => held.filter((each) => each.key !== key)),
      ]}
      renews={[['flag'], ['all flags'], ['flag usage']]}
    >
      <Text>{texts.archiveHelp}</Text>
      <Text>
        {texts.lastUsed} <Time at={usage?.last_evaluated_at} />
      </Text>
      <Text>
        {texts.lastExposed} <Time at={usage?.last_exposed_at} />
      </Text>
    </RemoveButton>
  );
}
