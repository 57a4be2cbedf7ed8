import type { Settings } from '#shared/runtime/env.ts';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import type { Misbehaviour } from './answers.ts';
import type { AwsError } from './aws.ts';
import type { Posted } from './check.ts';
import type { Scene } from './scene.ts';

/** The faults and their rates (0 to 1). */
export type Rates = {
  /** The failpoints at which processes die. */
  crashes?: readonly Failpoint[];
  crash?: number;
  /** Table calls that fail: either nothing was written, or everything was written and the answer is lost. */
  refusal?: number;
  lostAnswer?: number;
  /** Answers of DynamoDB with its own errors, and answers that are lost. */
  awsErrors?: readonly [AwsError, ...AwsError[]];
  aws?: number;
  /** Secrets that the keys do not open. */
  keys?: number;
  /** Every table call that concerns this sensor fails. */
  failing?: string;
  /** The message with this UUID always fails, by itself; or the deliveries of what was decided of it. */
  poisoned?: string;
  undeliverable?: string;
  /** Table calls that are never answered, though half of them are carried out. */
  unanswered?: number;
  /** Table calls at which the process is frozen for a minute, after which its sockets are dead. */
  frozen?: number;
  /** Messages that a queue refuses, or takes without an answer. */
  unsent?: number;
  lostSend?: number;
  /**
   * Messages that a standard queue delivers twice, or late and hence out of order, or together with an unreadable
   * one.
   */
  doubleMessage?: number;
  lateMessage?: number;
  poison?: number;
  /** Processed messages that are received again because their deletion was lost, also from a FIFO queue. */
  lostDeletion?: number;
  /** Tasks and items in the form of an older or a newer version. */
  otherVersion?: number;
  /** Requests that a receiver answers with misbehaviour, by default of any kind, and requests that it never answers. */
  trouble?: number;
  troubles?: readonly [Misbehaviour, ...Misbehaviour[]];
  /** The deadline of an attempt (s), for faults in which receivers use all of it. */
  deadline?: number;
  /** Letters to people that a service refuses, or takes without an answer. */
  letters?: number;
  /** Names that do not resolve, or that resolve to a forbidden address. */
  names?: number;
  /** The name server of one customer's receiver never answers. */
  slowNames?: true;
  /** The clock of the host is set to another time. */
  clockJump?: number;
};

/** Steps of a run beside its falls, in this order; each is optional. */
export type Story = {
  /** Runs as soon as the falls are acknowledged, before or after they are evaluated. `also` adds further falls. */
  atOnce?: (also: (posted: Posted) => void) => Promise<void>;
  /** Runs while the deliveries of the falls are being retried. */
  amid?: () => Promise<void>;
  /** Runs when the faults end. */
  heal?: () => Promise<void>;
  /**
   * Runs when nothing waits any more. It checks the result, restores the state for the next run, and gives the failed
   * checks.
   */
  after?: () => Promise<readonly string[]>;
};

export type Fault = {
  /** The guarantee that holds in spite of the fault. */
  title: string;
  rates?: Rates;
  /** Eventually consistent reads of the table lag during the whole run. */
  lags?: true;
  /** Prepares further steps of the run. */
  story?: (scene: Scene) => Promise<Story>;
  settings?: Partial<Settings>;
  /** Reasons with which deliveries may fail in this run; none by default. */
  mayEnd?: readonly string[];
  /** The duration of the faults: `steps` steps of `stepMs` ms. By default it is one step of 40 s, or none. */
  steps?: number;
  stepMs?: number;
  /** An alternative duration in ms, in ever longer steps, for long faults in which little happens. */
  lastsMs?: number;
  /** One fall is enough for faults in which each fall takes much work. */
  falls?: 'one';
};
