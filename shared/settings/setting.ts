import type * as z from 'zod';
import type { Capability } from '../runtime/capabilities.ts';

/**
 * Where a setting applies: the process run by `npm start` (`local`), or a stage in AWS for development (`dev`), for
 * production (`prod`), or for production in a single small home (`home`). A setting has the `prod` default in a `home`
 * stage unless it has a `home` default.
 */
export type Host = 'local' | 'dev' | 'prod' | 'home';

/** What people and hosts need to know about a setting. Functions ignore it. */
type About<T> = {
  /** What the setting does, in sentences. Names of other settings are in backticks. */
  help?: string;
  /** The CDK context name. An `npm start` setting without one does not exist for stages. */
  stage?: string;
  /** The capabilities whose functions get the setting. */
  capabilities?: readonly Capability[];
  /** Whether the value is never shown. */
  isSecret?: boolean;
  unit?: 'seconds' | 'minutes' | 'days' | 'MB' | 'USD' | 'requests per second';
  /** A valid value, for error messages and documents. */
  example?: string;
  /** Host defaults that differ from `default`. */
  defaults?: Partial<Record<Host, T>>;
  /** The default in words, if the value alone is not clear. */
  byDefault?: string | Readonly<Record<'local' | 'stage', string>>;
  /** What hosts accept, if functions accept any text because a host has checked it. */
  hostSchema?: () => z.ZodType<T>;
  /** What a stage accepts, if it accepts fewer values. */
  stageSchema?: () => z.ZodType<T>;
};

/**
 * A setting, declared in one row. The key is the name of the environment variable for functions and `npm start`, or the
 * CDK context name for a setting that only a stage has.
 */
export type Setting<T = unknown> = {
  /** The accepted values, with a description that continues "must be ...". Without a schema, any text is accepted. */
  schema?: () => z.ZodType<T>;
  default: T;
  about?: About<T>;
};
export type SettingRows = Readonly<Record<string, Setting>>;

type Accepted<S> = S extends { schema: () => z.ZodType<infer T> } ? T : string;
/** The value type for a row. The value can be null if that is the default. */
type SettingValue<S> = Accepted<S> | (S extends { default: null } ? null : never);
export type SettingValues<R> = { readonly [N in keyof R]: SettingValue<R[N]> };

/** Declares settings. The compiler rejects a default not accepted by the schema, unless it is null. */
export const declare = <const R extends { readonly [N in keyof R]: Setting<SettingValue<R[N]>> }>(rows: R): R => rows;

/** Returns a value as text for an environment variable. */
export const textOf = (value: unknown): string => {
  if (value === null) return '';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
};
