import { type RecordedCall, unprocessedCalls } from '../domain/event/recorded-call.ts';
import type { Sender } from './messages.ts';
import type { IngestDeps } from './uses.ts';

/**
 * Pending calls that one device may have; falls are accepted longer than reports. A FIFO queue looks for message groups
 * only among its first 120,000 messages, so one device must not fill it.
 */
export const MAX_PENDING = { reports: 1_000, falls: 3_000 } as const;
/** The limit of a device is lifted when it has no more pending calls than this. */
const RESUME_AT = MAX_PENDING.reports / 2;
/** Noted calls between two checks, which therefore cost next to nothing. */
export const CHECK_EVERY = 100;

const countPending = async ({ store }: Pick<IngestDeps, 'store'>, { customerId, sensorId }: Sender, seq: number) =>
  unprocessedCalls(seq, (await store.states.get(customerId, sensorId))?.judged?.run);

/** Checks now and then whether a device has too many pending calls, and holds it back if so. */
export const holdBackIfBehind = async (deps: IngestDeps, device: Sender, { seq = 0 }: RecordedCall): Promise<void> => {
  if (device.isHeldBack || seq % CHECK_EVERY !== 0) return;
  const pending = await countPending(deps, device, seq);
  if (pending <= MAX_PENDING.reports) return;
  const { customerId, sensorId } = device;
  deps.log('warn', 'a device is held back', { customerId, sensorId, pending });
  deps.measure('DevicesHeldBack');
  await deps.store.devices.holdBack(device.hash, true);
};

/** Whether a call is rejected because its device is held back. Ends that once few calls are pending. */
export const isRejected = async (deps: IngestDeps, device: Sender, isOfFalls: boolean): Promise<boolean> => {
  if (!device.isHeldBack) return false;
  const pending = await countPending(deps, device, device.calls ?? 0);
  if (pending <= RESUME_AT) await deps.store.devices.holdBack(device.hash, false);
  return pending > (isOfFalls ? MAX_PENDING.falls : RESUME_AT);
};
