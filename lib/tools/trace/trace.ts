import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { Refusal } from '../refusal.ts';
import { type Sent, sentOf } from './deliveries.ts';
import { findDelivery, findMessage, type KnownIds } from './find.ts';
import { readLife } from './read.ts';
import { linesOf, type Step, sentSteps, stepsOf } from './steps.ts';

/** The subject of a trace: one event, a message with all its events, or a delivery with its event. */
export type Wanted = { kind: 'event' | 'message' | 'delivery'; id: string; known: KnownIds };
/** A trace; `notes` are sentences about what it cannot know, or only knows from the present state. */
type Trace = {
  customerId: number;
  sensorId: string;
  manufacturer: string | null;
  steps: Step[];
  notes: string[];
};

const NOT_KEPT =
  'A message that changed nothing is not kept, nor is one that still waits in the queue `events`: look for its uuid in the ' +
  'logs. What is of a sensor that was deleted 15 days ago is found with --customer and --sensor alone.';

const traceMessage = async (table: Table, { kind, id, known }: Wanted, now: number): Promise<Trace> => {
  const found = await findMessage(table, id, known);
  if (!found) throw new Refusal(`No sensor keeps anything under the uuid ${id}. ${NOT_KEPT}`);
  const life = await readLife(table, id, found, { all: kind === 'message', now });
  return { ...found.place, manufacturer: life.sensor?.manufacturer ?? null, steps: stepsOf(life), notes: life.notes };
};

const traceDelivery = async (table: Table, { id, known }: Wanted, now: number): Promise<Trace> => {
  const delivery = await findDelivery(table, id, known);
  if (!delivery) throw new Refusal(`No webhook that is there keeps a delivery ${id}. Deliveries are kept for 30 days.`);
  const { customerId, snapshot, isTest } = delivery;
  const { sensor, event } = snapshot;
  const place = { customerId, sensorId: sensor.id };
  const alone = { ...place, manufacturer: null, steps: sentSteps(sentOf(delivery), null) };
  if (isTest) return { ...alone, notes: ['It is a test of the webhook: there is no event.'] };
  const found = await findMessage(table, event.uuid, place);
  if (!found) return { ...alone, notes: [`The event ${event.uuid} that it tells of is kept no more.`] };
  const whole = await readLife(table, event.uuid, found, { all: false, now });
  const isOriginal = (sent: Sent) => sent.delivery.id === delivery.replayOf;
  const events = whole.events.map((life) => ({ ...life, sent: [...life.sent.filter(isOriginal), sentOf(delivery)] }));
  const steps = stepsOf({ ...whole, events });
  return { ...place, manufacturer: whole.sensor?.manufacturer ?? null, steps, notes: whole.notes };
};

/** Traces an event from the table alone, at the time `now` (ms). Throws a Refusal when nothing about it is stored. */
export const traceOf = (table: Table, wanted: Wanted, now: number): Promise<Trace> =>
  (wanted.kind === 'delivery' ? traceDelivery : traceMessage)(table, wanted, now);

/** Formats a trace as text for people. */
export const traceText = ({ customerId, sensorId, manufacturer, steps, notes }: Trace): string =>
  [
    `sensor ${sensorId}${manufacturer ? ` (${manufacturer})` : ''} of ${customerId === UNASSIGNED ? 'nobody' : `customer ${customerId}`}`,
    'time (UTC)                 since step before',
    ...linesOf(steps),
    'Rules are those that are there now, judged as they are now; hits and deliveries are as they were made.',
    ...notes,
  ].join('\n');
