/**
 * The maximum title and message lengths, in code points. Rule text always fits in full, with room for the placeholder
 * values.
 */
export const MAX_SENT_LENGTH = { title: 512, message: 2_048 } as const;

/** The placeholders in rule text. `{sensor}` stands for the sensor name. */
export const placeholders = ['sensor', 'region', 'location', 'time', 'situation'] as const;
export type Placeholder = (typeof placeholders)[number];

/** Fills in the placeholders in rule text. The result has at most `max` code points. */
export const fillPlaceholders = (template: string, values: Readonly<Record<string, string>>, max: number): string =>
  [
    ...template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
    ),
  ]
    .slice(0, max)
    .join('');
