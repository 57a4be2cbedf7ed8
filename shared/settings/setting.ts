import type * as z from 'zod';
import type { Capability } from '../runtime/capabilities.ts';

/** What a setting is read for: the process of `npm start`, or a stage in AWS, which is for development or for production. */
export type Host = 'local' | 'dev' | 'prod';

/** What people and hosts need to know about a setting; functions ignore it. */
type About<T> = {
  /** What it does, in sentences. Names of other settings stand in backticks. */
  help?: string;
  /** The name in the CDK's context. A setting of `npm start` without one is no setting of a stage. */
  stage?: string;
  /** The capabilities whose functions get it. */
  capabilities?: readonly Capability[];
  /** The value is never shown. */
  isSecret?: boolean;
  unit?: 'seconds' | 'minutes' | 'days' | 'MB' | 'requests per second';
  /** An accepted value, for people who gave another one. */
  example?: string;
  /** Defaults of hosts, where they differ. */
  defaults?: Partial<Record<Host, T>>;
  /** The default in words, where its value says too little. */
  byDefault?: string | Readonly<Record<'local' | 'stage', string>>;
  /** What hosts accept where functions, whose values were checked by a host, take any text. */
  hostSchema?: () => z.ZodType<T>;
  /** What a stage accepts, where that is less. */
  stageSchema?: () => z.ZodType<T>;
};

/**
 * A setting, declared in one row. Its key is its name: the environment variable of functions and of `npm start`, or the
 * name in the CDK's context for a setting that only a stage has.
 */
export type Setting<T = unknown> = {
  /** The accepted values, with a description that continues "must be ...". Without a schema it is any text. */
  schema?: () => z.ZodType<T>;
  default: T;
  about?: About<T>;
};
export type Rows = Readonly<Record<string, Setting>>;

type Accepted<S> = S extends { schema: () => z.ZodType<infer T> } ? T : string;
/** The value of a row. It can be null where that is the default. */
export type ValueOf<S> = Accepted<S> | (S extends { default: null } ? null : never);
export type Values<R> = { readonly [N in keyof R]: ValueOf<R[N]> };

/** Declares settings. A default that its schema does not accept is an error, unless it is null. */
export const declare = <const R extends { readonly [N in keyof R]: Setting<ValueOf<R[N]>> }>(rows: R): R => rows;

/** Returns the text of a value, as an environment variable has it. */
export const textOf = (value: unknown): string => {
  if (value === null) return '';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
};
