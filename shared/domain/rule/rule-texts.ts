/**
 * The longest title and message that are sent, in code points: whatever a rule may have, whole, with room for what its
 * places stand for.
 */
export const SENT = { title: 512, message: 2_048 } as const;

/** What is filled in for its name in braces in the texts of a rule: `{sensor}` is the name of the sensor. */
export const placeholders = ['sensor', 'region', 'location', 'time', 'situation'] as const;
export type Placeholder = (typeof placeholders)[number];

/** Replaces the placeholders in a text of a rule. The result has at most `most` code points. */
export const fillIn = (template: string, values: Readonly<Record<string, string>>, most: number): string =>
  [
    ...template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
    ),
  ]
    .slice(0, most)
    .join('');
