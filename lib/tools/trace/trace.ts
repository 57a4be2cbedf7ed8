import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { UserError } from '../user-error.ts';
import { type TracedDelivery, tracedDelivery } from './deliveries.ts';
import { findDelivery, findMessage, type KnownIds } from './find.ts';
import { readTrace } from './read.ts';
import { deliverySteps, formatSteps, type TraceStep, traceSteps } from './steps.ts';

/** The trace subject: an event, a message with all its events, or a delivery with its event. */
export type TraceSubject = { kind: 'event' | 'message' | 'delivery'; id: string; known: KnownIds };

/** A trace. `notes` state what it cannot know, and what it infers from the current state. */
type Trace = {
  customerId: number;
  sensorId: string;
  manufacturer: string | null;
  steps: TraceStep[];
  notes: string[];
};

const NOT_STORED =
  'Messages that changed nothing are not stored, and neither are those still in the queue `events`: search the logs for the ' +
  'uuid. Data of a sensor deleted 15 days ago is found only with --customer and --sensor.';

const traceMessage = async (table: Table, { kind, id, known }: TraceSubject, now: number): Promise<Trace> => {
  const found = await findMessage(table, id, known);
  if (!found) throw new UserError(`Nothing is stored under the uuid ${id}. ${NOT_STORED}`);
  const life = await readTrace(table, id, found, { all: kind === 'message', now });
  return {
    ...found.place,
    manufacturer: life.sensor?.manufacturer ?? null,
    steps: traceSteps(life),
    notes: life.notes,
  };
};

const traceDelivery = async (table: Table, { id, known }: TraceSubject, now: number): Promise<Trace> => {
  const delivery = await findDelivery(table, id, known);
  if (!delivery) throw new UserError(`No existing webhook has a delivery ${id}. Deliveries are kept for 30 days.`);
  const { customerId, snapshot, isTest } = delivery;
  const { sensor, event } = snapshot;
  const place = { customerId, sensorId: sensor.id };
  const alone = { ...place, manufacturer: null, steps: deliverySteps(tracedDelivery(delivery), null) };
  if (isTest) return { ...alone, notes: ['This is a test of the webhook, without an event.'] };
  const found = await findMessage(table, event.uuid, place);
  if (!found) return { ...alone, notes: [`Its event ${event.uuid} is no longer stored.`] };
  const whole = await readTrace(table, event.uuid, found, { all: false, now });
  const isOriginal = (sent: TracedDelivery) => sent.delivery.id === delivery.replayOf;
  const events = whole.events.map((life) => ({
    ...life,
    sent: [...life.sent.filter(isOriginal), tracedDelivery(delivery)],
  }));
  const steps = traceSteps({ ...whole, events });
  return { ...place, manufacturer: whole.sensor?.manufacturer ?? null, steps, notes: whole.notes };
};

/** Traces an event using only the table. Throws a UserError if the table contains nothing about it. */
export const createTrace = (table: Table, wanted: TraceSubject, now: number): Promise<Trace> =>
  (wanted.kind === 'delivery' ? traceDelivery : traceMessage)(table, wanted, now);

/** Formats a trace as human-readable text. */
export const formatTrace = ({ customerId, sensorId, manufacturer, steps, notes }: Trace): string =>
  [
    `sensor ${sensorId}${manufacturer ? ` (${manufacturer})` : ''} of ${customerId === UNASSIGNED ? 'no customer' : `customer ${customerId}`}`,
    'time (UTC)                 since step before',
    ...formatSteps(steps),
    'Rules are shown in their current version; hits and deliveries are shown as they were recorded.',
    ...notes,
  ].join('\n');
