// The entry point of the package.
export type * from '#openapi';
export { type Client, type ClientOptions, createClient, type Identity } from './client.ts';
export type { FallState, Maker } from './device-messages.ts';
export { FakeDevice, type KnownDevice, type NewFakeDevice } from './fake-device.ts';
export { type FeedOptions, feed } from './feed.ts';
export { type ItemOf, type ListPath, listAll } from './list.ts';
export { faultOf, ok, Problem, statusOf } from './problem.ts';
export {
  type Reason,
  type ReceivedBody,
  type ReceivedHeaders,
  VerificationError,
  verify,
  verifySimple,
} from './verify.ts';
