import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import type { Use } from '../capabilities.ts';
import type { Deps } from '../deps.ts';
import type { Caller, Permission } from '../domain/permission.ts';
import type { Problem } from '../domain/problem.ts';
import type { Provisioner } from '../domain/provisioning-key.ts';
import type { Device } from '../domain/sensor.ts';
import type { Details, ErrorCode } from './errors.ts';

/** The base of every path of the API. */
export const BASE_PATH = '/api/v1';

/** Who may call. A `user` comes by session or access token, a `session` has logged in, `anyone` needs to be nobody. */
type Access =
  | { auth: 'anyone' | 'optional' | 'provisioner' | 'device' }
  | {
      auth: 'user' | 'session';
      /** A permission, one of several, the system admin's role, or nothing beyond being logged in. */
      may: Permission | readonly Permission[] | 'system_admin' | 'logged_in';
      /** The user that the path names may too. */
      orSelf?: true;
    };

/** Where a caller comes in. In AWS each is an API of its own, so that neither uses up what the other may take. */
export type Door = 'devices' | 'apps';

/** The one door of an operation: devices, and what registers them, come by theirs, everybody else by that of the apps. */
export const doorOf = ({ auth }: { auth: Operation['auth'] }): Door =>
  auth === 'device' || auth === 'provisioner' ? 'devices' : 'apps';

/** The kind of object in the path, whose customer the operation works in: the caller's own, or any for an admin. */
export type Within = 'user' | 'customer' | 'sensor' | 'sensor_group' | 'bot' | 'rule' | 'webhook';

export type Operation = Access & {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/${string}`;
  /** The last parameter of the path stands for all the rest of it, slashes too. */
  greedy?: true;
  summary: string;
  description?: string;
  /** There is another operation to use instead. */
  deprecated?: true;
  within?: Within;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** `messages`: up to 1 MiB, handed over as text; otherwise JSON up to 256 KiB. */
  bodyKind?: 'messages';
  /** Login alone: a browser that holds an old session's cookies must be able to log in. */
  csrfExempt?: true;
  success: 200 | 201 | 202;
  /** A second status that a handler may answer with; a 304 has no body. */
  alsoSuccess?: 200 | 304;
  response: z.ZodType;
  /** Media types of an answer of bytes; the first, unless the handler names another. Without it answers are JSON. */
  media?: readonly [string, ...string[]];
  responseHeaders?: Readonly<Record<string, string>>;
  /** Headers that the handler adds to a success, and what they tell. */
  describedHeaders?: Readonly<Record<string, string>>;
  /**
   * The same bytes for everybody: packed once, kept by caches (for a minute, then asked for by their tag, or for ever),
   * and limited apart from all other calls. The handler answers by `publish`.
   */
  published?: keyof typeof headersOfPublished;
  /** Headers that some successes have, and what they tell. */
  optionalHeaders?: Readonly<Record<string, string>>;
  errors?: readonly ErrorCode[];
  /** Calls of the store that the handler makes, and capabilities: it gets nothing else, and neither does its function. */
  uses: readonly Use[];
};

/** What it takes to tell a device that its configuration changed, by `ring` (device-config.ts). */
export const ringing = [
  'sensors.get',
  'rooms.get',
  'configs.list',
  'firmwares.defaultOf',
  'notify:devices',
] as const satisfies readonly Use[];

/** What tells caches how long an answer of a `published` operation holds. https://www.rfc-editor.org/rfc/rfc9111 */
export const headersOfPublished = {
  revalidated: { 'Cache-Control': 'public, max-age=60', Vary: 'Accept-Encoding' },
  immutable: { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' },
} as const;

/** The resource of an operation as API Gateway names it: `/api/v1/sensors/{sensorId}`, `/api/v1/console/{page+}`. */
export const resourceOf = ({ path, greedy }: Pick<Operation, 'path' | 'greedy'>): string =>
  BASE_PATH + (greedy ? path.replace(/\}$/, '+}') : path);

/** Operations that share a Lambda function. */
export type Group = { name: string; operations: Readonly<Record<string, Operation>> };

/** A group of operations: data only. */
export const group = <const G extends Group>(declared: G): G => declared;

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

type WhoIs<O extends Operation> = O['auth'] extends 'user' | 'session'
  ? { caller: Caller; accountKey: string; sessionHash: string }
  : O['auth'] extends 'optional'
    ? { caller: Caller | null }
    : O['auth'] extends 'device'
      ? { device: Device }
      : O['auth'] extends 'provisioner'
        ? { provisioner: Provisioner }
        : unknown;

/** What any operation may answer without declaring it. */
type Common = 'forbidden' | 'unavailable' | 'rate_limited';
type Declared<O extends Operation> = O['errors'] extends readonly (infer E extends ErrorCode)[] ? E : never;

/** What a handler gets of the request: nothing that its contract does not name. */
export type Call<O extends Operation> = WhoIs<O> & {
  params: Out<O['params']>;
  query: Out<O['query']>;
  body: O['bodyKind'] extends 'messages' ? string : Out<O['body']>;
  /** Ends the call with an error that the contract declares. */
  fail: (code: Declared<O> | Common, details?: Details) => never;
  /** Ends the call with a 400 for a value that only the handler can judge. */
  refuse: (path: string, problem: Problem) => never;
  /** The source address; an IPv6 /64 counts as one. */
  address: string;
  event: APIGatewayProxyEvent;
  /** The language of the answer. */
  locale: string;
} & (O['within'] extends string ? { customerId: number } : unknown);

/** An answer with more than a body. */
export class Reply<T> {
  readonly body: T;
  readonly more: { status?: 200 | 304; headers?: Record<string, string>; cookies?: readonly string[] };
  constructor(body: T, more: Reply<T>['more']) {
    this.body = body;
    this.more = more;
  }
}

type Answer<O extends Operation> = O extends { published: string }
  ? Reply<Uint8Array>
  : z.input<O['response']> | Reply<z.input<O['response']>>;

/** One function for each operation of the group; a missing one does not compile. */
export type Handlers<G extends Group> = {
  [K in keyof G['operations']]: (
    call: Call<G['operations'][K]>,
    deps: Deps<G['operations'][K]['uses'][number]>,
  ) => Promise<Answer<G['operations'][K]>>;
};
