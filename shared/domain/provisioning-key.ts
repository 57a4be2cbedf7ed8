import type { Manufacturer } from './sensor.ts';

/** A key that registers devices; `manufacturer` null: of both makers. */
export type ProvisioningKey = { id: string; name: string; manufacturer: Manufacturer | null; createDate: number };
