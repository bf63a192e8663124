import { Badge, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { reference as texts } from '../texts/reference.ts';
import type { ApiDocument, ApiResponse, Operation, Parameter } from './document.ts';
import { Method } from './method.tsx';
import { Prose } from './prose.tsx';
import { boundsText, SchemaView, typeText } from './schema-view.tsx';
import { TryIt } from './try-it.tsx';
import { ScrollRegion } from '../parts/scroll-region.tsx';

/** One endpoint: what it takes, what it answers, and a form to try it. */
export function OperationView({
  operation,
  document,
  apiKey,
}: {
  operation: Operation;
  document: ApiDocument;
  apiKey: string;
}) {
  const { method, path, summary, description, parameters, requestBody, responses } = operation;
  return (
    <Stack gap="lg">
      <title>{`${summary} · ${texts.title}`}</title>
      <div>
        <Title order={1} size="h3">
          {summary}
        </Title>
        <Group gap="xs" my={6}>
          <Method method={method} />
          <Code className="break-anywhere" fz="sm">
            {path}
          </Code>
        </Group>
        <Prose text={description} size="md" />
      </div>
      <div className="reference-columns">
        <Stack gap="lg">
          {parameters.length === 0 ? null : <Parameters parameters={parameters} document={document} />}
          {requestBody === undefined
            ? null
            : Object.entries(requestBody.content).map(([type, { schema }]) => (
                <section key={type} aria-label={`${texts.body} ${type}`}>
                  <Title order={2} size="h5">
                    {requestBody.required ? texts.body : texts.bodyOptional}
                  </Title>
                  <Text size="xs" c="dimmed">
                    {type}
                  </Text>
                  {schema === undefined ? null : <SchemaView schema={schema} document={document} />}
                </section>
              ))}
          <section aria-labelledby="responses">
            <Title order={2} size="h5" id="responses" mb={6}>
              {texts.responses}
            </Title>
            {Object.entries(responses).map(([status, response]) => (
              <Answer key={status} status={status} response={response} document={document} />
            ))}
          </section>
        </Stack>
        <TryIt operation={operation} apiKey={apiKey} />
      </div>
    </Stack>
  );
}

function Parameters({ parameters, document }: { parameters: readonly Parameter[]; document: ApiDocument }) {
  return (
    <section aria-labelledby="parameters">
      <Title order={2} size="h5" id="parameters">
        {texts.parameters}
      </Title>
      <ScrollRegion label={texts.parameters}>
        <Table verticalSpacing={6}>
          <Table.Tbody>
            {parameters.map((parameter) => (
              <Table.Tr key={`${parameter.in} ${parameter.name}`}>
                <Table.Th scope="row" fw={400} style={{ verticalAlign: 'top' }}>
                  <Code fw={600}>{parameter.name}</Code>
                  <Text size="xs" c="dimmed">
                    {texts.places[parameter.in]}, {typeText(parameter.schema, document)}
                  </Text>
                  {parameter.required ? (
                    <Badge size="xs" variant="outline" color="orange" tt="none">
                      {texts.required}
                    </Badge>
                  ) : null}
                </Table.Th>
                <Table.Td>
                  <Prose text={parameter.description ?? ''} />
                  <Text size="xs" c="dimmed" className="break-anywhere">
                    {boundsText(parameter.schema)}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </section>
  );
}

function Answer({ status, response, document }: { status: string; response: ApiResponse; document: ApiDocument }) {
  const isSuccess = status.startsWith('2');
  return (
    <details className="schema-field" open={isSuccess}>
      <summary>
        <Badge variant="outline" color={isSuccess ? 'green' : status.startsWith('3') ? 'gray' : 'red'} tt="none">
          {status}
        </Badge>
      </summary>
      <Prose text={response.description} />
      {Object.entries(response.content ?? {}).map(([type, { schema, example, examples }]) => (
        <div key={type}>
          {isSuccess && example !== undefined ? <Example value={example} label={`${texts.example} ${status}`} /> : null}
          {isSuccess && schema !== undefined ? (
            <details className="schema-field">
              <summary>
                <Text span size="sm">
                  {texts.schema}
                </Text>
              </summary>
              <SchemaView schema={schema} document={document} />
            </details>
          ) : null}
          {Object.entries(examples ?? {}).map(([code, { value }]) => (
            <Example key={code} value={value} label={code} />
          ))}
        </div>
      ))}
    </details>
  );
}

function Example({ value, label }: { value: unknown; label: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable
    <pre className="json" tabIndex={0} role="region" aria-label={label}>
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  );
}
