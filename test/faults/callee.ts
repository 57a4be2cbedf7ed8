import { type Callee, createCallee } from '../../shared/delivery/callee.ts';
import { oneOf } from './chance.ts';
import type { Chaos } from './chaos.ts';
import { certificates, RECEIVER_NAME } from './receiver.ts';

/** Long enough for an answer on this machine, short enough to be waited for a thousand times. */
const DEADLINE_SECONDS = 0.25;
/** What a name must not resolve to: not at all, not beside the right address, not instead of it. */
const wrongAddresses: readonly [string[], ...string[][]] = [
  [],
  ['169.254.169.254'],
  ['127.0.0.1', '10.0.0.7'],
  ['127.0.0.2'],
  ['::ffff:127.0.0.1'],
];

/** The service's own way out to the world, in a world whose names are ours. */
export const calleeOf = (chaos: Chaos): Callee => {
  const resolve = async (name: string): Promise<readonly string[]> => {
    if (name !== RECEIVER_NAME) throw new Error(`${name} does not resolve`);
    return chaos.strikes(chaos.rates().names) ? oneOf(chaos.chance, wrongAddresses) : ['127.0.0.1'];
  };
  const world = { resolve, agentOptions: { ca: certificates.good.cert } };
  const common = { ALLOWED_TARGET_RANGES: ['127.0.0.1/32'], DELIVERY_DEADLINE_SECONDS: DEADLINE_SECONDS };
  const open = createCallee({ ...common, ALLOW_PRIVATE_TARGETS: true }, world);
  const strict = createCallee({ ...common, ALLOW_PRIVATE_TARGETS: false }, world);
  const fitting = (url: string) => (url.startsWith('https:') ? strict : open);
  return { ...open, check: (url) => fitting(url).check(url), post: (request) => fitting(request.url).post(request) };
};
