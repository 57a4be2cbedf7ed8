/**
 * The longest title and message that are sent, in code points. The texts of any rule fit in full, with room for the values
 * of their placeholders.
 */
export const MAX_SENT_LENGTH = { title: 512, message: 2_048 } as const;

/** The placeholders in the texts of rules: `{sensor}` stands for the name of the sensor. */
export const placeholders = ['sensor', 'region', 'location', 'time', 'situation'] as const;
export type Placeholder = (typeof placeholders)[number];

/** Replaces the placeholders in a text of a rule. The result has at most `max` code points. */
export const fillPlaceholders = (template: string, values: Readonly<Record<string, string>>, max: number): string =>
  [
    ...template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
    ),
  ]
    .slice(0, max)
    .join('');
