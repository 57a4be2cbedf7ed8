import type { NormalizedCoordinates, Situation } from '../event/event.ts';
import type { Language } from '../identity/language.ts';
import type { Snapshot } from './delivery.ts';

type Packed = [
  service: [name: string, url: string, version: string],
  webhook: [name: string, isCustomerHook: 0 | 1] | null,
  event: [
    id: number,
    uuid: string,
    createDate: number,
    type: string,
    action: string,
    code: number | null,
    coordinates: [x: number, y: number, z: number] | null,
    text: string,
    /** 1 stands for the event's own uuid. */
    source: string | null | 1,
  ],
  sensor: [id: string, deviceId: string, name: string, groupId: number],
  customer: [id: number, name: string, location: string] | null,
  rule:
    | [
        id: number,
        createDate: number,
        name: string,
        title: string,
        message: string,
        groupId: number,
        situation: string,
        region: [index: number, name: string] | null,
      ]
    | null,
  ...rest: PackedRest,
];
/** Fields found only in some deliveries. Missing trailing elements are left out. */
type PackedRest = [
  acknowledgeUntil: number,
  acknowledgement?: [ruleHitId: number | null, userId: number | null, name: string, date: number] | null,
  reader?: [language: Language, time: string, hasPlainNames?: 1],
];

const pointOf = (point: NormalizedCoordinates | null): [number, number, number] | null =>
  point && [point.x, point.y, point.z];

type Rest = Pick<Snapshot, 'acknowledgeUntil' | 'acknowledgement' | 'reader'>;

const packRest = ({ acknowledgeUntil, acknowledgement: by, reader }: Rest): PackedRest => {
  const until = acknowledgeUntil;
  const acknowledged = by ? ([by.ruleHitId, by.userId, by.name, by.date] as const) : null;
  if (reader) {
    const { language, time, hasPlainNames } = reader;
    return [until, acknowledged && [...acknowledged], hasPlainNames ? [language, time, 1] : [language, time]];
  }
  return acknowledged ? [until, [...acknowledged]] : [until];
};

const restOf = ([until, by, reader]: PackedRest): Rest => ({
  acknowledgeUntil: until,
  ...(by && { acknowledgement: { ruleHitId: by[0], userId: by[1], name: by[2], date: by[3] } }),
  ...(reader && {
    reader: { language: reader[0], time: reader[1], ...(reader[2] === 1 && { hasPlainNames: true as const }) },
  }),
});

/**
 * Packs a snapshot into a string for storage: values only, without names. A delivery is written three times, and each
 * write is billed by the kilobyte. The names alone would take half a kilobyte.
 */
export const packSnapshot = ({ service, webhook, event, sensor, customer, rule, ...rest }: Snapshot): string => {
  const { id, uuid, createDate, type, action, code, coordinates, text, source } = event;
  const packed: Packed = [
    [service.name, service.url, service.version],
    webhook ? [webhook.name, webhook.isCustomerHook ? 1 : 0] : null,
    [id, uuid, createDate, type, action, code, pointOf(coordinates), text, source === uuid ? 1 : source],
    [sensor.id, sensor.deviceId, sensor.name, sensor.groupId],
    customer && [customer.id, customer.name, customer.location],
    rule && [
      ...([rule.id, rule.createDate, rule.name, rule.title, rule.message, rule.groupId, rule.situation] as const),
      rule.hasRegion ? [rule.regionIndex, rule.regionName] : null,
    ],
    ...packRest(rest),
  ];
  return JSON.stringify(packed);
};

const ruleOf = (packed: NonNullable<Packed[5]>): NonNullable<Snapshot['rule']> => {
  const [id, createDate, name, title, message, groupId, situation, region] = packed;
  const [regionIndex, regionName] = region ?? [-1, ''];
  const texts = { id, createDate, name, title, message, groupId };
  return { ...texts, situation: situation as Situation, hasRegion: region !== null, regionIndex, regionName };
};

/** Unpacks a snapshot. */
export const unpackSnapshot = (text: string): Snapshot => {
  const [service, webhook, event, sensor, customer, rule, ...rest] = JSON.parse(text) as Packed;
  const [id, uuid, createDate, type, action, code, point, situation, source] = event;
  const coordinates = point && { x: point[0], y: point[1], z: point[2] };
  const [sensorId, deviceId, name, groupId] = sensor;
  return {
    service: { name: service[0], url: service[1], version: service[2] },
    ...(webhook && { webhook: { name: webhook[0], ...(webhook[1] === 1 && { isCustomerHook: true as const }) } }),
    event: {
      id,
      uuid,
      createDate,
      type,
      action,
      code,
      coordinates,
      text: situation,
      source: source === 1 ? uuid : source,
    },
    sensor: { id: sensorId, deviceId, name, groupId },
    customer: customer && { id: customer[0], name: customer[1], location: customer[2] },
    rule: rule && ruleOf(rule),
    ...restOf(rest),
  };
};
