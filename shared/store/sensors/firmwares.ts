import type { Firmware } from '#shared/domain/sensor/firmware.ts';
import type { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** A manufacturer's default firmware. A single item, so that there are never two. */
type DefaultItem = { versionCode: number };
type FirmwareItem = Omit<Firmware, 'isDefault'>;

const defaultOf = async (table: TableReader, manufacturer: Manufacturer): Promise<number | null> =>
  (await table.get<DefaultItem>(items.firmwareDefault({ manufacturer })))?.versionCode ?? null;

const defaultPut = (manufacturer: Manufacturer, versionCode: number): Write => ({
  put: { versionCode, ...items.firmwareDefault({ manufacturer }) },
});

/**
 * Returns the writes that change the firmware version pinned for a sensor (null: none). They belong in the transaction
 * that changes the sensor's firmware configuration, so that the count for each version is exact.
 */
export const movePin = (manufacturer: Manufacturer, from: number | null, to: number | null): Write[] => {
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

  /** Returns a manufacturer's firmware versions, oldest version first. */
  list: async (manufacturer: Manufacturer): Promise<Firmware[]> => {
    const pk = items.firmware.pk({ manufacturer });
    const [defaultVersion, found] = await Promise.all([
      defaultOf(table, manufacturer),
      table.queryAll<FirmwareItem>({ pk, beginsWith: 'VERSION#' }),
    ]);
    return found.map((firmware) => ({ ...firmware, isDefault: firmware.versionCode === defaultVersion }));
  },
});

const firmwareWrites = (table: Table) => ({
  /** Creates a firmware. Returns false if that version already exists. */
  create: async ({ isDefault, ...firmware }: Firmware): Promise<boolean> => {
    const { manufacturer, versionCode } = firmware;
    const failed = await table.write(
      { put: { ...firmware, ...items.firmware({ manufacturer, versionCode }) }, where: absent },
      ...(isDefault ? [defaultPut(manufacturer, versionCode)] : []),
    );
    return failed === null;
  },

  /** Sets the default firmware. Returns false if it does not exist. */
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
    const isUnpinned = where('attribute_not_exists(pk) OR #pins = :none', { none: 0 });
    const failed = await table.write(
      { remove: items.firmware({ manufacturer, versionCode }), where: present },
      { check: items.firmwareDefault({ manufacturer }), where: isOther },
      { check: items.firmwarePins({ manufacturer, versionCode }), where: isUnpinned },
    );
    if (failed === null) return 'done';
    return failed.includes(0) ? 'gone' : 'in_use';
  },
});

export const firmwares = (table: Table) => ({ ...firmwareReads(table), ...firmwareWrites(table) });
