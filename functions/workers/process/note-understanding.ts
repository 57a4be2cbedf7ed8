import type { SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { isMostlyUnknown } from '#shared/domain/state/understanding.ts';
import { type ProcessDeps, type SensorContext, sensorKey } from './context.ts';

/** Records in the list of sensors whether most messages of a sensor are not understood, and counts those that just became so. */
export const noteUnderstanding = async (
  { store, measure }: ProcessDeps,
  context: SensorContext,
  state: SensorState,
): Promise<void> => {
  const isMisunderstood = isMostlyUnknown(state);
  if (context.former || isMisunderstood === (context.sensor.isMisunderstood ?? false)) return;
  const { customerId, sensorId } = sensorKey(context);
  const hasChanged = await store.sensors.setMisunderstood(customerId, sensorId, isMisunderstood);
  if (hasChanged && isMisunderstood) measure('SensorsNotUnderstood');
};
