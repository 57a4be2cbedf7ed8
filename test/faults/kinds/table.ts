import { type AwsError, awsErrors } from '../aws.ts';
import type { Fault } from '../fault.ts';

const failing = (title: string, ...errors: [AwsError, ...AwsError[]]): Fault => ({
  title,
  rates: { awsErrors: errors, aws: 0.12 },
});
const { throttled, tooMany, tooFast, internal, conflict, slowed, lost } = awsErrors;

/** Table faults: throttling, transaction conflicts, errors, and lost responses. */
export const ofTable: readonly Fault[] = [
  { title: 'one table call in ten fails: every acknowledged message is delivered', rates: { refusal: 0.1 } },
  {
    title: 'the table writes, but the response is lost: nothing is delivered under two ids',
    rates: { lostResponse: 0.1 },
  },
  failing('the table sometimes exceeds its throughput: the call is retried', throttled),
  failing('the account exceeds its request limit: the call is retried', tooMany),
  failing('the table throttles its callers: the call is retried', tooFast),
  failing('the table has an internal error: the call is retried', internal),
  failing('transactions conflict: each is eventually written as a whole', conflict),
  failing('a transaction is throttled: it is eventually written as a whole', slowed),
  failing('the response to a write is lost: the retry recognizes the write as its own', lost),
  {
    title: 'table calls get no response: they time out and are retried',
    rates: { unanswered: 0.04 },
  },
  {
    title: 'a process is frozen for a minute: its dead sockets do not block calls',
    rates: { frozen: 0.02 },
  },
];
