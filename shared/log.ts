import { AsyncLocalStorage } from 'node:async_hooks';

/** Names of fields whose values never reach a log, wherever they stand. */
const secret = /password|token|secret|authorization|cookie|code|csrf|hash|body|raw/i;

const redact = (value: unknown, depth = 0): unknown => {
  if (value === null || typeof value !== 'object') return value;
  if (depth > 4) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, 20).map((one) => redact(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      secret.test(name) && name !== 'statusCode' ? '[redacted]' : redact(one, depth + 1),
    ]),
  );
};

/** An error as a log shows it: name, message, stack and causes, none of its other properties. */
const told = (error: unknown): unknown =>
  error instanceof Error
    ? {
        name: error.name,
        message: error.message,
        stack: error.stack,
        ...(error.cause !== undefined && { cause: told(error.cause) }),
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

/** Runs something; whatever it logs by a log of `withContext`, however deep down and late, carries these fields too. */
export const inContext = <T>(fields: Fields, run: () => T): T => around.run({ ...around.getStore(), ...fields }, run);

/** The same log; its lines carry the fields of `inContext` around them. */
export const withContext =
  (log: Log): Log =>
  (level, message, fields, error) =>
    log(level, message, { ...around.getStore(), ...fields }, error);

/**
 * One line of JSON for each entry, with `time` (RFC 3339) where there is one: without a time Lambda takes no notice of
 * the level. https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
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
        ...(error !== undefined && { error: told(error) }),
      }),
    );

export const log: Log = logTo(
  (line) => void globalThis.process.stdout.write(`${line}\n`),
  () => new Date().toISOString(),
);
