import { type AwsError, awsErrors } from '../aws.ts';
import type { Fault } from '../fault.ts';

const answering = (title: string, ...errors: [AwsError, ...AwsError[]]): Fault => ({
  title,
  rates: { awsErrors: errors, aws: 0.12 },
});
const { throttled, tooMany, tooFast, internal, conflict, slowed, unsaid } = awsErrors;

/** The table throttles, meets other transactions, fails, or is not heard. */
export const ofTable: readonly Fault[] = [
  { title: 'the table gives up on one call of ten: what was acknowledged is told', rates: { refusal: 0.1 } },
  { title: 'the table writes, and its answer is lost: nothing is told under two ids', rates: { lostAnswer: 0.1 } },
  answering('the throughput of the table is used up now and then: the call is made again', throttled),
  answering('the account has too many calls: the call is made again', tooMany),
  answering('the table slows its callers down: the call is made again', tooFast),
  answering('the table fails inside: the call is made again', internal),
  answering('transactions meet: each is written in the end, whole', conflict),
  answering('a transaction is slowed down: it is written in the end, whole', slowed),
  answering('an answer is lost on the way: what was written is not taken for the work of another', unsaid),
  {
    title: 'calls hang and are never answered: they are made again, and nobody waits for them',
    rates: { unanswered: 0.04 },
  },
  {
    title: 'a process is frozen and thawed a minute later: its dead sockets hang nobody up',
    rates: { frozen: 0.02 },
  },
];
