import type { Firmware } from '#shared/domain/sensor/firmware.ts';
import type { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** Which firmware is the default stands in one item for a manufacturer, so that there are never two. */
type Default = { versionCode: number };
type FirmwareItem = Omit<Firmware, 'isDefault'>;

const defaultOf = async (table: TableReader, manufacturer: Manufacturer): Promise<number | null> =>
  (await table.get<Default>(items.firmwareDefault({ manufacturer })))?.versionCode ?? null;

const defaultPut = (manufacturer: Manufacturer, versionCode: number): Write => ({
  put: { versionCode, ...items.firmwareDefault({ manufacturer }) },
});

/**
 * How the pin of one sensor moves between firmware versions of its maker (null: none). Written in the transaction that
 * changes the sensor's firmware configuration, so that the count of each version is exact.
 */
export const repin = (manufacturer: Manufacturer, from: number | null, to: number | null): Write[] => {
  const count = (versionCode: number | null, pins: number): Write[] =>
    versionCode === null
      ? []
      : [{ update: items.firmwarePins({ manufacturer, versionCode }), changes: changes({ add: { pins } }) }];
  return from === to ? [] : [...count(from, -1), ...count(to, 1)];
};

export const firmwareReads = (table: TableReader) => ({
  defaultOf: (manufacturer: Manufacturer) => defaultOf(table, manufacturer),

  get: (manufacturer: Manufacturer, versionCode: number) =>
    table.get<FirmwareItem>(items.firmware({ manufacturer, versionCode })),

  /** By version, the oldest first. */
  list: async (manufacturer: Manufacturer): Promise<Firmware[]> => {
    const pk = items.firmware.pk({ manufacturer });
    const [chosen, all] = await Promise.all([
      defaultOf(table, manufacturer),
      table.queryAll<FirmwareItem>({ pk, beginsWith: 'VERSION#' }),
    ]);
    return all.map((firmware) => ({ ...firmware, isDefault: firmware.versionCode === chosen }));
  },
});

const firmwareWrites = (table: Table) => ({
  /** False when there is a firmware of that version. */
  create: async ({ isDefault, ...firmware }: Firmware): Promise<boolean> => {
    const { manufacturer, versionCode } = firmware;
    const failed = await table.write(
      { put: { ...firmware, ...items.firmware({ manufacturer, versionCode }) }, where: absent },
      ...(isDefault ? [defaultPut(manufacturer, versionCode)] : []),
    );
    return failed === null;
  },

  /** False when there is no such firmware. */
  setDefault: async (manufacturer: Manufacturer, versionCode: number): Promise<boolean> => {
    const failed = await table.write(
      { check: items.firmware({ manufacturer, versionCode }), where: present },
      defaultPut(manufacturer, versionCode),
    );
    return failed === null;
  },

  /** Deletes a firmware that is neither the default nor pinned by a sensor. */
  remove: async (manufacturer: Manufacturer, versionCode: number): Promise<'done' | 'gone' | 'in_use'> => {
    const isOther = where('attribute_not_exists(pk) OR #versionCode <> :versionCode', { versionCode });
    const isFree = where('attribute_not_exists(pk) OR #pins = :none', { none: 0 });
    const failed = await table.write(
      { remove: items.firmware({ manufacturer, versionCode }), where: present },
      { check: items.firmwareDefault({ manufacturer }), where: isOther },
      { check: items.firmwarePins({ manufacturer, versionCode }), where: isFree },
    );
    if (failed === null) return 'done';
    return failed.includes(0) ? 'gone' : 'in_use';
  },
});

export const firmwares = (table: Table) => ({ ...firmwareReads(table), ...firmwareWrites(table) });
