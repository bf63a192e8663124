/** A path of the webhooks' endpoints as the OpenAPI document names it. */
export function documentedWebhookPath(path: string): string {
  return path
    .replace(/\?.*/, '')
    .replace(/^(\/v1\/integrations\/webhooks)\/[^/]+/, '$1/{id}')
    .replace(/\/deliveries\/[^/]+/, '/deliveries/{delivery_id}');
}
