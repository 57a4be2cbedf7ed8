import { type AwsError, awsErrors } from '../aws.ts';
import type { Fault } from '../fault.ts';

const answering = (title: string, ...errors: [AwsError, ...AwsError[]]): Fault => ({
  title,
  rates: { awsErrors: errors, aws: 0.12 },
});
const { throttled, tooMany, tooFast, internal, conflict, slowed, unsaid } = awsErrors;

/** Faults of the table: throttling, conflicts of transactions, errors, and lost answers. */
export const ofTable: readonly Fault[] = [
  { title: 'one table call in ten fails: every acknowledged message is told', rates: { refusal: 0.1 } },
  { title: 'the table writes, but its answer is lost: nothing is told under two ids', rates: { lostAnswer: 0.1 } },
  answering('the table sometimes exceeds its throughput: the call is retried', throttled),
  answering('the account exceeds its request limit: the call is retried', tooMany),
  answering('the table throttles its callers: the call is retried', tooFast),
  answering('the table has an internal error: the call is retried', internal),
  answering('transactions conflict: each is finally written as a whole', conflict),
  answering('a transaction is throttled: it is finally written as a whole', slowed),
  answering('the answer to a write is lost: the retry does not take the write for that of another process', unsaid),
  {
    title: 'table calls are never answered: they time out and are retried',
    rates: { unanswered: 0.04 },
  },
  {
    title: 'a process is frozen for a minute: its dead sockets block no call',
    rates: { frozen: 0.02 },
  },
];
