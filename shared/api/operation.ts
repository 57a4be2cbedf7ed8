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
import type { ErrorCode, ErrorDetails } from './errors.ts';

/**
 * Who may call an operation. `anyone` needs no login, `optional` accepts one, `user` needs a session or an access
 * token, `session` needs a session.
 */
type Access = OpenAccess | ({ auth: 'user' | 'session' } & AccessRule);
type OpenAccess = { auth: 'anyone' | 'optional' | 'provisioner' | 'device' };
type AccessRule = {
  /** A permission, one of several permissions, the system admin role, or only a login. */
  may: Permission | readonly Permission[] | 'system_admin' | 'logged_in';
  /** Also allows the user in the path; `by_session`: only in a session, not with an access token. */
  orSelf?: true | 'by_session';
  /**
   * Also allows requests with the token of the webhook in the path, which the handler checks if no one is logged in.
   */
  orWebhook?: true;
  /** Also allows display sessions. Displays may call nothing else, and have no permissions. */
  display?: true;
};

/**
 * The API used by a caller. In AWS, each API has a separate API Gateway, so that neither uses up the other's limits.
 */
export type ApiName = 'devices' | 'apps';

/** Returns an operation's API: `devices` for devices and the software that registers them, `apps` for all others. */
export const apiOf = ({ auth }: { auth: Operation['auth'] }): ApiName =>
  auth === 'device' || auth === 'provisioner' ? 'devices' : 'apps';

/**
 * The kind of object, named in the path, that an operation works on. The object always belongs to the caller's own
 * customer, unless the caller is a system admin.
 */
export type Within = 'user' | 'customer' | 'sensor' | 'sensor_group' | 'bot' | 'rule' | 'webhook';

export type Operation = Access & Fields;

type Fields = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/${string}`;
  /** The last parameter matches the rest of the path, including slashes. */
  greedy?: true;
  summary: string;
  description?: string;
  /** Another operation replaces this one. */
  deprecated?: true;
  /** A GET that can change something. Read-only tokens are refused, and the handler records changes with `audited`. */
  changes?: true;
  /** A GET that discloses something, which the handler records with `audited`. */
  records?: true;
  within?: Within;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Several named body examples, as written in OpenAPI, instead of the example declared in the schema. */
  bodyExamples?: () => Readonly<Record<string, { summary: string; value: unknown }>>;
  /**
   * `messages`: the handler gets up to 1 MiB as text. `rows`: the body may also be CSV, which the handler gets as text.
   * In all other cases, the body is JSON up to 256 KiB.
   */
  bodyKind?: 'messages' | 'rows';
  /**
   * A GET that screens call every few seconds. Their sessions are read with a lag of about a second, at half the cost.
   * A session that has just ended may still get a response.
   */
  isFrequent?: true;
  /** Also allows a device whose token was replaced, until the device uses the new token. */
  allowsFormerToken?: true;
  /**
   * Skips the CSRF check. Set for logins, because a browser with cookies from an old session must be able to log in,
   * and for acknowledgement pages, which do not use the session.
   */
  csrfExempt?: true;
  /** Also allows callers who must set up a second factor first. If the path names a user, it must be the caller. */
  beforeOtp?: true;
  success: 200 | 201 | 202;
  /**
   * A second status the handler may choose. A 304 response has no body, and a 503 response has the same body as a
   * success.
   */
  alsoSuccess?: 200 | 304 | 503;
  response: z.ZodType;
  /**
   * The media types of a binary response. The handler may choose any of them, with the first as the default. Without
   * media types, the response is JSON.
   */
  media?: readonly [string, ...string[]];
  /** The response may also be CSV, which the handler returns as text if the caller prefers it (csv.ts). */
  orCsv?: true;
  responseHeaders?: Readonly<Record<string, string>>;
  /** Headers the handler adds to every successful response, with their descriptions. */
  describedHeaders?: Readonly<Record<string, string>>;
  /**
   * The response is the same for everyone. It is compressed once, cached (forever, or for a minute and then revalidated
   * by tag), and has a separate rate limit. The handler responds with `publish`.
   */
  published?: keyof typeof publishedHeaders;
  /**
   * The operation works without the table. Requests are counted in process memory, and a caller the table cannot
   * identify is anonymous.
   */
  withoutTable?: true;
  /** Headers the handler adds to some successful responses, with their descriptions. */
  optionalHeaders?: Readonly<Record<string, string>>;
  errors?: readonly ErrorCode[];
  /**
   * The store calls and capabilities the handler uses. The handler gets nothing else, and the function has no other
   * permissions.
   */
  uses: readonly Use[];
};

/** Whether changes by an operation are audited. Device messages are not, because they are events. */
export const isAudited = (operation: Operation): boolean =>
  (isWrite(operation) || operation.records === true) && operation.bodyKind !== 'messages' && !operation.withoutTable;
/** Whether an operation can change something, in which case read-only tokens are refused. */
export const isWrite = ({ method, changes }: Pick<Operation, 'method' | 'changes'>): boolean =>
  method !== 'GET' || changes === true;

/** Whether display sessions may call an operation. */
export const allowsDisplay = (operation: Operation): boolean => 'display' in operation && operation.display === true;

/** The store calls that change what a watch depends on. */
const watchedCalls: readonly Use[] = [
  'rules.create',
  'rules.replace',
  'rules.remove',
  'webhooks.create',
  'webhooks.replace',
  'webhooks.remove',
  'bots.remove',
  'sensorOwners.move',
  'sensorOwners.remove',
  'sensorGroups.create',
  'sensorGroups.put',
  'sensorGroups.remove',
  'configs.put',
  'channels.verify',
  'channels.put',
  'channels.remove',
  'duty.begin',
  'duty.end',
  'duty.setRoster',
  'users.setAccess',
  'users.remove',
  'customers.update',
];
/** Whether changes by an operation can open or close a gap in the watch. */
export const canOpenGaps = (operation: Operation): boolean =>
  isAudited(operation) && operation.uses.some((use) => watchedCalls.includes(use));

/** The uses of `notifyDevice` (device-config.ts). */
export const notifyUses = [
  'sensors.get',
  'rooms.get',
  'configs.list',
  'firmwares.defaultOf',
  'configure:devices',
  'notify:devices',
] as const satisfies readonly Use[];

/** The uses of `currentWatch` (current-watch.ts). */
export const watchUses = [
  'watches.get',
  'watches.put',
  'limits.countCall',
  'customers.get',
  'sensors.list',
  'sensorGroups.list',
  'rules.list',
  'webhooks.list',
  'duty.get',
  'recipients.person',
  'channels.list',
  'unnotified.list',
  'know:channels',
  'know:targets',
  'watch:alarms',
] as const satisfies readonly Use[];
/** The uses an operation needs to acknowledge an alarm, in addition to its own store call (acknowledgements.ts). */
export const acknowledging = ['fallAnswers.settle', 'enqueue:events'] as const satisfies readonly Use[];
/** The uses an operation needs to withdraw an acknowledgement, in addition to its own store call. */
export const withdrawing = [...acknowledging, 'enqueue:timers', 'watch:alarms'] as const satisfies readonly Use[];

/** The caching headers for `published` operations. https://www.rfc-editor.org/rfc/rfc9111 */
export const publishedHeaders = {
  revalidated: { 'Cache-Control': 'public, max-age=60', Vary: 'Accept-Encoding' },
  immutable: { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' },
} as const;

/**
 * Returns an operation's resource as written by API Gateway: `/api/v1/sensors/{sensorId}`, `/api/v1/console/{page+}`.
 */
export const resourceOf = ({ path, greedy }: Pick<Operation, 'path' | 'greedy'>): string =>
  BASE_PATH + (greedy ? path.replace(/\}$/, '+}') : path);

/** Operations that share a Lambda function. */
export type Group = {
  name: string;
  /** The group description in the OpenAPI document. */
  about: string;
  /** The request timeout (s). Defaults to API_TIMEOUT_SECONDS. */
  timeoutSeconds?: number;
  /** Pages and their files. They are served like operations, but are not part of the API. */
  isPage?: true;
  operations: Readonly<Record<string, Operation>>;
};

/**
 * The request timeout (s). Shorter than the 29 s that API Gateway waits, so that the function responds first.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const API_TIMEOUT_SECONDS = 15;
/** Returns the request timeout (s) for a group, on any host. */
export const timeoutOf = ({ timeoutSeconds = API_TIMEOUT_SECONDS }: Group): number => timeoutSeconds;

/** The type of an operation field, or `never` for a field no operation has. */
type FieldType<F> = F extends 'auth'
  ? Access['auth']
  : F extends keyof (AccessRule & Fields)
    ? Required<AccessRule & Fields>[F]
    : never;

/** The fields an operation still needs. */
type MissingField<O> = Exclude<
  'auth' | 'method' | 'path' | 'summary' | 'success' | 'response' | 'uses' | (O extends OpenAccess ? never : 'may'),
  keyof O
>;

/** Lets the compiler check each field separately, so it reports errors at the mistake. */
type Checked<O> = { [F in keyof O]: O[F] extends FieldType<F> ? O[F] : FieldType<F> };

/**
 * The fields as seen by other code. A wrong field becomes `never`, which fits everywhere, and wrong `uses` grant every
 * permission, so no further errors follow elsewhere.
 */
type Understood<O> = {
  [F in keyof O]: O[F] extends FieldType<F> ? O[F] : F extends 'uses' ? FieldType<F> : never;
};

type NamedGroup<N extends string, O> = Omit<Group, 'name' | 'operations'> & { name: N; operations: O };

/** Declares a group of operations as plain data. */
export function group<const N extends string, const O>(
  declared: NamedGroup<N, { [K in keyof O]: Checked<O[K]> & { [F in MissingField<O[K]>]: FieldType<F> } }>,
): NamedGroup<N, { [K in keyof O]: Understood<O[K]> & Record<MissingField<O[K]>, never> }>;
export function group(declared: object): object {
  return declared;
}

/** Declares fields shared by several operations in a group, which spread it and may override fields. */
export function defaults<const O>(declared: Checked<O>): Understood<O>;
export function defaults(declared: object): object {
  return declared;
}

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

type LoggedIn = { caller: Caller; accountKey: string; sessionHash: string };
type Identified<O extends Operation> = [O['auth']] extends [never]
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

/** Errors that any handler may end a request with, even without declaring them. */
type CommonError = 'forbidden' | 'unavailable' | 'rate_limited';
type Declared<O extends Operation> = O['errors'] extends readonly (infer E extends ErrorCode)[] ? E : never;

/** The request as passed to a handler, limited to what the contract declares. */
export type Call<O extends Operation> = Identified<O> & {
  params: Out<O['params']>;
  query: Out<O['query']>;
  body: O['bodyKind'] extends 'messages'
    ? string
    : O['bodyKind'] extends 'rows'
      ? Out<O['body']> | string
      : Out<O['body']>;
  /** Fails the request with an error declared in the contract. */
  fail: (code: Declared<O> | CommonError, details?: ErrorDetails) => never;
  /** Fails the request with 400 for a value only the handler can check. `values` are inserted into the problem text. */
  refuse: (path: string, problem: Problem, values?: FieldError['values']) => never;
  /** Sets the actor and customer for a request without a known caller, for the audit log. */
  actAs: (actor: Actor, customerId: number) => void;
  /** Sets the customer whose audit log records the request. Must be called before the first change. */
  auditUnder: (customerId: number) => void;
  /**
   * Sets the values being replaced, for the details in the audit line. Must be called before the first change. Needed
   * if the first write does not replace an item that has these fields. If the body is a list, the fields get the names
   * used here.
   */
  auditChange: (before: object, after: object) => void;
  /**
   * Runs changes, with an audit line before the first one. Only needed for a GET: all other requests are audited as a
   * whole.
   */
  audited: <T>(run: () => Promise<T>) => Promise<T>;
  /** The IP address of the caller, or the /64 network for IPv6. */
  address: string;
  event: APIGatewayProxyEvent;
  /** The language of the texts in the response. */
  locale: string;
} & (O['within'] extends string ? { customerId: number } : unknown);

/** A response with a status, headers or cookies in addition to a body. */
export class Reply<T> {
  readonly body: T;
  readonly init: { status?: 200 | 304 | 503; headers?: Record<string, string>; cookies?: readonly string[] };
  constructor(body: T, more: Reply<T>['init']) {
    this.body = body;
    this.init = more;
  }
}

type HandlerResult<O extends Operation> = O extends { published: string }
  ? Reply<Uint8Array>
  : z.input<O['response']> | Reply<z.input<O['response']>> | (O extends { orCsv: true } ? Reply<string> : never);

/** One handler per operation in a group. Code that lacks a handler does not compile. */
export type Handlers<G extends Group> = {
  [K in keyof G['operations']]: (
    call: Call<G['operations'][K]>,
    deps: Deps<G['operations'][K]['uses'][number]>,
  ) => Promise<HandlerResult<G['operations'][K]>>;
};
