import type { HashCost } from '#shared/auth/password.ts';
import type { Log } from '#shared/observability/log.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Settings } from '#shared/runtime/env.ts';
import type { Meter, TableClient } from '#shared/store/engine/client.ts';
import type { Clock } from './clock.ts';
import type { FirstStart } from './first-start.ts';
import type { HomeAssistantSettings } from './home-assistant/settings.ts';
import type { TlsFiles } from './http/tls.ts';
import type { AroundInvocation } from './lambda/load-handler.ts';
import type { SmsGateway } from './lambda/sms-gateway.ts';
import type { SmtpSettings } from './mail/smtp-settings.ts';

export type CloudOptions = {
  /** The address or name to listen on. By default, only this machine can connect. */
  host?: string;
  /** The API port. 0 picks a free one. */
  port: number;
  /** The certificate for HTTPS and MQTT. Without it, connections are not encrypted. */
  tls?: TlsFiles;
  /** The folder for all data, or ':memory:'. */
  dataDir: string;
  settings: Settings;
  first: FirstStart;
  /** The MQTT port. 0 picks a free one. Without a port, MQTT is disabled. */
  mqttPort?: number;
  /** The mail server. */
  smtp?: SmtpSettings;
  /** The SMS gateway. */
  sms?: SmsGateway;
  /** The Home Assistant broker used to show sensors. */
  homeAssistant?: HomeAssistantSettings;
  /** A file of certificates to trust for webhooks and the SMS gateway, in addition to public authorities. */
  extraCaFile?: string;
  /** Whether messages without a configured service are written to files. Otherwise, they are not sent. */
  hasOutbox?: boolean;
  /** The DynamoDB endpoint. Without it, the table is in this process. */
  tableEndpoint?: string;
  /** The SQS endpoint. Without it, the queues are in this process. */
  queueEndpoint?: string;
  /** The KMS endpoint. Without it, secrets are encrypted with the key in the data folder. */
  keyEndpoint?: string;
  clock?: Clock;
  /** The sweep interval (s), 5 by default and at most 60, as in AWS. */
  sweepSeconds?: number;
  random?: (bytes: number) => Uint8Array;
  /** The cost of new password hashes. Tests lower it. */
  passwordCost?: HashCost;
  log?: Log;
  meter?: Meter;
  /** Returns the number of uncaught exceptions, for GET /health. */
  exceptions?: () => number;
  /**
   * Called if changes could not be stored after responses had already been sent. The process must then be restarted.
   */
  onLost?: (error: Error) => void;
  /** Prints a line to the console, such as an email if there is no data folder. */
  say?: (line: string) => void;
  /** Whether data read from the table is frozen, so code that changes it fails. For tests. */
  freezes?: boolean;
  /** Wraps the runtime. Tests use it to inject faults. */
  wrap?: (runtime: Runtime) => Runtime;
  /** Wraps each function invocation. Tests use it to find out which function makes a call. */
  around?: AroundInvocation;
  /** Replaces the table client. Tests use it to count calls and make them fail. */
  client?: TableClient;
};
