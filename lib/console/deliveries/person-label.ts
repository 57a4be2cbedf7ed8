import type { Delivery } from '#openapi';
import type { Texts } from '../texts/en.ts';

/** Returns the recipient's name with the channel. `person` replaces an unknown name. */
export const personLabel = (
  { ways }: Texts['overview'],
  person: string,
  { userName, by }: Pick<Delivery, 'userName' | 'by'>,
): string => `${userName || person}${by === 'webhook' ? '' : ` (${ways[by]})`}`;
