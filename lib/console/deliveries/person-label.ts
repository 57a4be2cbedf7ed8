import type { Delivery } from '#openapi';
import type { Texts } from '../texts/en.ts';

/** Returns the name of the person that a delivery is for, with the channel. */
export const personLabel = (
  { ways, person }: Texts['deliveries'],
  { userName, by }: Pick<Delivery, 'userName' | 'by'>,
): string => `${userName || person}${by === 'webhook' ? '' : ` (${ways[by]})`}`;
