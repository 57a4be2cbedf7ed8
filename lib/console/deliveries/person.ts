import type { Delivery } from '#openapi';
import type { Texts } from '../texts/en.ts';

/** Says whom a delivery is for that is for a person, and the way. */
export const personSaid = (
  { ways, person }: Texts['deliveries'],
  { userName, by }: Pick<Delivery, 'userName' | 'by'>,
): string => `${userName || person}${by === 'webhook' ? '' : ` (${ways[by]})`}`;
