/** Bells that no version ever rang. */
export const poisons: readonly string[] = [
  '',
  '{',
  'null',
  '[]',
  '"a bell"',
  '\u0000\ufffd',
  '{"c":-1,"s":"x","e":[]}',
  '{"c":1,"w":"no-uuid","d":"no-id"}',
  '{"__proto__":{"c":1},"constructor":null}',
  '{"c":1e999,"s":{},"e":"all"}',
  `{"c":1,"s":"${'x'.repeat(200_000)}","e":[]}`,
  '['.repeat(20_000),
];

/** The same bell as an older version rings it, which knows no way of retries and no time, or a newer one, which says more. */
export const ofOtherVersion = (body: string, chance: number): string => {
  const { r, t, ...old } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(chance < 0.5 ? old : { v: 2, ...old, ...(r !== undefined && { r, t }), of: { tomorrow: [1] } });
};

/**
 * The same item as an older version writes a delivery, without its format and without who speaks in it, or a newer one,
 * with more in it.
 */
export const otherItem = <I extends object>(item: I, chance: number): I => {
  if (chance >= 0.5 || !('snapshot' in item)) return { ...item, ofTomorrow: { some: ['thing', 1, null] } };
  const { format: _, snapshot, ...old } = item as I & { format?: string; snapshot: object };
  return { ...old, snapshot: { ...snapshot, service: undefined, webhook: undefined } } as never;
};
