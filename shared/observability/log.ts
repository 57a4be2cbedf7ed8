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

/** Gives an error as a log shows it: name, message, stack and causes, without its other properties. */
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
const around = new AsyncLocalStorage<Fields>();

/**
 * Runs a function with these fields as context. Everything that it logs by a log of `withContext`, in called functions
 * and later promises too, carries them.
 */
export const inContext = <T>(fields: Fields, run: () => T): T => around.run({ ...around.getStore(), ...fields }, run);

/** Adds fields, known only now, to the context of the innermost `inContext`: the log lines from here on carry them. */
export const noteContext = (fields: Fields): void => void Object.assign(around.getStore() ?? {}, fields);

/**
 * Gives the value of a log field: the value itself if all are equal, a list of the distinct values if they differ, and
 * undefined without values.
 */
export const oneOrAll = <T>(values: readonly (T | undefined)[]): T | T[] | undefined => {
  const all = [...new Set(values)].filter((value) => value !== undefined);
  return all.length > 1 ? all : all[0];
};

/**
 * Gives the ids for a new task from the context: the API call that it follows from, and the message that it is about.
 * An id that has several values here is left out.
 */
export const traceHere = (): { requestId?: string; uuid?: string } => {
  const { requestId, uuid } = around.getStore() ?? {};
  return { ...(typeof requestId === 'string' && { requestId }), ...(typeof uuid === 'string' && { uuid }) };
};

/** Makes a log whose lines carry the fields of `inContext`. */
export const withContext =
  (log: Log): Log =>
  (level, message, fields, error) =>
    log(level, message, { ...around.getStore(), ...fields }, error);

/**
 * Makes a log that writes one line of JSON for each entry, with an RFC 3339 `timestamp` if `time` is given: without
 * one, Lambda ignores the level of a line.
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
