CREATE OR REPLACE VIEW live_webhook_deliveries AS
SELECT * EXCEPT environment
FROM webhook_deliveries
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_webhook_disablings AS
SELECT * EXCEPT environment
FROM webhook_disablings FINAL
WHERE environment = 'live';
