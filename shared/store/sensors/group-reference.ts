import { changes, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * Returns the write required in every transaction that refers to a sensor group. It fails if the group does not exist
 * or is being deleted. It changes the group instead of only checking it, so that a concurrent deletion notices the new
 * reference.
 */
export const groupReference = (customerId: number, groupId: number): Write => ({
  update: items.sensorGroup({ customerId, groupId }),
  changes: changes({ add: { version: 1 }, if: where('attribute_exists(pk) AND attribute_not_exists(#isLeaving)') }),
});
