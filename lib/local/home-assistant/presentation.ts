import { type Described, descriptionOf, type Service } from './description.ts';
import type { KnownHome, KnownSensor } from './home.ts';
import type { Publisher } from './publisher.ts';
import type { RatesOfSensors } from './rates.ts';
import { REGION_PREFIX, statesOf } from './room-states.ts';
import { entityTexts } from './texts.ts';
import { discoveryTopic, type Topics } from './topics.ts';

const regionsAmong = (ids: readonly string[]): string[] => ids.filter((id) => id.startsWith(REGION_PREFIX));
/** Returns the regions in a sensor's published states. */
const regionsIn = (payload: string): string[] => {
  try {
    return regionsAmong(Object.keys(JSON.parse(payload)));
  } catch {
    return [];
  }
};

/** The number of sensors shown per step. Each takes about 0.05 ms. */
const SENSORS_PER_STEP = 100;

type Options = { topics: Topics; publisher: Publisher; rates: RatesOfSensors; service: Service };

/** Publishes a home's sensors as devices, and removes those that are gone. */
export const createPresentation = ({ topics, publisher, rates, service }: Options) => {
  /** The sensors known to the broker, with all regions ever published for each of them. */
  const published = new Map<string, Set<string>>();

  const note = (sensorId: string, regions: readonly string[]): string[] => {
    const known = published.get(sensorId) ?? new Set();
    for (const id of regions) known.add(id);
    published.set(sensorId, known);
    return [...known];
  };
  const showState = (known: KnownSensor, { gaps }: Pick<KnownHome, 'gaps'>): void => {
    const { id } = known.sensor;
    publisher.set(topics.state(id), JSON.stringify(statesOf({ ...known, rates: rates.of(id), gaps })));
  };
  const describe = ({ sensor, area, room }: KnownSensor, { language }: Pick<KnownHome, 'language'>): void => {
    const described: Described = { sensor, area, regions: room?.regions ?? [], former: note(sensor.id, []) };
    const description = descriptionOf(described, entityTexts[language], topics, service);
    note(sensor.id, regionsAmong(Object.keys(description.components)));
    publisher.set(discoveryTopic(sensor.id), JSON.stringify(description));
  };
  const remove = (sensorId: string): void => {
    published.delete(sensorId);
    // The state is removed last. If the host stops before that, the remaining state shows what is left to remove.
    publisher.remove(discoveryTopic(sensorId));
    publisher.remove(topics.state(sensorId));
  };
  return {
    showState,
    /** Shows a whole home in steps with pauses, so a large home does not delay anything else. */
    show: async (home: KnownHome, pause: () => Promise<void>): Promise<void> => {
      for (const [at, known] of [...home.sensors.values()].entries()) {
        describe(known, home);
        showState(known, home);
        if (at % SENSORS_PER_STEP === SENSORS_PER_STEP - 1) await pause();
      }
      for (const sensorId of published.keys()) if (!home.sensors.has(sensorId)) remove(sensorId);
    },
    /**
     * Records a state retained by the broker. A sensor may have been removed, or may have lost a region, while this
     * host was away. `home` is null until it is known.
     */
    noteKept: (home: KnownHome | null, sensorId: string, payload: string): void => {
      if (payload === '') return;
      note(sensorId, regionsIn(payload));
      const known = home?.sensors.get(sensorId);
      if (home && known) describe(known, home);
      else if (home) remove(sensorId);
    },
  };
};
export type Presentation = ReturnType<typeof createPresentation>;
