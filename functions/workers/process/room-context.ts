import { type RoomContext, timesOf } from '#shared/domain/state/room-context.ts';
import type { needsOf } from '#shared/domain/state/step.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';

/**
 * Reads the room and the critical configuration of a sensor only when a message needs them; most need neither. Where falls
 * lie is told by the sensor itself.
 */
export const roomContextOf = async (
  { store }: ProcessDeps,
  { customerId, sensor, former }: SensorContext,
  needs: ReturnType<typeof needsOf>,
): Promise<RoomContext> => {
  if (former) {
    const { regions, critical } = former;
    return { regions, places: regions, ...timesOf(critical, sensor.firmwareVersion) };
  }
  const [room, critical] = await Promise.all([
    needs.regions ? store.rooms.get(customerId, sensor.id) : null,
    needs.critical ? store.configs.get({ customerId, sensorId: sensor.id }, 'critical') : null,
  ]);
  return {
    regions: room?.regions ?? [],
    places: sensor.room?.regions ?? [],
    ...timesOf(critical?.values ?? null, sensor.firmwareVersion),
  };
};
