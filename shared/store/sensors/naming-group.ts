import { changes, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * What whoever names a group writes with it: it fails when the group is gone, or being removed. Not only checked, so that
 * whoever removes the group at the same time notices that something names it by now.
 */
export const namingGroup = (customerId: number, groupId: number): Write => ({
  update: items.sensorGroup({ customerId, groupId }),
  changes: changes({ add: { version: 1 }, if: where('attribute_exists(pk) AND attribute_not_exists(#isLeaving)') }),
});
