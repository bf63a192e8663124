import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../../frame/api.ts';
import { isMissing } from '../../parts/not-there.tsx';
import { History } from '../../history/history.tsx';
import { Empty, Loaded, Page } from '../../parts/states.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { SchemaForm } from './schema-form.tsx';

const texts = TEXTS.schema;

/** A schema that does not exist yet. The address may name its events. */
export function NewSchema() {
  const name = new URLSearchParams(globalThis.location.search).get('event') ?? '';
  return (
    <Page title={texts.newTitle} intro={TEXTS.schemas.noneHelp}>
      <SchemaForm name={name} schema={undefined} />
    </Page>
  );
}

/** The schema of events with one name: `schemas/of/<name>`. */
export function SchemaScreen() {
  const { scope, mayEdit } = usePlace();
  const { game, environment } = scope;
  const name = nameIn(globalThis.location.pathname);
  const base = `/${game}/${environment}`;
  const schema = useQuery({
    queryKey: ['schema', game, environment, name],
    queryFn: ({ signal }) => call(scope, 'GET /v1/events/schemas/{event_name}', { path: { event_name: name }, signal }),
  });
  if (isMissing(schema.error)) {
    return (
      <Page title={name}>
        <Empty title={texts.missing(name)}>
          <Text c="dimmed">{texts.missingHelp}</Text>
          {mayEdit ? (
            <Button component={Link} href={`${base}/schemas/new?event=${encodeURIComponent(name)}`}>
              {TEXTS.schemas.create}
            </Button>
          ) : null}
          <Anchor component={Link} href={`${base}/dictionary?event=${encodeURIComponent(name)}`} underline="always">
            {TEXTS.schemas.toDictionary}
          </Anchor>
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={name} intro={schema.data?.description}>
      <Loaded query={schema} rows={8}>
        {(data) => (
          <>
            <SchemaForm key={name} name={name} schema={data} />
            <History
              base="/v1/events/schemas/{event_name}"
              path={{ event_name: name }}
              version={data.version}
              mayRestore={mayEdit}
              renews={[['schema'], ['schemas']]}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The router decodes its parameters once, which is once too often for a percent sign. */
function nameIn(pathname: string): string {
  const text = pathname.split('/schemas/of/')[1] ?? '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
