import type { Settings } from '../../shared/env.ts';
import type { Failpoint } from '../../shared/failpoints.ts';
import type { Misbehaviour } from './answers.ts';
import type { AwsError } from './aws.ts';
import type { Posted } from './check.ts';
import type { Scene } from './scene.ts';

/** What goes wrong, and how often (0 to 1). */
export type Rates = {
  /** Places where processes die. */
  crashes?: readonly Failpoint[];
  crash?: number;
  /** The table gives up: nothing was written, or all of it was and nobody was told. */
  refusal?: number;
  lostAnswer?: number;
  /** What the service behind the table answers instead, by its own words; what is lost of its answers. */
  awsErrors?: readonly [AwsError, ...AwsError[]];
  aws?: number;
  /** The table gives up whenever this sensor is asked for. */
  failing?: string;
  /** Calls of the table that are never answered, though half of them are carried out. */
  unanswered?: number;
  /** Times that the process is frozen and thawed a minute later: its sockets are dead by then. */
  frozen?: number;
  /** Messages that a queue does not take, or takes without an answer. */
  unsent?: number;
  lostSend?: number;
  /** Messages that come twice, late and hence out of order (of a standard queue), or with something unreadable beside. */
  doubleMessage?: number;
  lateMessage?: number;
  poison?: number;
  /** Messages that were worked off, and come again because their deletion was lost: of a FIFO queue too. */
  lostDeletion?: number;
  /** Tasks and items as an older or a newer version writes them. */
  otherVersion?: number;
  /** Requests that a receiver answers with trouble, by default of any kind; what it never answers. */
  trouble?: number;
  troubles?: readonly [Misbehaviour, ...Misbehaviour[]];
  /** The deadline of an attempt in seconds, where receivers make use of all of it. */
  deadline?: number;
  /** Names that do not resolve, or to what must not be called. */
  names?: number;
  /** The name server of one customer's receiver answers nobody. */
  slowNames?: true;
  /** The clock of the host is set to another time. */
  clockJump?: number;
};

/** What happens in a run besides, in this order; each may be left out. */
export type Story = {
  /** As soon as the falls are acknowledged, whether they are judged or not. `also` takes further ones. */
  atOnce?: (also: (posted: Posted) => void) => Promise<void>;
  /** While what was posted is tried again and again. */
  amid?: () => Promise<void>;
  /** When the trouble ends. */
  heal?: () => Promise<void>;
  /** When nothing waits any more: the last word, and what the next run wants to find as it was. Gives what is wrong. */
  after?: () => Promise<readonly string[]>;
};

export type Fault = {
  /** What holds in spite of it. */
  title: string;
  rates?: Rates;
  /** Eventually consistent reads of the table lag, from the first call to the last. */
  lags?: true;
  /** Prepares what happens besides. */
  story?: (scene: Scene) => Promise<Story>;
  settings?: Partial<Settings>;
  /** Reasons that deliveries may end with unsent here; none by default. */
  mayEnd?: readonly string[];
  /** How long the trouble lasts: so many steps of so many ms; by default one of 40 s, or none. */
  steps?: number;
  stepMs?: number;
  /** Or until so many ms are over, in ever longer steps: a long trouble, in which little happens. */
  lastsMs?: number;
  /** Where each takes much work, one fall is enough. */
  falls?: 'one';
};
