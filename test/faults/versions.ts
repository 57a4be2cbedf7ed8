/** Messages that no version has ever sent. */
export const poisons: readonly string[] = [
  '',
  '{',
  'null',
  '[]',
  '"a task"',
  '\u0000\ufffd',
  '{"type":"process_messages","customerId":-1,"sensorId":"x","receiveDate":1,"first":0,"messages":[]}',
  '{"type":"deliver","customerId":1,"webhookId":"no-uuid","deliveryId":"no-id"}',
  '{"__proto__":{"type":"deliver"},"constructor":null}',
  '{"type":"process_notice","customerId":1e999,"sensorId":{},"uuid":"all"}',
  `{"type":"check_sensor","customerId":1,"sensorId":"${'x'.repeat(200_000)}"}`,
  '['.repeat(20_000),
];

/** Returns a task as sent by an older version, without retries and times, or by a newer one, with more fields. */
export const ofOtherVersion = (body: string, chance: number): string => {
  const { isRetry, notBefore, ...old } = JSON.parse(body) as Record<string, unknown>;
  const more = { ...old, ...(isRetry !== undefined && { isRetry, notBefore }), of: { tomorrow: [1] } };
  return JSON.stringify(chance < 0.5 ? old : { ...more, version: 2 });
};

/** Returns an item as written by a newer version, with more fields. */
export const otherItem = <I extends object>(item: I): I => ({ ...item, ofTomorrow: { some: ['thing', 1, null] } });
