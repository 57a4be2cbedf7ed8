import { fallOfKey } from '#shared/domain/event/fall-key.ts';
import type { FallClosure, NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import type { TableReader } from '../engine/client.ts';
import { type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** A fall of a sensor. `fall` is its key (shared/domain/event/fall-key.ts). */
export type FallRef = { customerId: number; sensorId: string; fall: string };
/** What people did about a fall. One that is closed is acknowledged. */
export type FallAnswer = { acknowledgement?: NotedAcknowledgement; closure?: FallClosure };

/** Returns the key of the answer to a fall. */
export const answerKey = (ref: FallRef) => items.fallAnswer({ ...ref, start: fallOfKey(ref.fall).start });
export const readAnswer = async (table: TableReader, ref: FallRef): Promise<FallAnswer> =>
  (await table.get<FallAnswer>(answerKey(ref))) ?? {};

/** The condition that the answer to a fall has not changed since it was read. */
export const sameAnswer = ({ acknowledgement: seen, closure: closed }: FallAnswer) =>
  where(
    `${seen ? '#acknowledgement = :seen' : 'attribute_not_exists(#acknowledgement)'} AND ` +
      (closed ? '#closure = :closed' : 'attribute_not_exists(#closure)'),
    { ...(seen && { seen }), ...(closed && { closed }) },
  );

/** The condition that the answer to a fall is still this one. */
export const checkAnswer = (ref: FallRef, answer: FallAnswer): Write => ({
  check: answerKey(ref),
  where: sameAnswer(answer),
});
