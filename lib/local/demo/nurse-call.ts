/** The texts of a payload, whichever format the webhook has; a message of a sensor (raw) has none of them. */
type Payload = {
  rule?: { title?: unknown } | null;
  event?: { type?: unknown; action?: unknown };
  sensor?: { name?: unknown };
  title?: unknown;
  description?: unknown;
  sensorName?: unknown;
  text?: unknown;
  attachments?: unknown;
};

const textOf = (...choices: readonly unknown[]): string | null =>
  choices.find((choice): choice is string => typeof choice === 'string' && choice !== '') ?? null;

const objectIn = (body: string): Payload | null => {
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? read : null;
  } catch {
    return null;
  }
};

/** The texts of an adaptive card, in their order: all `text` that there is. */
const textsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === 'text' ? [String(inner)] : textsIn(inner)));
};

/**
 * Says in one line what a delivery tells, in any format of a webhook: Full, Custom 1, Chat and Teams by their texts, the message of
 * a sensor by its beginning. Null when it is no JSON object.
 */
export const alarmIn = (body: string): string | null => {
  const payload = objectIn(body);
  if (!payload) return null;
  const { rule, event, sensor, title, description, sensorName, text, attachments } = payload;
  const what = textOf(rule?.title, title, description, event?.action, text, textsIn(attachments)[0]);
  const where = textOf(sensor?.name, sensorName);
  return what === null ? body.slice(0, 100) : [what, ...(where === null ? [] : [`(${where})`])].join(' ');
};
