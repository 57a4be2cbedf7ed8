import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import type { Clock } from '../clock.ts';

/** The region and account in the events and contexts for invocations on this machine. */
export const REGION = 'eu-central-1';
export const ACCOUNT = '000000000000';

/**
 * Limits an invocation's duration as Lambda does, except that the code cannot be killed. It keeps running, but the
 * result is ignored.
 */
export const within = async <T>(clock: Clock, seconds: number, run: () => Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(seconds * 1000, () => late.reject(new Error(`timed out after ${seconds} seconds`)));
  try {
    return await Promise.race([run(), late.promise]);
  } finally {
    cancel();
  }
};

type ContextOptions = { functionName: string; timeoutSeconds: number; clock: Clock; newId?: () => string };

/**
 * Creates the context for an invocation starting now. The remaining time is taken from `clock` and is never negative.
 */
export const lambdaContext = ({ functionName, timeoutSeconds, clock, newId = randomUUID }: ContextOptions): Context => {
  const deadline = clock.now() + timeoutSeconds * 1000;
  return {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${functionName}`,
    awsRequestId: newId(),
    memoryLimitInMB: '512',
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - clock.now()),
    done: noCallbacks,
    fail: noCallbacks,
    succeed: noCallbacks,
  };
};

const noCallbacks = (): never => {
  throw new Error('the Lambda runtime of Node 24 has no callbacks: return a promise');
};
