import { fallOfKey } from '#shared/domain/event/fall-key.ts';
import type { NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import type { TableReader } from '../engine/client.ts';
import { type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** A fall of a sensor. `fall` is its key (shared/domain/event/fall-key.ts). */
export type FallRef = { customerId: number; sensorId: string; fall: string };
/** What people did about a fall. */
export type FallAnswer = { acknowledgement?: NotedAcknowledgement };

/** Returns the key of the answer to a fall. */
export const answerKey = (ref: FallRef) => items.fallAnswer({ ...ref, start: fallOfKey(ref.fall).start });
export const readAnswer = async (table: TableReader, ref: FallRef): Promise<FallAnswer> =>
  (await table.get<FallAnswer>(answerKey(ref))) ?? {};

/** The condition that the acknowledgement of a fall is as it was seen; null for none. */
export const sameAcknowledgement = (seen: NotedAcknowledgement | null) =>
  where(seen ? '#acknowledgement = :seen' : 'attribute_not_exists(#acknowledgement)', seen ? { seen } : {});

/** The condition that the acknowledgement of a fall is still this one, or that there is none. */
export const checkAcknowledgement = (ref: FallRef, acknowledgement: NotedAcknowledgement | null): Write => ({
  check: answerKey(ref),
  where: sameAcknowledgement(acknowledgement),
});
