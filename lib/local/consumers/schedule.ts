import { randomUUID } from 'node:crypto';
import type { Context, ScheduledEvent } from 'aws-lambda';
import type { Clock } from '../clock.ts';
import { ACCOUNT, lambdaContext, REGION, within } from '../lambda/invocation.ts';

export type ScheduleOptions = {
  name: string;
  everyMs: number;
  /** The delay before the first run, `everyMs` by default. */
  firstMs?: number;
  handler: (event: ScheduledEvent, context: Context) => Promise<unknown>;
  /** The timeout for a run, 60 s by default. */
  timeoutSeconds?: number;
  clock: Clock;
  /** Called with the request id for each failed run. Must not throw. */
  onError: (error: unknown, invocationId: string) => void;
  newId?: () => string;
};

type Schedule = {
  /** Prevents further runs. Resolves when the current run has ended. */
  stop(): Promise<void>;
  /** Runs once, after the current run if there is one. Resolves when the run has ended, even if it failed. */
  runNow(): Promise<void>;
  /** Resolves when no run is in progress. */
  idle(): Promise<void>;
};

/**
 * Runs an EventBridge rule: calls `handler` every `everyMs`, starting after `firstMs`. Runs never overlap. A run that
 * would start during another is skipped.
 */
export const schedule = (options: ScheduleOptions): Schedule => {
  const { everyMs, firstMs = everyMs, clock } = options;
  let last = Promise.resolve();
  let waiting = 0;
  let stopped = false;
  const runNow = (): Promise<void> => {
    waiting += 1;
    last = last
      .then(() => (stopped ? undefined : runOnce(options)))
      .finally(() => {
        waiting -= 1;
      });
    return last;
  };
  const tick = (): void => {
    cancel = clock.after(everyMs, tick);
    if (waiting === 0) void runNow();
  };
  let cancel = clock.after(firstMs, tick);
  return {
    runNow,
    idle: () => last,
    async stop() {
      stopped = true;
      cancel();
      await last;
    },
  };
};

const runOnce = async (options: ScheduleOptions): Promise<void> => {
  const { name, handler, timeoutSeconds = 60, clock, onError, newId = randomUUID } = options;
  const event: ScheduledEvent = {
    version: '0',
    id: newId(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: ACCOUNT,
    time: `${new Date(clock.now()).toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: [`arn:aws:events:${REGION}:${ACCOUNT}:rule/${name}`],
    detail: {},
  };
  const context = lambdaContext({ functionName: name, timeoutSeconds, clock, newId });
  try {
    await within(clock, timeoutSeconds, () => handler(event, context));
  } catch (error) {
    onError(error, context.awsRequestId);
  }
};
