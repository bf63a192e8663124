import { Alert, Anchor, Button, Card, Group, List, Loader, Stack, Tabs, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useEventFeed } from '../../frame/event-feed.ts';
import { Page } from '../../parts/states.tsx';
import { Copy, Json } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.start;
const LATE_MS = 30_000;
const NO_FILTER = { name: '', player: '' };

/** The first event of a game: how to send it, whether it arrived, and what may be wrong. */
export function Start() {
  const { scope } = usePlace();
  const [key, setKey] = useState('');
  const [isLate, setLate] = useState(false);
  const feed = useEventFeed(scope, NO_FILTER);
  const first = feed.events[0]?.read();
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Card withBorder>
        <TextInput
          label={texts.key}
          description={`${texts.keyHelp} ${scope.game === 'demo' ? texts.keyDemo : ''}`}
          placeholder={`pk_${scope.environment}_…`}
          value={key}
          autoComplete="off"
          onChange={(event) => setKey(event.currentTarget.value.trim())}
        />
      </Card>
      <Card withBorder>
        <Title order={2} size="h5" mb="xs">
          {texts.send}
        </Title>
        <Snippets snippets={snippetsFor(key === '' ? `pk_${scope.environment}_…` : key)} />
      </Card>
      <div role="status">
        {first === undefined ? (
          <Group>
            <Loader size="sm" />
            <Text>{texts.waiting}</Text>
          </Group>
        ) : (
          <Alert color="green" title={texts.arrived}>
            <Stack align="flex-start">
              <Text>{texts.arrivedName(first.event_name)}</Text>
              <Json value={first} label={texts.arrivedName(first.event_name)} />
              <Button component={Link} href={`/${scope.game}/${scope.environment}/events`}>
                {texts.next}
              </Button>
            </Stack>
          </Alert>
        )}
      </div>
      {isLate && first === undefined ? (
        <Alert color="yellow" title={texts.lateTitle}>
          <List>
            {texts.late.map((say, place) => (
              <List.Item key={place}>{say(`${scope.game}, ${scope.environment}`)}</List.Item>
            ))}
          </List>
          <Anchor component={Link} href={`/${scope.game}/${scope.environment}/events`} underline="always">
            {texts.next}
          </Anchor>
        </Alert>
      ) : null}
    </Page>
  );
}

interface Snippet {
  name: string;
  label: string;
  code: string;
}

function Snippets({ snippets }: { snippets: readonly Snippet[] }) {
  return (
    <Tabs defaultValue="curl">
      <Tabs.List>
        {snippets.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, label, code }) => (
        <Tabs.Panel key={name} value={name} pt="xs">
          <Stack gap="xs" align="stretch">
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
            <pre className="json" tabIndex={0} role="region" aria-label={label}>
              {code}
            </pre>
            <Group>
              <Copy text={code} />
            </Group>
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function snippetsFor(key: string): Snippet[] {
  const { origin } = globalThis.location;
  return [
    {
      name: 'curl',
      label: texts.curl,
      code: [
        `ID=$(curl -s ${origin}/v1/players/players -H 'X-API-Key: ${key}' \\`,
        `  -H 'Content-Type: application/json' -d '{"external_id":"player-1"}' | grep -o '[0-9a-f-]\\{36\\}' | head -1)`,
        `curl -s ${origin}/v1/events/events -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\`,
        `  -d '{"player_id":"'$ID'","event_name":"level_up","properties":{"level":4}}'`,
      ].join('\n'),
    },
    {
      name: 'sdk',
      label: texts.sdk,
      code: [
        "import { createGame } from '@player-analytics/sdk';",
        '',
        `const game = createGame({ baseUrl: '${origin}', key: '${key}', player: 'player-1' });`,
        'await game.ready;',
        "game.track('level_up', { level: 4 });",
      ].join('\n'),
    },
    {
      name: 'segment',
      label: texts.segment,
      code: [
        "import { Analytics } from '@segment/analytics-node';",
        '',
        `const analytics = new Analytics({ writeKey: '${key}', host: '${origin}' });`,
        "analytics.track({ userId: 'player-1', event: 'level_up', properties: { level: 4 } });",
      ].join('\n'),
    },
  ];
}
