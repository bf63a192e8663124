import { Card, List, Stack, Text } from '@mantine/core';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.webhook.signature;

const CODE = `import { verifyWebhook } from '@player-analytics/sdk/server';

export async function POST(request) {
  // Throws if the delivery is not genuine: answer 401 then.
  const event = verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET);
  // Skip event.id if you have processed it.
  return new Response(null, { status: 204 });
}`;

/** How a receiver checks that a delivery is genuine. */
export function SignatureHelp() {
  return (
    <Card withBorder>
      <Stack>
        <Text>{texts.intro}</Text>
        <List type="ordered" spacing="xs">
          {texts.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        <Text>{texts.library}</Text>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
        <pre className="json" tabIndex={0} role="region" aria-label={texts.codeLabel}>
          {CODE}
        </pre>
        <Text>{texts.repeats}</Text>
      </Stack>
    </Card>
  );
}
