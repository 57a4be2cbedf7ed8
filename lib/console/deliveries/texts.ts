import { deliveries as de } from '../texts/deliveries-de.ts';
import { deliveries as en } from '../texts/deliveries-en.ts';
import { useLocale } from '../texts/texts.tsx';

export type DeliveryTexts = typeof en;

/** Delivery texts, loaded with their pages to keep the first load small. */
export const useDeliveryTexts = (): DeliveryTexts => (useLocale() === 'de' ? de : en);
