/** The OpenAPI path of a request path of the webhook endpoints. */
export function documentedWebhookPath(path: string): string {
  return path
    .replace(/\?.*/, '')
    .replace(/^(\/v1\/integrations\/webhooks)\/[^/]+/, '$1/{id}')
    .replace(/\/deliveries\/[^/]+/, '/deliveries/{delivery_id}');
}
