import { Alert, Autocomplete, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ask } from '../../analytics/ask.ts';
import { ApiError, call } from '../../frame/api.ts';
import { History } from '../../history/history.tsx';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { Fault, Page } from '../../parts/states.tsx';
import { Time } from '../../parts/lists/values.tsx';
import { minuteText } from '../../parts/zoned-time.ts';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { ExchangeRates } from './exchange-rates.tsx';

const texts = TEXTS.settings;
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
const CURRENCIES = Intl.supportedValuesOf('currency');
const MOST_SHOWN = 50;
const BUILDING_MS = 3_000;
const BUILT_MS = 60_000;

/** The settings of the game, and whether its days are built in its time zone. */
export function Settings() {
  const { zone, currency } = usePlace();
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Card withBorder component="section" aria-labelledby="figures">
        <Stack gap="sm" maw={560}>
          <Title order={2} size="h5" id="figures">
            {texts.figures}
          </Title>
          {/* The key makes the form show what was saved, by whomever. */}
          <SettingsForm key={`${zone} ${currency ?? ''}`} />
          <Built />
        </Stack>
      </Card>
      <ExchangeRates />
      <SettingsHistory />
    </Page>
  );
}

function SettingsHistory() {
  const { scope, isAdmin } = usePlace();
  const { data } = useQuery({
    queryKey: ['settings', scope.game],
    queryFn: ({ signal }) => call(scope, 'GET /v1/settings', { signal }),
  });
  if (data === undefined) return null;
  const mayRestore = isAdmin && scope.environment === 'live';
  // The zone decides about all figures, so everything is read again.
  return <History base="/v1/settings" version={data.version} mayRestore={mayRestore} renews={[[]]} />;
}

function SettingsForm() {
  const { scope, isAdmin, zone, currency } = usePlace();
  const queries = useQueryClient();
  const [zoneText, setZoneText] = useState(zone);
  const [code, setCode] = useState(currency ?? '');
  const [asking, setAsking] = useState(false);
  const save = useMutation({
    mutationFn: () =>
      call(scope, 'PATCH /v1/settings', {
        body: {
          ...(zoneText === zone ? {} : { time_zone: zoneText }),
          ...(code === (currency ?? '') ? {} : { currency: code === '' ? null : code }),
        },
      }),
    async onSuccess() {
      setAsking(false);
      // The zone decides about all figures.
      await queries.invalidateQueries();
    },
    onError: (error) => setAsking(!isOfField(error)),
  });
  const readOnly = !isAdmin || scope.environment === 'test';
  const isChanged = zoneText !== zone || code !== (currency ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged) setAsking(true);
  };
  const edit = (set: (value: string) => void) => (value: string) => {
    save.reset();
    set(value);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {readOnly ? (
          <Alert color="gray" variant="outline" title={isAdmin ? texts.onlyLive : TEXTS.viewOnly('admin')} />
        ) : null}
        <Autocomplete
          label={texts.zone}
          description={`${texts.zoneHelp} ${texts.nowThere(minuteText(zone, Date.now()))}`}
          value={zoneText}
          data={ZONES}
          limit={MOST_SHOWN}
          readOnly={readOnly}
          error={faultOf(save.error, '/time_zone')}
          onChange={edit(setZoneText)}
        />
        <Autocomplete
          label={texts.currency}
          description={texts.currencyHelp}
          value={code}
          data={CURRENCIES}
          limit={MOST_SHOWN}
          readOnly={readOnly}
          error={faultOf(save.error, '/currency')}
          onChange={edit(setCode)}
        />
        {readOnly ? null : (
          <Group>
            <Button type="submit" disabled={!isChanged}>
              {TEXTS.save}
            </Button>
          </Group>
        )}
      </Stack>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={texts.askTitle}
        action={TEXTS.save}
        onConfirm={() => save.mutate()}
        busy={save.isPending}
        error={save.error}
        changes={texts.changes(scope.game)}
      >
        {zoneText === zone ? null : (
          <>
            <Text fw={600}>{texts.zoneChange(zone, zoneText)}</Text>
            <Text size="sm">{texts.zoneFollows}</Text>
          </>
        )}
        {code === (currency ?? '') ? null : (
          <>
            <Text fw={600}>{texts.currencyChange(currency ?? texts.none, code === '' ? texts.none : code)}</Text>
            <Text size="sm">{texts.currencyFollows}</Text>
          </>
        )}
      </Confirm>
    </form>
  );
}

const isOfField = (error: Error | null): error is ApiError => error instanceof ApiError && error.fields.length > 0;

/** What the service says of one field. */
function faultOf(error: Error | null, path: string): string | undefined {
  return isOfField(error) ? error.fields.find((field) => field.path === path)?.message : undefined;
}

/** Up to when the days of the game are built; after a change of the zone it waits for them. */
function Built() {
  const { scope, zone } = usePlace();
  const found = useQuery({
    queryKey: ['built-to', scope.game, scope.environment, zone],
    queryFn: ({ signal }) => ask(scope, { kind: 'trend', metric: 'active_players', last_days: 1 }, signal),
    refetchInterval: ({ state }) => (state.data?.built_to === null ? BUILDING_MS : BUILT_MS),
  });
  if (found.error !== null) return <Fault error={found.error} />;
  if (found.data === undefined) return null;
  const { built_to: builtTo } = found.data;
  return (
    <Text size="sm" role="status">
      {builtTo === null || builtTo === undefined ? (
        texts.building
      ) : (
        <>
          {texts.built} <Time at={builtTo} />.
        </>
      )}
    </Text>
  );
}
