import { Alert, type AlertProps, Anchor, Button, Code, Group, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../frame/api.ts';
import { TEXTS } from '../texts.ts';

/** The head of a screen. It names the tab too. */
export function Page({
  title,
  intro,
  actions,
  children,
}: {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Stack gap="md">
      <title>{`${title} · ${TEXTS.product}`}</title>
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          {intro === undefined ? null : <Text c="dimmed">{intro}</Text>}
        </div>
        {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** What there is to do where nothing is shown. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap={6} py={48}>
      <Text fw={600}>{title}</Text>
      {typeof children === 'string' ? <Text c="dimmed">{children}</Text> : children}
    </Stack>
  );
}

/** Whether a change was stored as a proposal, which a second person approves. */
export function isWaiting(error: Error | null | undefined): boolean {
  return error instanceof ApiError && error.waitsAt !== undefined;
}

interface FaultProps {
  title?: string;
  error: Error;
  onRetry?: () => void;
  /** Dismisses it; without it, it stays. */
  onClose?: () => void;
}

/** A failed request, in the service's words. A change that waits for a second person is no failure. */
export function Fault({ title, error, onRetry, onClose }: FaultProps) {
  const closing = onClose === undefined ? {} : { withCloseButton: true, closeButtonLabel: TEXTS.close, onClose };
  if (error instanceof ApiError && error.waitsAt !== undefined) return <Waiting at={error.waitsAt} {...closing} />;
  const fields = error instanceof ApiError ? error.fields : [];
  return (
    <Alert color="red" variant="outline" title={title ?? error.message} role="alert" {...closing}>
      <Stack gap="xs" align="flex-start">
        {title === undefined ? null : <Text size="sm">{error.message}</Text>}
        {fields.length < 2 ? null : (
          <List size="sm">
            {fields.map(({ path, message }) => (
              <List.Item key={`${path} ${message}`}>
                <Code>{path === '' ? '/' : path}</Code> {message}
              </List.Item>
            ))}
          </List>
        )}
        {onRetry === undefined ? null : (
          <Button size="xs" variant="default" onClick={onRetry}>
            {TEXTS.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function Waiting({ at, ...closing }: { at: string } & AlertProps) {
  return (
    <Alert color="blue" variant="outline" title={TEXTS.waiting.title} role="status" {...closing}>
      <Text size="sm">{TEXTS.waiting.help}</Text>
      <Anchor component={Link} href={at} size="sm" underline="always">
        {TEXTS.waiting.open}
      </Anchor>
    </Alert>
  );
}

function Rows({ count = 5 }: { count?: number }) {
  return (
    <Stack gap={8} aria-busy="true" aria-label={TEXTS.loading} role="status">
      {Array.from({ length: count }, (_, place) => (
        <Skeleton key={place} height={30} />
      ))}
    </Stack>
  );
}

/** The states of a query: skeletons, its failure, or its data. */
export function Loaded<T>({
  query,
  children,
  rows,
}: {
  query: { data: T | undefined; error: Error | null; refetch: () => unknown };
  children: (data: T) => ReactNode;
  rows?: number;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error !== null) return <Fault error={query.error} onRetry={() => void query.refetch()} />;
  return <Rows {...(rows === undefined ? {} : { count: rows })} />;
}

/** What is shown until the code of a screen is there. */
export function Opening() {
  return (
    <Stack gap="md">
      <Skeleton height={32} width={220} />
      <Rows count={8} />
    </Stack>
  );
}

/** A screen that a person without the role admin opened by its address. */
export function OnlyAdmins({ title, why }: { title: string; why: string }) {
  return (
    <Page title={title}>
      <Empty title={why} />
    </Page>
  );
}

export function Missing() {
  return (
    <Page title={TEXTS.notFound}>
      <Empty title={TEXTS.notFoundHelp}>
        <Anchor component={Link} href="~/console" underline="always">
          {TEXTS.home}
        </Anchor>
      </Empty>
    </Page>
  );
}
