import type { Delivery } from './delivery.ts';

/**
 * How long (s) a delivery to a person about an offline sensor waits for similar ones. Deliveries about several sensors
 * become one message (completion 13 "Floods").
 */
export const GATHER_SECONDS = 20;
/** A message combines deliveries created within this time (ms). A power cut affects all sensors at once. */
export const GATHER_SPAN_MS = 60_000;
/** The maximum number of deliveries combined in one message. */
export const MAX_GATHERED = 500;

const gatheredSituations = new Set(['sensor_inactive', 'sensor_active']);

/**
 * Whether a delivery may become part of a message about several sensors. It must be addressed to a person and report a
 * sensor going offline or coming back. Tests, redeliveries, and deliveries to webhooks or about people are always sent
 * separately and immediately.
 */
export const isGathered = ({
  person,
  isTest,
  replayOf,
  snapshot,
}: Pick<Delivery, 'person' | 'isTest' | 'replayOf' | 'snapshot'>): boolean =>
  person !== undefined &&
  isTest === undefined &&
  replayOf === undefined &&
  gatheredSituations.has(snapshot.rule?.situation ?? '');
