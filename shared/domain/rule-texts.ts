/** The longest title and message that are sent, in code points. */
export const SENT_TEXT = 256;

/**
 * Replaces `{sensor} {region} {location} {time} {situation}` in a text of a rule. The result has at most SENT_TEXT code
 * points.
 */
export const fillIn = (template: string, values: Readonly<Record<string, string>>): string =>
  [
    ...template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
    ),
  ]
    .slice(0, SENT_TEXT)
    .join('');
