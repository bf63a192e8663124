import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../frame/api.ts';
import { Dialog } from '../parts/editors/dialog.tsx';
import { Loaded } from '../parts/states.tsx';
import { Copy } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { type Asked, bodyOf } from './query.ts';

const texts = TEXTS.analytics;

/** The statement behind a query, to copy or to go on with. */
export function SqlDialog({ asked, opened, onClose }: { asked: Asked; opened: boolean; onClose: () => void }) {
  const { scope } = usePlace();
  const statement = useQuery({
    queryKey: ['query-sql', scope.game, scope.environment, asked],
    queryFn: ({ signal }) => call(scope, 'POST /v1/analytics/queries/sql', { body: bodyOf(asked), signal }),
    enabled: opened,
  });
  return (
    <Dialog opened={opened} onClose={onClose} size="xl" title={texts.sqlTitle}>
      <Stack gap="xs">
        <Text size="sm">{texts.sqlHelp}</Text>
        <Loaded query={statement}>
          {({ sql }) => (
            <>
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable */}
              <pre className="json" tabIndex={0} role="region" aria-label={texts.sqlTitle}>
                {sql}
              </pre>
              <Group>
                <Copy text={sql} />
                <Anchor
                  component={Link}
                  underline="always"
                  href={`/${scope.game}/${scope.environment}/sql?${new URLSearchParams({ sql }).toString()}`}
                >
                  {texts.openSql}
                </Anchor>
              </Group>
            </>
          )}
        </Loaded>
      </Stack>
    </Dialog>
  );
}
