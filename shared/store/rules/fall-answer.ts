import { eventKeyOf, fallOfKey, firstKeyOf } from '#shared/domain/event/fall-key.ts';
import type { FallClosure, NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import { urgentSituationOf } from '#shared/domain/rule/alarm.ts';
import type { TableReader } from '../engine/client.ts';
import { type Write, where } from '../engine/request.ts';
import type { EventItem } from '../sensors/events.ts';
import { items } from '../table.ts';

/**
 * A fall at a sensor, or another alarm from the sensor that no rule reported. `fall` is the key of any alarm in the
 * fall, or the event key (shared/domain/event/fall-key.ts).
 */
export type FallRef = { customerId: number; sensorId: string; fall: string };
/** How people responded to a fall. A closed fall is always acknowledged. */
export type FallAnswer = { acknowledgement?: NotedAcknowledgement; closure?: FallClosure };
/**
 * The answer as stored, one for all alarms in a fall. `newest`: the start (ms) of the newest alarm, if the fall has
 * raised several; `upTo`: the start of the newest alarm covered by the acknowledgement, if the fall has raised another
 * alarm since.
 */
export type StoredAnswer = FallAnswer & { newest?: number; upTo?: number };

/** Returns the key under which people answer an alarm without a rule; undefined if the event is not an alarm. */
export const answerKeyOf = (event: Pick<EventItem, 'fall' | 'type' | 'action' | 'id'>): string | undefined =>
  event.fall ?? (urgentSituationOf(event) ? eventKeyOf(event.id) : undefined);

/** Returns the key for the answer to a fall. */
export const answerKey = ({ fall, ...sensor }: FallRef) =>
  items.fallAnswer({ ...sensor, fall: firstKeyOf(fall), start: fallOfKey(fall).began });

/** Whether an acknowledgement covers all alarms in the fall so far. */
export const coversAll = ({ acknowledgement, upTo }: StoredAnswer): boolean =>
  acknowledgement !== undefined && upTo === undefined;

/** Returns the answer to an alarm in a fall. */
export const answerTo = ({ acknowledgement, closure, upTo }: StoredAnswer, fall: string): FallAnswer =>
  upTo !== undefined && fallOfKey(fall).start > upTo
    ? {}
    : { ...(acknowledgement && { acknowledgement }), ...(closure && { closure }) };

export const readStored = async (table: TableReader, ref: FallRef): Promise<StoredAnswer> =>
  (await table.get<StoredAnswer>(answerKey(ref))) ?? {};
export const readAnswer = async (table: TableReader, ref: FallRef): Promise<FallAnswer> =>
  answerTo(await readStored(table, ref), ref.fall);

/** Requires the answer to a fall to be unchanged since it was read, and the fall not to have raised another alarm. */
export const sameAnswer = ({ acknowledgement: seen, closure: closed, newest }: StoredAnswer) =>
  where(
    `${seen ? '#acknowledgement = :seen' : 'attribute_not_exists(#acknowledgement)'} AND ` +
      `${closed ? '#closure = :closed' : 'attribute_not_exists(#closure)'} AND ` +
      (newest === undefined ? 'attribute_not_exists(#newest)' : '#newest = :newest'),
    { ...(seen && { seen }), ...(closed && { closed }), ...(newest !== undefined && { newest }) },
  );

/** Requires the answer to a fall to still be this one. */
export const checkAnswer = (ref: FallRef, answer: StoredAnswer): Write => ({
  check: answerKey(ref),
  where: sameAnswer(answer),
});

/** Requires an alarm in a fall to be unacknowledged. */
export const checkUnanswered = (ref: FallRef): Write => ({
  check: answerKey(ref),
  where: where('attribute_not_exists(#acknowledgement) OR #upTo < :start', { start: fallOfKey(ref.fall).start }),
});
