import type { ChannelKind } from '#shared/domain/people/channel.ts';
import type { Settings } from '#shared/runtime/env.ts';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import type { AwsError } from './aws.ts';
import type { Posted } from './check.ts';
import type { Misbehaviour } from './responses.ts';
import type { Scene } from './scene.ts';

/** The faults and their rates (0 to 1). */
export type Rates = {
  /** The failpoints at which processes die. */
  crashes?: readonly Failpoint[];
  crash?: number;
  /** Table calls that fail. Either nothing was written, or everything was written and the response was lost. */
  refusal?: number;
  lostResponse?: number;
  /** Errors from DynamoDB itself, and lost responses. */
  awsErrors?: readonly [AwsError, ...AwsError[]];
  aws?: number;
  /** Secrets that fail to decrypt. */
  keys?: number;
  /** The sensor for which every table call fails. */
  failing?: string;
  /** The UUID of a message that always fails (`poisoned`), or whose deliveries cannot be written (`undeliverable`). */
  poisoned?: string;
  undeliverable?: string;
  /** Table calls without a response, although half of them are executed. */
  unanswered?: number;
  /** Table calls during which the process is frozen for a minute. All sockets are dead afterwards. */
  frozen?: number;
  /** Messages that a queue rejects, or accepts without a response. */
  unsent?: number;
  lostSend?: number;
  /**
   * Messages that a standard queue delivers twice, or late and hence out of order, or together with an unreadable one.
   */
  doubleMessage?: number;
  lateMessage?: number;
  poison?: number;
  /** Processed messages that are received again because their deletion was lost, even in a FIFO queue. */
  lostDeletion?: number;
  /** Tasks and items as an older or newer version would write them. */
  otherVersion?: number;
  /** Requests to which a receiver responds by misbehaving, and the kinds of misbehavior. */
  trouble?: number;
  troubles?: readonly [Misbehaviour, ...Misbehaviour[]];
  /** The attempt deadline (s), for faults in which receivers use all of it. */
  deadline?: number;
  /** Notifications to people that a service rejects, or accepts without a response. */
  notifications?: number;
  /** Messaging services that respond only with errors. */
  servicesDown?: readonly ChannelKind[];
  /** Names that do not resolve, or that resolve to a forbidden address. */
  names?: number;
  /** One customer's receiver has a name server that never responds. */
  slowNames?: true;
  /** The host's clock is set to a wrong time. */
  clockJump?: number;
};

/** Steps in a run besides its falls, in this order. Each is optional. */
export type Story = {
  /** Runs as soon as the falls are acknowledged, before or after they are evaluated. `also` adds further falls. */
  atOnce?: (also: (posted: Posted) => void) => Promise<void>;
  /** Runs while the fall deliveries are being retried. */
  duringRetries?: () => Promise<void>;
  /** Runs when the faults end. */
  heal?: () => Promise<void>;
  /**
   * Runs when nothing is pending. Checks the result, restores the state for the next run, and returns the failed
   * checks.
   */
  after?: () => Promise<readonly string[]>;
};

export type Fault = {
  /** The guarantee that holds despite the fault. */
  title: string;
  rates?: Rates;
  /** Eventually consistent table reads lag during the whole run. */
  lags?: true;
  /** Prepares additional steps for the run. */
  story?: (scene: Scene) => Promise<Story>;
  settings?: Partial<Settings>;
  /** The reasons for which deliveries may fail in this run. None by default. */
  mayEnd?: readonly string[];
  /**
   * The duration of the faults: `steps` steps, each `stepMs` ms long. By default, there is either no step or one step
   * of 40 s, at random.
   */
  steps?: number;
  stepMs?: number;
  /** Alternatively, a duration in ms, divided into ever longer steps, for long faults in which little happens. */
  lastsMs?: number;
  /** Set for faults in which each fall takes a lot of work. */
  falls?: 'one';
};
