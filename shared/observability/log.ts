import { AsyncLocalStorage } from 'node:async_hooks';

/** Matches the names of fields whose values never reach a log, at any depth. */
const secret = /password|token|secret|authorization|cookie|code|csrf|hash|body|raw/i;

const redact = (value: unknown, depth = 0): unknown => {
  if (value === null || typeof value !== 'object') return value;
  if (depth > 4) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, 100).map((element) => redact(element, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      secret.test(name) && name !== 'statusCode' ? '[redacted]' : redact(field, depth + 1),
    ]),
  );
};

/** Returns the name, message, stack and causes of an error, without other properties. */
const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? {
        name: error.name,
        message: error.message,
        stack: error.stack,
        ...(error.cause !== undefined && { cause: describeError(error.cause) }),
      }
    : String(error);

export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Record<string, unknown>,
  error?: unknown,
) => void;

type Fields = Record<string, unknown>;
const context = new AsyncLocalStorage<Fields>();

/**
 * Runs a function with these fields as context. Everything it logs through a `contextual` log, even in called functions
 * and later promises, has these fields.
 */
export const withLogContext = <T>(fields: Fields, run: () => T): T =>
  context.run({ ...context.getStore(), ...fields }, run);

/** Adds fields to the innermost `withLogContext` context. All further log lines have them. */
export const addLogContext = (fields: Fields): void => void Object.assign(context.getStore() ?? {}, fields);

/**
 * Returns the value for a log field: the value itself if all are equal, a list of the distinct values if they differ,
 * and undefined if there are none.
 */
export const oneOrMany = <T>(values: readonly (T | undefined)[]): T | T[] | undefined => {
  const distinct = [...new Set(values)].filter((value) => value !== undefined);
  return distinct.length > 1 ? distinct : distinct[0];
};

/** Returns the request id and message UUID for a new task from the context. An id with several values is left out. */
export const currentTrace = (): { requestId?: string; uuid?: string } => {
  const { requestId, uuid } = context.getStore() ?? {};
  return { ...(typeof requestId === 'string' && { requestId }), ...(typeof uuid === 'string' && { uuid }) };
};

/** Returns a log whose lines have the `withLogContext` fields. */
export const contextual =
  (log: Log): Log =>
  (level, message, fields, error) =>
    log(level, message, { ...context.getStore(), ...fields }, error);

/**
 * Returns a log that writes each entry as a line of JSON, with an RFC 3339 `timestamp` if `time` is given. Without a
 * timestamp, Lambda ignores the level of a line.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
 */
export const logTo =
  (write: (line: string) => void, time?: () => string): Log =>
  (level, message, fields = {}, error) =>
    write(
      JSON.stringify({
        level,
        message,
        ...(time && { timestamp: time() }),
        ...(redact(fields) as object),
        ...(error !== undefined && { error: describeError(error) }),
      }),
    );

export const log: Log = logTo(
  (line) => void globalThis.process.stdout.write(`${line}\n`),
  () => new Date().toISOString(),
);
