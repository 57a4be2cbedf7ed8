import type { Region } from '#shared/domain/sensor/room.ts';
import type { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import { bedsOf, isBed, regionEntity, shownRegions } from './room-states.ts';
import type { EntityTexts } from './texts.ts';
import { OFFLINE, ONLINE, type Topics } from './topics.ts';

export type Described = {
  sensor: { id: string; name: string; manufacturer: Manufacturer; firmwareVersion: number };
  regions: readonly Region[];
  /** The name of the sensor's group. */
  area: string | null;
  /** Previously shown entities. Home Assistant keeps them unless they are removed explicitly. */
  former: readonly string[];
};

export type Service = { name: string; version: string; url: string; canAcknowledge: boolean };
type Component = Readonly<Record<string, string | boolean>>;

/** Whether a sensor can measure rates. Only maker B sensors send rates. */
const measuresRates = ({ manufacturer }: Described['sensor']): boolean => manufacturer === 'maker_b';

const componentsOf = (
  { sensor, regions }: Described,
  texts: EntityTexts,
  topics: Topics,
  { canAcknowledge }: Service,
): Record<string, Component> => {
  const binary = (id: string, name: string, more: Component = {}): [string, Component] => [
    id,
    { platform: 'binary_sensor', name, value_template: templateOf(id), ...more },
  ];
  const rate = (id: string, name: string, unit: string, icon: string): [string, Component] => [
    id,
    {
      platform: 'sensor',
      name,
      unit_of_measurement: unit,
      state_class: 'measurement',
      icon,
      value_template: templateOf(id),
    },
  ];
  const presence = { device_class: 'occupancy' };
  const entities = [
    binary('fall', texts.fall, { device_class: 'safety' }),
    binary('occupancy', texts.occupancy, presence),
    ...(bedsOf(regions).length > 0 ? [binary('bed', texts.bed, { ...presence, icon: 'mdi:bed' })] : []),
    ...shownRegions(regions).map((region) =>
      binary(regionEntity(region), region.name, isBed(region) ? { ...presence, icon: 'mdi:bed' } : presence),
    ),
    binary('connectivity', texts.connectivity, { device_class: 'connectivity', entity_category: 'diagnostic' }),
    binary('watched', texts.watched, { entity_category: 'diagnostic', icon: 'mdi:shield-check' }),
    ...(measuresRates(sensor)
      ? [
          rate('respiration', texts.respiration, texts.breaths, 'mdi:lungs'),
          rate('heart_rate', texts.heartRate, texts.beats, 'mdi:heart-pulse'),
        ]
      : []),
    ...(canAcknowledge
      ? [
          [
            'acknowledge',
            {
              platform: 'button',
              name: texts.acknowledge,
              icon: 'mdi:account-check',
              command_topic: topics.acknowledge(sensor.id),
            },
          ] satisfies [string, Component],
        ]
      : []),
  ];
  return Object.fromEntries(
    entities.map(([id, component]) => [id, { ...component, unique_id: `sensor_cloud_${sensor.id}_${id}` }]),
  );
};
const templateOf = (id: string): string => `{{ value_json['${id}'] }}`;

/** Returns the description that removes an entity from Home Assistant. */
const removed = (platform: string): Component => ({ platform });

/**
 * Returns a sensor's description as a device with entities.
 * https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
 */
export const descriptionOf = (described: Described, texts: EntityTexts, topics: Topics, service: Service) => {
  const { sensor, area, former } = described;
  const components = componentsOf(described, texts, topics, service);
  const gone = [...former.map((id) => [id, removed('binary_sensor')]), ['acknowledge', removed('button')]];
  return {
    device: {
      identifiers: [`sensor_cloud_${sensor.id}`],
      name: sensor.name,
      sw_version: `0.${sensor.firmwareVersion}`,
      ...(area !== null && { suggested_area: area }),
    },
    origin: { name: service.name, sw_version: service.version, support_url: service.url },
    availability: [{ topic: topics.availability, payload_available: ONLINE, payload_not_available: OFFLINE }],
    state_topic: topics.state(sensor.id),
    qos: 1,
    components: { ...Object.fromEntries(gone), ...components },
  };
};
