import type { Deps } from '../../shared/deps.ts';
import type { SensorRecord } from '../../shared/domain/sensor.ts';
import type { CustomerItem } from '../../shared/store/customers.ts';
import type { processing } from './contract.ts';

export type ProcessDeps = Deps<(typeof processing)['uses'][number]>;
/** Where a message comes from. */
export type Place = { customerId: number; sensor: SensorRecord; customer: CustomerItem | null };
