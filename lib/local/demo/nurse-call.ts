/** The text fields of a payload in any webhook format. A forwarded sensor message (Raw) has none of these fields. */
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
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
};

/** Returns all `text` values in an adaptive card, in order. */
const textsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === 'text' ? [String(inner)] : textsIn(inner)));
};

/**
 * Summarizes a delivery in one line, using the text fields in the Full, Custom 1, Chat and Teams formats, or the first
 * characters in the Raw format. Returns null if the body is not a JSON object.
 */
export const alarmTextOf = (body: string): string | null => {
  const payload = objectIn(body);
  if (!payload) return null;
  const { rule, event, sensor, description, sensorName, text, attachments } = payload;
  const title = textOf(rule?.title, payload.title, description, event?.action, text, textsIn(attachments)[0]);
  const sensorTitle = textOf(sensor?.name, sensorName);
  if (title === null) return body.slice(0, 100);
  return sensorTitle === null ? title : `${title} (${sensorTitle})`;
};
