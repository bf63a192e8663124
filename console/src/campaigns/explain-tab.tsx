import { Alert, Anchor, Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../frame/api.ts';
import { useSegments } from '../definitions.ts';
import { Figures, State } from '../operations/panel.tsx';
import { parseObject } from '../parts/editors/json-text.ts';
import { Fault } from '../parts/states.tsx';
import { number, Time } from '../parts/lists/values.tsx';
import { isAtLeast, usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import type { Shown } from './message/message-document.ts';
import { MessagePreview } from './message/message-preview.tsx';

const texts = TEXTS.campaign;

type Explanation = AnswerOf<'POST /v1/campaigns/campaigns/explain'>;

interface ExplainTabProps {
  /** The campaign as it would be saved, or as it is. */
  document: Record<string, unknown>;
  /** Its id, unless it is a draft. */
  id: string | undefined;
  player: string;
  onPlayer: (player: string) => void;
}

/** How many players the audience has, and what one of them would get. */
export function ExplainTab({ document, id, player, onPlayer }: ExplainTabProps) {
  const { scope } = usePlace();
  const [text, setText] = useState(player);
  const [properties, setProperties] = useState('');
  const explain = useMutation({
    mutationFn: (wanted: string) =>
      call(scope, 'POST /v1/campaigns/campaigns/explain', {
        body: {
          player: wanted,
          ...(id === undefined ? { campaign: document } : { campaign_id: id }),
          ...(properties.trim() === '' ? {} : { properties: parseObject(properties) ?? {} }),
        },
      }),
  });
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    const wanted = text.trim();
    if (wanted === '') return;
    onPlayer(wanted);
    explain.mutate(wanted);
  };
  const isBadJson = properties.trim() !== '' && parseObject(properties) === undefined;
  return (
    <Stack>
      <AudienceSize audience={typeof document['audience'] === 'string' ? document['audience'] : undefined} />
      <Card withBorder component="section" aria-label={texts.explainTitle}>
        <Stack gap="xs">
          <Title order={2} size="h5">
            {texts.explainTitle}
          </Title>
          <Text size="sm" c="dimmed">
            {texts.explainHelp}
          </Text>
          {id === undefined ? (
            <Alert color="yellow" variant="outline">
              {texts.ofDraft}
            </Alert>
          ) : null}
          <form onSubmit={submit}>
            <Group align="flex-end">
              <TextInput label={texts.player} value={text} onChange={(event) => setText(event.currentTarget.value)} />
              <TextInput
                label={texts.properties}
                placeholder='{"level": 12}'
                value={properties}
                error={isBadJson ? texts.badJson : undefined}
                onChange={(event) => setProperties(event.currentTarget.value)}
              />
              <Button type="submit" loading={explain.isPending} disabled={isBadJson}>
                {texts.explain}
              </Button>
            </Group>
          </form>
          {explain.error === null ? null : <Fault error={explain.error} />}
          {explain.data === undefined ? null : <Answer found={explain.data} />}
        </Stack>
      </Card>
    </Stack>
  );
}

function Answer({ found }: { found: Explanation }) {
  const { scope } = usePlace();
  const { outcome, decided_by: decidedBy } = found;
  return (
    <Stack gap="xs">
      <Group role="status">
        <State ok={outcome === 'given'} label={texts.outcomes[outcome]} />
        {decidedBy === null ? null : (
          <Text fw={600}>{texts.because(texts.reasons[decidedBy] ?? texts.unconcerned[decidedBy] ?? decidedBy)}</Text>
        )}
      </Group>
      <Text size="sm">
        {texts.before(found.messages_before)} {texts.waiting(found.waiting)}{' '}
        <Anchor
          component={Link}
          href={`/${scope.game}/${scope.environment}/players/${found.player_id}`}
          underline="always"
        >
          {texts.toPlayer}
        </Anchor>
      </Text>
      {outcome === 'given' ? (
        <>
          {found.variant === null && found.locale === null ? null : (
            <Text size="sm">{texts.drawnFor(found.variant, found.locale)}</Text>
          )}
          <MessagePreview shown={shownOf(found.content)} />
        </>
      ) : null}
      <Figures
        label={texts.explainTitle}
        heads={[texts.check, texts.passes, texts.detail]}
        rows={found.checks.map((check) => ({
          key: check.check,
          cells: [
            texts.checks[check.check] ?? check.check,
            check.passes === null ? (
              texts.open
            ) : (
              <State key="passes" ok={check.passes} label={check.passes ? TEXTS.yes : TEXTS.no} />
            ),
            <Detail key="detail" check={check} />,
          ],
        }))}
      />
    </Stack>
  );
}

/** The message as the player would get it, with its values. */
function shownOf({ image, deep_link: deepLink, buttons, data, ...shown }: Explanation['content']): Shown {
  return {
    ...shown,
    image: image ?? '',
    deepLink: deepLink ?? '',
    buttons: buttons.map(({ id, label, action = '' }) => ({ id, label, action })),
    data: data ?? undefined,
  };
}

function Detail({ check: { check, passes, value, most, until } }: { check: Explanation['checks'][number] }) {
  const word =
    check === 'started' ? (passes === true ? 'started' : 'starts') : check === 'quiet_hours' ? 'held' : 'again';
  return (
    <>
      {value === undefined ? null : texts.counted(value, most === undefined ? texts.noMost : number(most))}
      {until === undefined ? null : (
        <>
          {' '}
          {texts.timeOf[word]} <Time at={until} />
        </>
      )}
    </>
  );
}

/** The number of players in the audience. Counting costs the owners time, so it needs the role analyst. */
function AudienceSize({ audience }: { audience: string | undefined }) {
  const { scope, role } = usePlace();
  const { data: segments = [] } = useSegments();
  const mayCount = isAtLeast(role, 'analyst');
  const segment = segments.find(({ segment_id: id }) => id === audience);
  const conditions = audience === undefined ? {} : segment?.conditions;
  const count = useQuery({
    queryKey: ['audience', scope.game, scope.environment, audience ?? '', segment?.version ?? 0],
    queryFn: ({ signal }) =>
      call(scope, 'POST /v1/segments/segments/preview', {
        body: {
          conditions,
          ...(segment === undefined ? {} : { includes: segment.includes, excludes: segment.excludes }),
        },
        signal,
      }),
    enabled: mayCount && conditions !== undefined,
    staleTime: 30_000,
  });
  if (segment?.list !== undefined) return <Text>{texts.sizeOfList(number(segment.list.players))}</Text>;
  if (!mayCount) return <Text c="dimmed">{texts.sizeUnknown}</Text>;
  if (count.error !== null) return <Fault error={count.error} onRetry={() => void count.refetch()} />;
  if (count.data === undefined) return <Text c="dimmed">{TEXTS.loading} …</Text>;
  const { players, players_total: total, margin } = count.data;
  return <Text>{texts.size(number(players), number(total), number(margin))}</Text>;
}
