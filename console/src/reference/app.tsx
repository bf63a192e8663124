import { Alert, Anchor, AppShell, Burger, Group, PasswordInput, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { SchemeButton } from '../parts/charts/scheme-button.tsx';
import { reference as texts } from '../texts/reference.ts';
import { type ApiDocument, loadDocument, operationsOf } from './document.ts';
import { OperationView } from './operation-view.tsx';
import { OperationList } from './operation-list.tsx';
import { Prose } from './prose.tsx';

/** The API reference: all endpoints of the service's openapi.json, each with a form to try it. */
export function App() {
  const document = useQuery({ queryKey: ['openapi'], queryFn: loadDocument, staleTime: Number.POSITIVE_INFINITY });
  const [location] = useLocation();
  const [, params] = useRoute('/:operation');
  const [menuOpen, menu] = useDisclosure(false);
  const [apiKey, setApiKey] = useState('');
  const operations = useMemo(() => (document.data === undefined ? [] : operationsOf(document.data)), [document.data]);
  useEffect(menu.close, [location, menu.close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 320, breakpoint: 'sm', collapsed: { mobile: !menuOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#content">
        {texts.skip}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={menuOpen} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label={texts.menu} />
            <Text fw={700} visibleFrom="xs">
              {texts.title}
            </Text>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <PasswordInput
              size="xs"
              w={{ base: 150, sm: 220 }}
              aria-label={texts.key}
              placeholder={texts.key}
              title={texts.keyHelp}
              autoComplete="off"
              value={apiKey}
              onChange={(event) => setApiKey(event.currentTarget.value.trim())}
            />
            <Anchor href="/openapi.json" size="sm" visibleFrom="md">
              {texts.document}
            </Anchor>
            <Anchor href="/console" size="sm" visibleFrom="sm">
              {texts.toConsole}
            </Anchor>
            <SchemeButton />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={texts.operations}>
        {document.data === undefined ? null : <OperationList operations={operations} current={params?.operation} />}
      </AppShell.Navbar>
      <AppShell.Main id="content">
        {document.error === null ? null : (
          <Alert color="red" variant="outline" title={texts.unreachable}>
            {document.error.message}
          </Alert>
        )}
        {document.isPending ? (
          <Stack gap={8} aria-busy="true" aria-label={texts.loading} role="status">
            <Skeleton height={36} />
            <Skeleton height={200} />
          </Stack>
        ) : null}
        {document.data === undefined ? null : (
          <Content document={document.data} operationId={params?.operation} apiKey={apiKey} />
        )}
      </AppShell.Main>
    </AppShell>
  );
}

interface ContentProps {
  document: ApiDocument;
  operationId: string | undefined;
  apiKey: string;
}

function Content({ document, operationId, apiKey }: ContentProps) {
  if (operationId === undefined) return <Introduction document={document} />;
  const operation = operationsOf(document).find((each) => each.operationId === operationId);
  if (operation === undefined) return <Title order={1}>{texts.missing}</Title>;
  // The key makes the form begin anew for each endpoint.
  return <OperationView key={operationId} operation={operation} document={document} apiKey={apiKey} />;
}

function Introduction({ document: { info, components } }: { document: ApiDocument }) {
  return (
    <Stack gap="md" maw={820}>
      <title>{texts.title}</title>
      <div>
        <Title order={1} size="h3">
          {info.title}
        </Title>
        <Text c="dimmed">{texts.version(info.version)}</Text>
      </div>
      <Prose text={info.summary} size="md" />
      <Prose text={info.description} size="md" />
      <Text>{texts.start}</Text>
      <Text size="sm" c="dimmed">
        {texts.keys}
      </Text>
      <section aria-labelledby="auth">
        <Title order={2} size="h5" id="auth">
          {texts.auth}
        </Title>
        <Stack gap={6}>
          {Object.entries(components.securitySchemes).map(([id, { name, description = '' }]) => (
            <Prose key={id} text={`${name === undefined ? '' : `\`${name}\`: `}${description}`} />
          ))}
        </Stack>
      </section>
    </Stack>
  );
}
