import { Alert, Badge, SimpleGrid, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useAttention } from '../operations/attention.ts';
import { FindingsPanel } from '../operations/findings-panel.tsx';
import { PartitionsPanel, ProcessesPanel } from '../operations/owners-panels.tsx';
import { RunbookDrawer } from '../operations/runbook.tsx';
import { BrokerPanel, FreshnessPanel, SinksPanel } from '../operations/flow-panels.tsx';
import { SpacePanel, WebhooksPanel } from '../operations/space-panels.tsx';
import { Loaded, Page } from '../parts/states.tsx';
import { Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.operations;
const REFRESH_MS = 5_000;

/** The state of the deployment. Figures are replaced in place, so a refresh moves nothing. */
export function Operations() {
  const { isAdmin } = usePlace();
  const [search, setSearch] = useSearchParams();
  const entry = search.get('runbook') ?? undefined;
  const { status, freshness, concerns = [] } = useAttention(REFRESH_MS);
  const openRunbook = (name: string | undefined): void => setSearch(name === undefined ? {} : { runbook: name });

  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        status.data === undefined ? null : (
          <Badge variant="default" tt="none">
            {texts.readAt} <Time at={status.data.measured_at} />
          </Badge>
        )
      }
    >
      {status.error !== null && status.data !== undefined ? (
        <Alert color="yellow" variant="outline" role="status">
          {texts.stale}
        </Alert>
      ) : null}
      {isAdmin ? (
        <Loaded query={status} rows={8}>
          {(found) => (
            <>
              <FindingsPanel concerns={concerns} onRunbook={openRunbook} />
              <FreshnessPanel query={freshness} />
              <SimpleGrid cols={{ base: 1, xl: 2 }}>
                <SinksPanel status={found} onRunbook={openRunbook} />
                <WebhooksPanel status={found} onRunbook={openRunbook} />
                <BrokerPanel status={found} onRunbook={openRunbook} />
                <SpacePanel status={found} onRunbook={openRunbook} />
                <PartitionsPanel status={found} onRunbook={openRunbook} />
                <ProcessesPanel status={found} onRunbook={openRunbook} />
              </SimpleGrid>
            </>
          )}
        </Loaded>
      ) : (
        <>
          <Text>{TEXTS.viewOnly('admin')}</Text>
          <FreshnessPanel query={freshness} />
        </>
      )}
      <RunbookDrawer entry={entry} onClose={() => openRunbook(undefined)} />
    </Page>
  );
}
