import type { Cost } from '#shared/auth/password.ts';
import type { Log } from '#shared/observability/log.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Settings } from '#shared/runtime/env.ts';
import type { Meter, TableClient } from '#shared/store/engine/client.ts';
import type { Clock } from './clock.ts';
import type { FirstStart } from './first-start.ts';
import type { TlsFiles } from './http/tls.ts';
import type { AroundInvocation } from './lambda/load-handler.ts';

export type CloudOptions = {
  /** The address or name to listen on, that of this machine alone by default. */
  host?: string;
  /** The port of the API; 0 stands for any free one. */
  port: number;
  /** The certificate of HTTPS and MQTT. Without it they are not encrypted. */
  tls?: TlsFiles;
  /** The folder for all data, or ':memory:'. */
  dataDir: string;
  settings: Settings;
  first: FirstStart;
  /** The port for MQTT, 0 for any free port. Without it there is no MQTT. */
  mqttPort?: number;
  /** The endpoint of a DynamoDB. Without it the table is in this process. */
  tableEndpoint?: string;
  /** An SQS endpoint. Without it the queues are in this process. */
  queueEndpoint?: string;
  /** The endpoint of a KMS. Without it secrets are sealed with the key in the data folder. */
  keyEndpoint?: string;
  clock?: Clock;
  /** The interval (s) of the schedules, 5 by default and at most 60, which is the interval in AWS. */
  sweepSeconds?: number;
  random?: (bytes: number) => Uint8Array;
  /** The cost of new password hashes. Tests make it cheap. */
  passwordCost?: Cost;
  log?: Log;
  meter?: Meter;
  /** How many exceptions nothing caught, for GET /health. */
  exceptions?: () => number;
  /** Prints a line on the console, for example a mail when there is no data folder. */
  say?: (line: string) => void;
  /** Wraps the runtime. Tests use it to inject faults. */
  wrap?: (runtime: Runtime) => Runtime;
  /** Runs each invocation of a function. Tests use it to know which function makes a call. */
  around?: AroundInvocation;
  /** The client of the table at `tableEndpoint`, where it is another than usual. Tests count and disturb its calls. */
  client?: TableClient;
};
