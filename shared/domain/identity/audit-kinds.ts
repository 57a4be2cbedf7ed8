/** How long (ms) audit log entries are kept. */
export const AUDIT_RETENTION = 400 * 86_400_000;

export const actorKinds = [
  ...(['user', 'token', 'device', 'key', 'link', 'anonymous', 'home_assistant', 'receiver'] as const),
] as const;
export const objectKinds = [
  ...(['customer', 'user', 'access_token', 'sensor', 'sensor_group', 'bot', 'rule', 'rule_hit'] as const),
  ...(['webhook', 'delivery', 'replay', 'feedback', 'firmware', 'provisioning_key'] as const),
] as const;
