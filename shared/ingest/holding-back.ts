import { type NotedCall, waitingCalls } from '../domain/event/noted-call.ts';
import type { Sender } from './messages.ts';
import type { IngestDeps } from './uses.ts';

/**
 * How many calls of one device may wait to be judged; falls are taken beyond what stops reports. A FIFO queue looks for
 * groups among its first 120,000 messages alone, so one device must not fill it.
 */
export const WAITING = { reports: 1_000, falls: 3_000 } as const;
/** A device that is held back is heard again when so many wait. */
const ENOUGH = WAITING.reports / 2;
/** It is looked at each so many noted calls, which costs next to nothing. */
export const LOOK_EVERY = 100;

const waitingOf = async ({ store }: Pick<IngestDeps, 'store'>, { customerId, sensorId }: Sender, seq: number) =>
  waitingCalls(seq, (await store.states.get(customerId, sensorId))?.judged?.run);

/** Looks now and then how many calls of a device wait, and has it held back when they are too many. */
export const look = async (deps: IngestDeps, device: Sender, { seq = 0 }: NotedCall): Promise<void> => {
  if (device.isHeldBack || seq % LOOK_EVERY !== 0) return;
  const waiting = await waitingOf(deps, device, seq);
  if (waiting <= WAITING.reports) return;
  const { customerId, sensorId } = device;
  deps.log('warn', 'a device is held back', { customerId, sensorId, waiting });
  deps.measure('DevicesHeldBack');
  await deps.store.devices.holdBack(device.hash, true);
};

/** Is a device held back that says this? One of which few calls wait again is heard from then on. */
export const isHeldBack = async (deps: IngestDeps, device: Sender, isOfFalls: boolean): Promise<boolean> => {
  if (!device.isHeldBack) return false;
  const waiting = await waitingOf(deps, device, device.calls ?? 0);
  if (waiting <= ENOUGH) await deps.store.devices.holdBack(device.hash, false);
  return waiting > (isOfFalls ? WAITING.falls : ENOUGH);
};
