import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { BASE_PATH } from '../domain/base-path.ts';
import type { Actor } from '../domain/identity/audit.ts';
import type { Caller, Permission } from '../domain/identity/permission.ts';
import type { FieldError, Problem } from '../domain/problem.ts';
import type { Provisioner } from '../domain/sensor/provisioning-key.ts';
import type { CallingDevice } from '../domain/sensor/sensor.ts';
import type { Use } from '../runtime/capabilities.ts';
import type { Deps } from '../runtime/deps.ts';
import type { Details, ErrorCode } from './errors.ts';

/**
 * Who may call an operation. `anyone` needs no login, `optional` may have one, `user` needs a session or an access
 * token, and `session` needs a session.
 */
type Access = OpenAccess | ({ auth: 'user' | 'session' } & AccessRule);
type OpenAccess = { auth: 'anyone' | 'optional' | 'provisioner' | 'device' };
type AccessRule = {
  /** A permission, one of several permissions, the role of system admin, or only a login. */
  may: Permission | readonly Permission[] | 'system_admin' | 'logged_in';
  /** Also allows the user whom the path names; `by_session`: only with a login, not with an access token. */
  orSelf?: true | 'by_session';
  /** Also allows whoever has the token of the webhook that the path names: the handler checks it when nobody is logged in. */
  orWebhook?: true;
};

/**
 * The API that a caller uses. In AWS each is an API Gateway of its own, so that neither uses up the limits of the
 * other.
 */
export type ApiName = 'devices' | 'apps';

/** Gives the API of an operation: `devices` for devices and for what registers them, `apps` for all other callers. */
export const apiOf = ({ auth }: { auth: Operation['auth'] }): ApiName =>
  auth === 'device' || auth === 'provisioner' ? 'devices' : 'apps';

/**
 * The kind of object in the path whose customer the operation works in: always the caller's own customer, unless the
 * caller is a system admin.
 */
export type Within = 'user' | 'customer' | 'sensor' | 'sensor_group' | 'bot' | 'rule' | 'webhook';

export type Operation = Access & Fields;

type Fields = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/${string}`;
  /** The last parameter of the path matches the whole rest of the path, slashes included. */
  greedy?: true;
  summary: string;
  description?: string;
  /** Another operation replaces this one. */
  deprecated?: true;
  within?: Within;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** `messages` is a body of up to 1 MiB that the handler gets as text. Otherwise the body is JSON of up to 256 KiB. */
  bodyKind?: 'messages';
  /** Skips the CSRF check. Only the login does: a browser with the cookies of an old session must be able to log in. */
  csrfExempt?: true;
  /** Also for users who have to set up a second factor first; of an operation that names a user, for themselves. */
  beforeOtp?: true;
  success: 200 | 201 | 202;
  /** A second status that the handler may choose. A 304 has no body; a 503 has the body of a success. */
  alsoSuccess?: 200 | 304 | 503;
  response: z.ZodType;
  /**
   * The media types of an answer in bytes. The first one is used unless the handler names another. Without them the
   * answer is JSON.
   */
  media?: readonly [string, ...string[]];
  responseHeaders?: Readonly<Record<string, string>>;
  /** Headers that the handler adds to every success, with their descriptions. */
  describedHeaders?: Readonly<Record<string, string>>;
  /**
   * The answer has the same bytes for everybody. It is compressed once, cached (for a minute and then revalidated by
   * its tag, or for ever), and has a rate limit of its own. The handler answers by `publish`.
   */
  published?: keyof typeof headersOfPublished;
  /**
   * It must answer when the table does not: calls are counted in the memory of each process, and a caller whom the table
   * cannot tell is anonymous.
   */
  withoutTable?: true;
  /** Headers that the handler adds to some successes, with their descriptions. */
  optionalHeaders?: Readonly<Record<string, string>>;
  errors?: readonly ErrorCode[];
  /**
   * The calls of the store and the capabilities that the handler uses. The handler gets nothing else, and its function
   * has no other rights.
   */
  uses: readonly Use[];
};

/** Is what an operation changes noted in the audit? Messages of devices are not: they are events. */
export const isAudited = ({ method, bodyKind, withoutTable }: Operation): boolean =>
  method !== 'GET' && bodyKind !== 'messages' && !withoutTable;

/** What `notifyDevice` (device-config.ts) uses to tell a device that its configuration changed. */
export const notifying = [
  'sensors.get',
  'rooms.get',
  'configs.list',
  'firmwares.defaultOf',
  'notify:devices',
] as const satisfies readonly Use[];

/**
 * The headers that tell caches how long they may keep the answer of a `published` operation.
 * https://www.rfc-editor.org/rfc/rfc9111
 */
export const headersOfPublished = {
  revalidated: { 'Cache-Control': 'public, max-age=60', Vary: 'Accept-Encoding' },
  immutable: { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' },
} as const;

/**
 * Gives the resource of an operation as API Gateway writes it: `/api/v1/sensors/{sensorId}`, `/api/v1/console/{page+}`.
 */
export const resourceOf = ({ path, greedy }: Pick<Operation, 'path' | 'greedy'>): string =>
  BASE_PATH + (greedy ? path.replace(/\}$/, '+}') : path);

/** Operations that share a Lambda function. */
export type Group = {
  name: string;
  /** What they are about, for the API document. */
  about: string;
  /** The longest time (s) of a call, where that is not API_TIMEOUT_SECONDS. */
  timeoutSeconds?: number;
  /** Pages for people and their files: they are served as operations are, and are none of the API. */
  isPage?: true;
  operations: Readonly<Record<string, Operation>>;
};

/**
 * The longest time of a call. It is less than the 29 s that API Gateway waits, so that the function's own answer comes
 * first. https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const API_TIMEOUT_SECONDS = 15;
/** How long (s) a call of a group may take, on any host. */
export const timeoutOf = ({ timeoutSeconds = API_TIMEOUT_SECONDS }: Group): number => timeoutSeconds;

/** What a field of an operation may be; `never` for a field that no operation has. */
type FieldType<F> = F extends 'auth'
  ? Access['auth']
  : F extends keyof (AccessRule & Fields)
    ? Required<AccessRule & Fields>[F]
    : never;

/** The fields that an operation still needs. */
type MissingField<O> = Exclude<
  'auth' | 'method' | 'path' | 'summary' | 'success' | 'response' | 'uses' | (O extends OpenAccess ? never : 'may'),
  keyof O
>;

/** What the compiler compares fields with, each by itself: an error is where the mistake is. */
type Checked<O> = { [F in keyof O]: O[F] extends FieldType<F> ? O[F] : FieldType<F> };

/**
 * The fields as other code sees them. A wrong one is `never`, which fits everywhere, and wrong `uses` give every right, so
 * that no other error follows.
 */
type Understood<O> = {
  [F in keyof O]: O[F] extends FieldType<F> ? O[F] : F extends 'uses' ? FieldType<F> : never;
};

type NamedGroup<N extends string, O> = Omit<Group, 'name' | 'operations'> & { name: N; operations: O };

/** Declares a group of operations. It is data only. */
export function group<const N extends string, const O>(
  declared: NamedGroup<N, { [K in keyof O]: Checked<O[K]> & { [F in MissingField<O[K]>]: FieldType<F> } }>,
): NamedGroup<N, { [K in keyof O]: Understood<O[K]> & Record<MissingField<O[K]>, never> }>;
export function group(declared: object): object {
  return declared;
}

/** Declares what several operations of a group have in common: they spread it, and may replace fields of it. */
export function defaults<const O>(declared: Checked<O>): Understood<O>;
export function defaults(declared: object): object {
  return declared;
}

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

type LoggedIn = { caller: Caller; accountKey: string; sessionHash: string };
type WhoIs<O extends Operation> = [O['auth']] extends [never]
  ? LoggedIn & { device: CallingDevice; provisioner: Provisioner }
  : O extends { orWebhook: true }
    ? { caller: Caller | null }
    : O['auth'] extends 'user' | 'session'
      ? LoggedIn
      : O['auth'] extends 'optional'
        ? { caller: Caller | null }
        : O['auth'] extends 'device'
          ? { device: CallingDevice }
          : O['auth'] extends 'provisioner'
            ? { provisioner: Provisioner }
            : unknown;

/** Errors that every operation may answer with, without declaring them. */
type Common = 'forbidden' | 'unavailable' | 'rate_limited';
type Declared<O extends Operation> = O['errors'] extends readonly (infer E extends ErrorCode)[] ? E : never;

/** The request as a handler gets it. It has only what the contract of the operation names. */
export type Call<O extends Operation> = WhoIs<O> & {
  params: Out<O['params']>;
  query: Out<O['query']>;
  body: O['bodyKind'] extends 'messages' ? string : Out<O['body']>;
  /** Ends the call with an error that the contract declares. */
  fail: (code: Declared<O> | Common, details?: Details) => never;
  /** Ends the call with a 400 for a value that only the handler can check. `values` fill in the text of the problem. */
  refuse: (path: string, problem: Problem, values?: FieldError['values']) => never;
  /** Tells the audit who makes a call without a known caller, and in which customer. */
  actAs: (actor: Actor, customerId: number) => void;
  /** The address of the caller, and the /64 network of an IPv6 address. */
  address: string;
  event: APIGatewayProxyEvent;
  /** The language of texts in the answer. */
  locale: string;
} & (O['within'] extends string ? { customerId: number } : unknown);

/** An answer with a status, headers or cookies besides its body. */
export class Reply<T> {
  readonly body: T;
  readonly more: { status?: 200 | 304 | 503; headers?: Record<string, string>; cookies?: readonly string[] };
  constructor(body: T, more: Reply<T>['more']) {
    this.body = body;
    this.more = more;
  }
}

type HandlerResult<O extends Operation> = O extends { published: string }
  ? Reply<Uint8Array>
  : z.input<O['response']> | Reply<z.input<O['response']>>;

/** The handlers of a group, one for each operation. A missing one does not compile. */
export type Handlers<G extends Group> = {
  [K in keyof G['operations']]: (
    call: Call<G['operations'][K]>,
    deps: Deps<G['operations'][K]['uses'][number]>,
  ) => Promise<HandlerResult<G['operations'][K]>>;
};
